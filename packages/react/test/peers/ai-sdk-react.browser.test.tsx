import { useChat } from '@ai-sdk/react'
import { accumulate, type Chunk, toUIMessage } from '@argot/core'
import { WireAdapter } from '@argot/core/stream'
import { InlineToolWidget, ToolCard } from '@argot/react'
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { asks, call, put, text } from '../box/mount.tsx'

const run: Chunk[] = [
  { type: 'start', messageId: 'a' },
  { type: 'start-step' },
  ...text('t1', 'Let me ', 'look.'),
  ...call('c1', 'search_files', { query: 'argot' }, { matches: [1, 2] }),
  ...call('c2', 'read_file', { path: 'a.ts' }),
  { type: 'tool-output-error', toolCallId: 'c2', errorText: 'No such file.' },
  { type: 'tool-input-start', toolCallId: 'c3', toolName: 'mine', dynamic: true },
  { type: 'tool-input-available', toolCallId: 'c3', toolName: 'mine', input: { a: 1 }, dynamic: true },
  { type: 'tool-output-available', toolCallId: 'c3', output: 'ok', dynamic: true },
  { type: 'finish-step' },
  { type: 'start-step' },
  ...text('t2', 'Two.'),
  ...asks('c4', 'delete_files', { paths: ['x'] }),
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'tool-calls' },
]

/** Our chunks, as our server sends them to clients of the AI SDK. */
const transport: ChatTransport<UIMessage> = {
  sendMessages: async () => {
    const wire = new WireAdapter('ai-sdk')
    return new ReadableStream<UIMessageChunk>({
      start(controller) {
        for (const chunk of run) for (const sent of wire.push(chunk)) controller.enqueue(sent as UIMessageChunk)
        controller.close()
      },
    })
  },
  reconnectToStream: async () => null,
}

const answers: unknown[] = []
let last: UIMessage | undefined
function Page(): ReactNode {
  const { messages, sendMessage, status, error } = useChat({ transport })
  last = messages.at(-1)
  return (
    <div>
      <button type="button" id="go" onClick={() => void sendMessage({ text: 'Go' })}>
        {status} {error?.message}
      </button>
      {messages.flatMap(message =>
        message.parts.map((part, index) => (
          <ToolCard
            // biome-ignore lint/suspicious/noArrayIndexKey: parts never move
            key={`${message.id} ${index}`}
            part={part}
            addToolApprovalResponse={answer => answers.push(answer)}
          />
        )),
      )}
    </div>
  )
}

test('our chunks drive useChat of the AI SDK to our message, and our cards show its parts', async () => {
  const { host } = put(<Page />)
  await expect.poll(() => host.querySelector('#go')).not.toBeNull()
  host.querySelector<HTMLElement>('#go')!.click()
  await expect.poll(() => host.querySelectorAll('[data-argot-call]').length).toBe(4)
  await expect.poll(() => host.querySelector('#go')!.textContent?.trim()).toBe('ready')
  const fold = accumulate()
  for (const chunk of run) fold.push(chunk)
  const states = (message: { parts: readonly object[] }): unknown[] =>
    message.parts.map(part => {
      const { type, text: said, toolCallId, state, input, output, errorText } = part as Record<string, unknown>
      return { type, text: said, toolCallId, state, input, output, errorText }
    })
  expect(states(last!)).toEqual(states(toUIMessage(fold.message!)))
  await expect.poll(() => host.textContent).toContain('No such file.')
  const approve = (): HTMLElement | undefined =>
    [...host.querySelectorAll('button')].find(one => one.textContent === 'Approve')
  await expect.poll(approve).toBeDefined()
  approve()!.click()
  expect(answers).toEqual([{ id: 'c4', approved: true }])
  await expect.poll(() => host.querySelector('.argot-approval')).toBeNull()
})

function WidgetPage(): ReactNode {
  const { messages, sendMessage } = useChat({ transport })
  return (
    <div>
      <button type="button" id="go" onClick={() => void sendMessage({ text: 'Go' })}>
        Go
      </button>
      {messages.map(message => (
        <InlineToolWidget key={message.id} message={message} addToolApprovalResponse={answer => answers.push(answer)} />
      ))}
    </div>
  )
}

test('the widget takes the messages of useChat: named and dynamic calls, their commentary, and a question', async () => {
  const { host } = put(<WidgetPage />)
  await expect.poll(() => host.querySelector('#go')).not.toBeNull()
  host.querySelector<HTMLElement>('#go')!.click()
  await expect.poll(() => host.querySelector('.argot-approval')).not.toBeNull()
  expect(host.querySelectorAll('.argot-widget')).toHaveLength(1)
  const line = host.querySelector<HTMLElement>('.argot-widget-line')!
  expect(line.innerText).toContain('needs you')
  line.click()
  await expect.poll(() => host.querySelectorAll('[data-argot-call]').length).toBe(4)
  const rows = host.querySelector<HTMLElement>('.argot-widget-rows')!
  await expect.poll(() => rows.innerText).toContain('Let me look.')
  for (const words of ['Searched', 'Could not read', 'mine', 'Two.']) expect(rows.innerText).toContain(words)
})

/** A message of the AI SDK in the middle of its stream; it has no status. */
const streaming = (part: UIMessage['parts'][number]): UIMessage => ({
  id: 'a',
  role: 'assistant',
  parts: [{ type: 'step-start' }, part],
})

test.each<[string, UIMessage['parts'][number], string]>([
  ['a text that streams', { type: 'text', text: 'Let', state: 'streaming' }, 'Thinking…'],
  [
    'a dynamic call that runs',
    { type: 'dynamic-tool', toolName: 'run', toolCallId: 'c', state: 'input-available', input: { command: 'ls' } },
    'Running ls',
  ],
  [
    'a named call whose input streams',
    { type: 'tool-read_file', toolCallId: 'c', state: 'input-streaming', input: { path: 'a.ts' } },
    'Will read a.ts',
  ],
  [
    'a call that is over',
    { type: 'tool-read_file', toolCallId: 'c', state: 'output-available', input: { path: 'a.ts' }, output: 'x' },
    'Used 1 tool',
  ],
  [
    'a call that was denied',
    {
      type: 'dynamic-tool',
      toolName: 'run',
      toolCallId: 'c',
      state: 'output-denied',
      input: {},
      approval: { id: 'p', approved: false },
    },
    'Used 1 tool · 1 not run',
  ],
])('the line of a message of the AI SDK with %s', async (_, part, words) => {
  const { host } = put(<InlineToolWidget message={streaming(part)} />)
  await expect.poll(() => host.querySelector('.argot-widget-line')?.textContent.trim()).toBe(words)
})

test('a status keeps the line active between steps', async () => {
  const message = streaming({
    type: 'dynamic-tool',
    toolName: 'run',
    toolCallId: 'c',
    state: 'output-available',
    input: {},
    output: 1,
  })
  const { host } = put(<InlineToolWidget message={{ ...message, status: 'streaming' }} />)
  await expect.poll(() => host.querySelector('.argot-widget-line')?.textContent).toBe('Writing the answer')
})
