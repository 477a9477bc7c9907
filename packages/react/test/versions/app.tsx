import { ChatBox, type ChatBoxProps, functionAdapter } from '@argot/react'
import type { ReactNode } from 'react'

const answer = [
  '# Title',
  'Some **bold** words and `code`.',
  '- an item\n- another',
  '```ts\nconst one = 1\n```',
  '| a | b |\n| --- | --- |\n| 1 | 2 |',
].join('\n\n')

/** A conversation with something of each kind that a first render may show. */
const initialMessages: ChatBoxProps['initialMessages'] = [
  { id: 'u', role: 'user', createdAt: '2026-11-18T08:00:00.000Z', parts: [{ type: 'text', text: 'Hello, *you*.' }] },
  {
    id: 'a',
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'tool-read_file', toolCallId: 'r', state: 'output-available', input: { path: 'a.ts' }, output: 'x\ny' },
      {
        type: 'tool-edit_file',
        toolCallId: 'e',
        state: 'output-available',
        input: { path: 'a.ts', search: 'a', replace: 'b' },
        output: 'ok',
        approval: { id: 'p', approved: true },
      },
      { type: 'text', text: answer },
    ],
  },
] as never

const adapter = functionAdapter(async function* (_, { approval }) {
  yield { type: 'start', messageId: 'b' }
  yield { type: 'tool-input-available', toolCallId: 'c', toolName: 'run', input: { command: 'ls' } }
  yield { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'q' }
  const { approved } = await approval('q')
  yield { type: 'tool-output-available', toolCallId: 'c', output: `approved: ${approved}` }
  yield 'It is **done**.'
})

export function App(): ReactNode {
  return (
    <ChatBox
      adapter={adapter}
      initialMessages={initialMessages}
      slotProps={{ messageContent: { partProps: { tool: { defaultExpanded: { edit_file: true } } } } }}
    />
  )
}
