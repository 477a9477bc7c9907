import { isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { ChatBox, ChatProvider, useChatActions } from '@argot/react'
import type { ChatAdapter, ChatMessageInput } from '@argot/react/types'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Fixtures } from './fixtures.ts'
import type { PageProps } from './page-props.ts'

/** Never answers: the box shows only its initial messages. */
const silent: ChatAdapter = {
  sendMessage: () => new ReadableStream(),
  addToolApprovalResponse: async () => {},
  addToolOutput: async () => {},
}

/** Its run is active but sends nothing more. */
const running: ChatAdapter = { ...silent, reconnectToStream: async () => new ReadableStream() }

/** Its connection breaks halfway and never recovers. */
const broken: ChatAdapter = {
  sendMessage: () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'start', messageId: 'b' })
        controller.enqueue({ type: 'text-start', id: 't' })
        controller.enqueue({ type: 'text-delta', id: 't', delta: "I'll run the tests first." })
        controller.enqueue({
          type: 'tool-input-available',
          toolCallId: 'r',
          toolName: 'run',
          input: { command: 'npm test' },
        })
      },
      pull(controller) {
        controller.error(new Error('The connection was lost.'))
      },
    }),
  reconnectToStream: async ({ messageId }) => {
    if (messageId === undefined) return null
    throw new Error('The server is not answering.')
  },
}

const question = 'Fix it. Old recordings must still read the same.'

function Box({
  messages,
  adapter = silent,
}: {
  messages: readonly ChatMessageInput[]
  adapter?: ChatAdapter
}): ReactNode {
  return (
    <div className="chat">
      <ChatBox
        adapter={adapter}
        initialMessages={messages}
        suggestions={['What does this folder hold?', 'Run the tests']}
        slotProps={{ messageContent: { partProps: { tool: { defaultExpanded: policy } } } }}
      />
    </div>
  )
}

/** Rows already grow, so only input that is being written opens by itself. */
const policy = {
  write_file: undefined,
  edit_file: true,
  read_log: true,
  '*': ({ section, state }: { section: unknown; state: string }) =>
    section || state === 'approval-requested' ? undefined : false,
}

function toUserMessage(text: string, id = 'u'): ChatMessageInput {
  return { id, role: 'user', parts: [{ type: 'text', text } as { type: string }] }
}

function toAssistantMessage(message: Message): ChatMessageInput {
  return { ...message, createdAt: undefined }
}

/** The turn's parts, with its agent's chunks as the server sends them. */
function workingTurn({ turn }: Fixtures): Message {
  const subs = Object.entries(turn.sub).flatMap(([toolCallId, { calls }]) =>
    calls.flatMap(call =>
      subChunks(call).map(chunk => ({ type: 'data-argot-sub' as const, data: { toolCallId, chunk } })),
    ),
  )
  return { ...turn.message, parts: [...subs, ...turn.message.parts] }
}

function subChunks(call: ToolInvocation): object[] {
  const { toolCallId, toolName, input, output, state } = call
  const began = { type: 'tool-input-available', toolCallId, toolName, input }
  return state === 'output-available' ? [began, { type: 'tool-output-available', toolCallId, output }] : [began]
}

function askingTurn(fixtures: Fixtures, count: number): Message {
  const calls = fixtures.approvals.slice(0, count).map(({ call }) => call)
  const done = fixtures.turn.message.parts.slice(0, 3)
  const text = {
    type: 'text' as const,
    id: 'x',
    text: "I'll rewrite the two fixtures, teach `replay.ts` the switch, and run the tests for recordings.",
    state: 'done' as const,
    phase: 'commentary' as const,
  }
  return {
    ...fixtures.turn.message,
    parts: [
      ...done,
      text,
      ...calls.map(call => ({
        type: 'dynamic-tool' as const,
        toolInvocation: { ...call, startedAt: fixtures.turn.now - 9000 },
      })),
    ],
  }
}

function finishedTurn({ turn }: Fixtures): Message {
  const parts = turn.message.parts.map(part => {
    if (!isToolPart(part)) return part
    const call = part.toolInvocation as ToolInvocation
    const settled: ToolInvocation = { ...call, state: 'output-available', output: call.output ?? 'ok' }
    if (call.key === 'c4') Object.assign(settled, { output: 'tests 46\npass 46', details: { exitCode: 0 } })
    settled.endedAt ??= turn.now - 900
    return { type: 'dynamic-tool' as const, toolInvocation: settled }
  })
  const text =
    'One is taken off twice: `src/cli/tail.ts` passes an offset that already counts from zero, and `parseOffset` in `src/log/reader.ts` subtracts again. So `--from 41` starts at line 40.'
  return {
    ...turn.message,
    id: 'f',
    status: 'sent',
    parts: [...parts, { type: 'text', id: 'f', text, state: 'done', phase: 'final' }],
  }
}

function endedTurn(fixtures: Fixtures, id: string, status: Message['status'], errorText?: string): Message {
  const fixtureCall = fixtures.states.find(one => one.id === id)!.call
  const startedAt = fixtures.turn.epoch + 4000
  const took = (fixtureCall.endedAt ?? 0) - (fixtureCall.startedAt ?? fixtureCall.endedAt ?? 0)
  const call = { ...fixtureCall, startedAt, endedAt: startedAt + took }
  const message: Message = {
    ...fixtures.turn.message,
    status,
    parts: [...fixtures.turn.message.parts.slice(0, 3), { type: 'dynamic-tool', toolInvocation: call }],
  }
  if (errorText !== undefined) message.errorText = errorText
  return message
}

function largeTurn(fixtures: Fixtures): Message {
  const output = 'a line of some length that is repeated very often\n'.repeat(100_000)
  const call: ToolInvocation = {
    key: 'l',
    toolCallId: 'l',
    toolName: 'read_log',
    state: 'output-available',
    input: { path: 'logs/app.log' },
    output,
    startedAt: fixtures.turn.epoch,
    endedAt: fixtures.turn.epoch + 1400,
  }
  return { ...fixtures.turn.message, status: 'sent', parts: [{ type: 'dynamic-tool', toolInvocation: call }] }
}

/** A file with every third line changed: more than one view shows. */
function rewrittenFileTurn(fixtures: Fixtures): Message {
  const lines = (change: string): string =>
    Array.from({ length: 900 }, (_, at) => `  option${at}: ${at % 3 === 0 ? change : 'read'}(${at}),`).join('\n')
  const call: ToolInvocation = {
    key: 'd',
    toolCallId: 'd',
    toolName: 'edit_file',
    state: 'output-available',
    input: { path: 'src/options.ts', old_string: lines('parse'), new_string: lines('parseNumber') },
    output: 'ok',
  }
  return { ...fixtures.turn.message, status: 'sent', parts: [{ type: 'dynamic-tool', toolInvocation: call }] }
}

function agentsTurn({ turn, approvals }: Fixtures): Message {
  const started = { startedAt: turn.now - 9000 }
  const inside = (toolCallId: string, chunk: object): object => ({
    type: 'data-argot-sub',
    data: { toolCallId, chunk },
  })
  const createCall = (toolCallId: string, toolName: string, input: unknown): object => ({
    type: 'tool-input-available',
    toolCallId,
    toolName,
    input,
  })
  const { input, toolName, approval } = approvals[0]!.call
  const chunks = [
    inside('g', createCall('s', 'search_files', { query: 'parseOffset' })),
    inside('g', { type: 'tool-output-available', toolCallId: 's', output: { matches: [1, 2, 3] } }),
    inside('g', createCall('k', 'scout', { task: 'Rewrite the fixtures' })),
    inside('g', inside('k', createCall('q', toolName, input))),
    inside('g', inside('k', { type: 'tool-approval-request', toolCallId: 'q', approvalId: approval?.id })),
  ]
  const agent: ToolInvocation = {
    key: 'g',
    toolCallId: 'g',
    toolName: 'reviewer',
    state: 'input-available',
    input: {},
    ...started,
  }
  return {
    ...turn.message,
    parts: [...(chunks as Message['parts']), { type: 'dynamic-tool', toolInvocation: agent }],
  }
}

const arabic: readonly ChatMessageInput[] = [
  toUserMessage('لماذا يبدأ `tidelog tail --from 41` من السطر 40؟'),
  {
    id: 'ar',
    role: 'assistant',
    parts: [
      { type: 'text', id: '1', text: 'سأنظر إلى القارئ أولًا.', state: 'done', phase: 'commentary' },
      {
        type: 'dynamic-tool',
        toolInvocation: {
          key: 'c',
          toolCallId: 'c',
          toolName: 'read_file',
          state: 'output-available',
          input: { path: 'src/log/reader.ts' },
          output: 'a\nb',
        },
      },
      {
        type: 'dynamic-tool',
        toolInvocation: {
          key: 'd',
          toolCallId: 'd',
          toolName: 'run',
          state: 'output-error',
          input: { command: 'npm test' },
          errorText: '2 tests failed: old-1.json, old-2.json',
        },
      },
      {
        type: 'text',
        id: '2',
        text: 'يُطرح واحد **مرتين**: في `src/cli/tail.ts` ثم في `reader.ts`.\n\nThe recordings count from zero.\n\n- القراءة من السطر 41\n- كتابة الاختبار\n\n```ts\nconst from = Number(text)\n```',
        state: 'done',
        phase: 'final',
      },
    ] as ChatMessageInput['parts'],
  },
]

/** A placeholder for Mermaid and KaTeX, which the gallery does not load. */
const fences = {
  mermaid: (source: string) => (
    <svg viewBox="0 0 360 72" width="360" height="72" role="img" aria-label={source}>
      {source.match(/\w+(?=\[)/g)?.map((name, at) => (
        <g key={name} fill="none" stroke="currentColor">
          <rect x={4 + at * 120} y="16" width="92" height="40" rx="8" />
          {at > 0 && <path d={`M${at * 120 - 24} 36h24m-6-5l6 5-6 5`} />}
          <text x={50 + at * 120} y="41" textAnchor="middle" fill="currentColor" stroke="none" fontSize="13">
            {name}
          </text>
        </g>
      ))}
    </svg>
  ),
  math: (source: string) => <i>{source.replaceAll('\\cdot', '·')}</i>,
}

const citedAnswer: ChatMessageInput = {
  id: 'c',
  role: 'assistant',
  parts: [
    {
      type: 'text',
      id: '1',
      text: 'The file is renamed first [1], then a new one is made [1, 2]:\n\n```mermaid\ngraph LR\n  write[write] --> rename[rename] --> create[create]\n```\n\nA reader waits at most\n\n$$\nt = n \\cdot d\n$$\n\n```mermaid-next\nstays code\n```',
      state: 'done',
      phase: 'final',
    },
    { type: 'source-url', sourceId: 'a', url: 'https://man7.org/rename', title: 'rename(2) — Linux manual page' },
    { type: 'source-url', sourceId: 'b', url: 'https://www.example.com/rotation', title: 'Rotating a file' },
  ] as ChatMessageInput['parts'],
}

export const chatPages: Readonly<Record<string, (props: PageProps) => ReactNode>> = {
  'chat-empty': () => <Box messages={[]} />,
  'chat-working': ({ fixtures }) => (
    <Box adapter={running} messages={[toUserMessage(question), toAssistantMessage(workingTurn(fixtures))]} />
  ),
  'chat-approval': ({ fixtures }) => (
    <Box messages={[toUserMessage(question), toAssistantMessage(askingTurn(fixtures, 1))]} />
  ),
  'chat-three-approvals': ({ fixtures }) => (
    <Box messages={[toUserMessage(question), toAssistantMessage(askingTurn(fixtures, 3))]} />
  ),
  'chat-finished': ({ fixtures }) => (
    <Box messages={[toUserMessage('Where does that come from?'), toAssistantMessage(finishedTurn(fixtures))]} />
  ),
  'chat-failed': ({ fixtures }) => (
    <Box
      messages={[
        toUserMessage(question),
        toAssistantMessage(endedTurn(fixtures, 'failed-exit', 'error', 'The model did not answer: 529 overloaded.')),
      ]}
    />
  ),
  'chat-denied': ({ fixtures }) => (
    <Box messages={[toUserMessage(question), toAssistantMessage(endedTurn(fixtures, 'denied', 'sent'))]} />
  ),
  'chat-stopped': ({ fixtures }) => (
    <Box messages={[toUserMessage(question), toAssistantMessage(endedTurn(fixtures, 'stopped', 'cancelled'))]} />
  ),
  'chat-5-mb': ({ fixtures }) => <Box messages={[toUserMessage(question), toAssistantMessage(largeTurn(fixtures))]} />,
  'chat-diff': ({ fixtures }) => (
    <Box messages={[toUserMessage(question), toAssistantMessage(rewrittenFileTurn(fixtures))]} />
  ),
  'chat-agents': ({ fixtures }) => (
    <Box adapter={running} messages={[toUserMessage(question), toAssistantMessage(agentsTurn(fixtures))]} />
  ),
  'chat-arabic': () => (
    <div dir="rtl" lang="ar">
      <Box messages={arabic} />
    </div>
  ),
  'chat-loading': () => (
    <div className="chat">
      <ChatBox adapter={{ ...silent, listMessages: () => new Promise(() => {}) }} conversationId="loading" />
    </div>
  ),
  'chat-fences': () => (
    <div className="chat">
      <ChatBox
        adapter={silent}
        initialMessages={[toUserMessage('How does a log rotate?'), citedAnswer]}
        fences={fences}
      />
    </div>
  ),
  'chat-lost': () => (
    <ChatProvider adapter={broken}>
      <SendOnce />
      <div className="chat">
        <ChatBox />
      </div>
    </ChatProvider>
  ),
}

function SendOnce(): ReactNode {
  const { submit } = useChatActions()
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    submit({ text: question })
  }, [submit])
  return null
}
