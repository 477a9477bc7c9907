import { useChat } from '@ai-sdk/react'
import { accumulate, type Chunk, toUIMessage } from '@argot/core'
import { WireAdapter } from '@argot/core/stream'
import { ToolCard } from '@argot/react'
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
