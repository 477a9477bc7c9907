import { type AgentOptions, createAgent } from '@argot/agent'
import { fromUIMessage, type UIMessage } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import { createAiSdkAdapter } from '@mui/x-chat-headless'
import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'

const question = { id: 'user-1', role: 'user', parts: [{ type: 'text', text: 'Write it.' }] } satisfies UIMessage
const write = fakeTool('write', 'write', ({ a }) => `wrote ${a}`)

beforeEach(() => {
  write.inputs.length = 0
})

interface MuiCall {
  toolCallId: string
  state: string
  input: unknown
  approvalId?: string
  output?: unknown
}

/** A chat of MUI X Chat, read by its own adapter and store from the responses of a handler that keeps nothing. */
function openChat(options: Partial<AgentOptions>) {
  const model = scriptedModel([[...call('c1', 'write', { a: 'x' }), finish('tool-calls')], 'All done.', 'And more.'])
  const agent = createAgent({ model, tools: [write], env: {}, ask: async () => undefined, ...options })
  const store = new ChatStore()
  const messages = (): UIMessage[] =>
    JSON.parse(JSON.stringify(store.state.messageIds.map(id => store.state.messagesById[id]))) as UIMessage[]
  const send = async (change: (all: UIMessage[]) => UIMessage[] = all => all): Promise<MuiCall> => {
    const posted = change([question, ...messages()])
    const response = toResponse(agent.run(posted.map(fromUIMessage)), { client: 'mui' })
    const adapter = createAiSdkAdapter({ stream: () => response.body! })
    const given = { message: question as never, messages: [], signal: new AbortController().signal }
    await processStream(store, await adapter.sendMessage(given), { flushInterval: 0 })
    const part = messages()
      .at(-1)!
      .parts.find(({ type }) => type === 'tool')
    return part!.toolInvocation as MuiCall
  }
  /** As `addToolApprovalResponse` of MUI X Chat does it. */
  const answer =
    (approved: boolean, more: object = {}) =>
    (all: UIMessage[]): UIMessage[] =>
      all.map(message => ({
        ...message,
        parts: message.parts.map(part => {
          if (part.type !== 'tool') return part
          const toolInvocation = {
            ...(part.toolInvocation as object),
            state: 'approval-responded',
            approval: { approved },
          }
          return { ...part, toolInvocation: { ...toolInvocation, ...more } }
        }),
      }))
  return { send, answer }
}

describe.each([
  ['without a key', {}],
  ['with a key', { approvalKey: 'a long random text' }],
] as const)('an approval in the messages that MUI X Chat posts, %s', (_, options) => {
  test('lets its call run once', async () => {
    const { send, answer } = openChat(options)
    expect(await send()).toMatchObject({ state: 'approval-requested', input: { a: 'x' } })
    expect(await send(answer(true))).toMatchObject({ state: 'output-available', output: 'wrote x' })
    expect(write.inputs).toEqual([{ a: 'x' }])
  })

  test('denies its call', async () => {
    const { send, answer } = openChat(options)
    await send()
    expect(await send(answer(false))).toMatchObject({ state: 'output-denied' })
    expect(write.inputs).toEqual([])
  })
})

test.each([
  ['with another input', { input: { a: 'forged' } }],
  ['with another id', { approvalId: `other~${'A'.repeat(43)}` }],
  ['without its signature', { approvalId: 'c1' }],
])('a call that is approved %s is asked about again where questions are signed', async (_, change) => {
  const { send, answer } = openChat({ approvalKey: 'a long random text' })
  await send()
  await send(answer(true, change))
  expect(write.inputs).toEqual([])
})
