import { defineTool } from '@argot/agent'
import { expect, test } from 'vitest'
import { call, finish, text } from '../../../agent/test/scripted-model.ts'
import { serveFolder } from '../served-folder.ts'
import { gate } from './gate.ts'
import { history, listenAt, shown, stockChat, textOf } from './stock-chat.ts'

const saved: unknown[] = []
const save = defineTool<{ text: string }>({
  name: 'save',
  description: 'Saves.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => {
    saved.push(text)
    return `Saved ${text}.`
  },
})
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object' },
  effect: 'read',
  execute: () => ({ seen: 3 }),
})
const tools = [save, look]
const prompt = '<config show_tool_call/>\n<tool name="save"/>\n<tool name="look"/>\n<tool name="ask_user"/>\n\n'
const files = { 'chat.chatmd': prompt }
const template = async (): Promise<string> => prompt

const savesOne = [...text('I save it.'), ...call('c1', 'save', { text: 'x' }), finish('tool-calls')]
const savesTwo = [...call('c1', 'save', { text: 'x' }), ...call('c2', 'save', { text: 'y' }), finish('tool-calls')]
const looks = [...text('Let me look.'), ...call('l1', 'look', {}), finish('tool-calls')]
const asks = [...call('q1', 'ask_user', { question: 'Which?' }), finish('tool-calls')]

test('a conversation with tools, in a chat that is new: what the client shows is what the document has', async () => {
  const served = await serveFolder([looks, 'Three there are.', 'You are welcome.'], { tools, template })
  const { url } = await listenAt(served)
  const { chat, says, validate, calls } = stockChat(url, 'new-chat')
  await chat.sendMessage({ text: 'How many?' })
  await says('Three there are.')
  expect(calls()).toMatchObject([{ toolCallId: 'c1', state: 'output-available', output: { seen: 3 } }])
  await chat.sendMessage({ text: 'Thanks.' })
  await says('You are welcome.')
  await validate()
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(shown(await history(url, 'chats/new-chat.chatmd'))).toEqual(shown(chat.messages))
  expect(served.model.asked).toHaveLength(3)
})

test.each([true, false])('a call is approved (%s) by the client itself, once the stream has ended', async approved => {
  saved.length = 0
  const served = await serveFolder([savesOne, 'Done with it.'], { files, tools })
  const { url } = await listenAt(served)
  const { chat, says, validate, calls } = stockChat(url, 'chat')
  await chat.sendMessage({ text: 'Save it.' })
  expect(calls()).toMatchObject([{ toolCallId: 'c1', state: 'approval-requested', input: { text: 'x' } }])
  expect(chat.status).toBe('ready')
  const { id } = calls()[0]!.approval!
  const first = chat.messages.at(-1)!.id
  await chat.addToolApprovalResponse({ id, approved, ...(!approved && { reason: 'not now' }) })
  await says('Done with it.')
  expect(chat.messages.map(message => message.id)).toEqual([chat.messages[0]!.id, first])
  expect(calls()).toMatchObject([
    approved
      ? { state: 'output-available', output: 'Saved x.', approval: { id, approved: true } }
      : { state: 'output-denied', approval: { id, approved: false, reason: 'not now' } },
  ])
  expect(saved).toEqual(approved ? ['x'] : [])
  await validate()
  expect(shown(await history(url, 'chat.chatmd'))).toEqual(shown(chat.messages))
})

test('two calls wait: the client sends once both are answered, and each answer is its own', async () => {
  saved.length = 0
  const served = await serveFolder([savesTwo, 'Half of it.'], { files, tools })
  const { url } = await listenAt(served)
  const { chat, says, validate, calls } = stockChat(url, 'chat')
  await chat.sendMessage({ text: 'Save both.' })
  const [one, two] = calls().map(({ approval }) => approval!.id)
  await chat.addToolApprovalResponse({ id: one!, approved: true })
  await chat.addToolApprovalResponse({ id: two!, approved: false })
  await says('Half of it.')
  expect(calls()).toMatchObject([{ state: 'output-available' }, { state: 'output-denied' }])
  expect(saved).toEqual(['x'])
  await validate()
  expect(shown(await history(url, 'chat.chatmd'))).toEqual(shown(chat.messages))
})

test('a tool of the client is answered by the client', async () => {
  const served = await serveFolder([asks, 'Blue it is.'], { files, tools })
  const { url } = await listenAt(served)
  const { chat, says, validate, calls } = stockChat(url, 'chat')
  await chat.sendMessage({ text: 'Paint.' })
  expect(calls()).toMatchObject([{ toolCallId: 'c1', state: 'input-available', input: { question: 'Which?' } }])
  await chat.addToolOutput({ tool: 'ask_user', toolCallId: 'c1', output: 'blue' })
  await says('Blue it is.')
  expect(calls()).toMatchObject([{ state: 'output-available', output: 'blue' }])
  await validate()
  expect(shown(await history(url, 'chat.chatmd'))).toEqual(shown(chat.messages))
})

test('a message that is sent while a call waits denies the call with its words', async () => {
  saved.length = 0
  const served = await serveFolder([savesOne, 'As you like.'], { files, tools })
  const { url } = await listenAt(served)
  const { chat, says, validate } = stockChat(url, 'chat')
  await chat.sendMessage({ text: 'Save it.' })
  await chat.sendMessage({ text: 'No, tell me a joke.' })
  await says('As you like.')
  expect(saved).toEqual([])
  await validate()
  const after = await history(url, 'chat.chatmd')
  expect(after.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(after[1]!.parts.find(part => 'toolCallId' in part)).toMatchObject({ state: 'output-denied' })
  const { messages } = JSON.parse(JSON.stringify({ messages: served.model.asked[1]!.prompt })) as { messages: unknown }
  expect(JSON.stringify(messages)).toContain('tell me a joke')
})

test('a page that comes in the middle of a run resumes it, and both pages end with the same messages', async () => {
  const middle = gate()
  const served = await serveFolder([looks, 'One two three four.'], {
    files,
    tools,
    before: {
      before: (part, step) =>
        step === 1 && part.type === 'text-delta' && part.delta.startsWith('three') ? middle.wait() : undefined,
    },
  })
  const { url } = await listenAt(served)
  const first = stockChat(url, 'chat')
  const sent = first.chat.sendMessage({ text: 'Count.' })
  await middle.reached
  const before = await history(url, 'chat.chatmd')
  expect(before.map(({ role }) => role)).toEqual(['user'])
  const second = stockChat(url, 'chat', before)
  const resumed = second.chat.resumeStream()
  await expect.poll(() => textOf(second.chat.messages.at(-1))).toContain('One two')
  middle.open()
  await Promise.all([sent, resumed])
  await Promise.all([first.says('four.'), second.says('four.')])
  await first.validate()
  await second.validate()
  expect(shown(second.chat.messages)).toEqual(shown(first.chat.messages))
  expect(second.chat.messages.at(-1)!.id).toBe(first.chat.messages.at(-1)!.id)
  expect(shown(await history(url, 'chat.chatmd'))).toEqual(shown(first.chat.messages))
})

test('a page that comes after the run was parked shows the question, over a restart too, and answers it', async () => {
  saved.length = 0
  const served = await serveFolder([savesOne], { files, tools })
  const { url } = await listenAt(served)
  const first = stockChat(url, 'chat')
  await first.chat.sendMessage({ text: 'Save it.' })
  const again = await served.restart(['It is saved.'])
  const { url: other } = await listenAt(again)
  const before = await history(other, 'chat.chatmd')
  expect(shown(before)).toEqual(shown(first.chat.messages))
  const second = stockChat(other, 'chat', before)
  await second.chat.resumeStream()
  expect(second.chat.status).toBe('ready')
  expect(second.calls()).toMatchObject([{ state: 'approval-requested', approval: first.calls()[0]!.approval }])
  await second.chat.addToolApprovalResponse({ id: second.calls()[0]!.approval!.id, approved: true })
  await second.says('It is saved.')
  expect(saved).toEqual(['x'])
  await second.validate()
  expect(shown(await history(other, 'chat.chatmd'))).toEqual(shown(second.chat.messages))
})

test('a page that comes while an answered run goes on gets the whole message once', async () => {
  saved.length = 0
  const middle = gate()
  const served = await serveFolder([savesOne, 'It is saved now.'], {
    files,
    tools,
    before: {
      before: (part, step) =>
        step === 1 && part.type === 'text-delta' && part.delta.startsWith('now') ? middle.wait() : undefined,
    },
  })
  const { url } = await listenAt(served)
  const first = stockChat(url, 'chat')
  await first.chat.sendMessage({ text: 'Save it.' })
  await first.chat.addToolApprovalResponse({ id: first.calls()[0]!.approval!.id, approved: true })
  await middle.reached
  const before = await history(url, 'chat.chatmd')
  expect(before.map(({ role }) => role)).toEqual(['user'])
  const second = stockChat(url, 'chat', before)
  const resumed = second.chat.resumeStream()
  await expect.poll(() => textOf(second.chat.messages.at(-1))).toContain('It is saved')
  middle.open()
  await resumed
  await Promise.all([first.says('now.'), second.says('now.')])
  await first.validate()
  await second.validate()
  expect(shown(second.chat.messages)).toEqual(shown(first.chat.messages))
  expect(saved).toEqual(['x'])
})

test('a page that leaves does not stop the run: who comes back finds it, and may send more meanwhile', async () => {
  const middle = gate()
  const served = await serveFolder(['One two three.', 'Four.'], {
    files,
    tools,
    before: {
      before: (part, step) =>
        step === 0 && part.type === 'text-delta' && part.delta.startsWith('three') ? middle.wait() : undefined,
    },
  })
  const { url } = await listenAt(served)
  const first = stockChat(url, 'chat')
  const sent = first.chat.sendMessage({ text: 'Count.' })
  await middle.reached
  await first.chat.stop()
  await sent
  const second = stockChat(url, 'chat', await history(url, 'chat.chatmd'))
  const next = second.chat.sendMessage({ text: 'And more?' })
  await expect
    .poll(async () => (await served.get<{ runs: { state: string }[] }>('/api/runs?state=queued')).runs.length)
    .toBe(1)
  middle.open()
  await next
  await second.says('Four.')
  await second.validate()
  const after = await history(url, 'chat.chatmd')
  expect(after.map(message => textOf(message))).toEqual(['Count.', 'One two three.', 'And more?', 'Four.'])
})

test('what went wrong is said to the client, and the chat goes on', async () => {
  const served = await serveFolder(
    [
      () => {
        throw new Error('The model is away.')
      },
      'Back again.',
    ],
    { files, tools },
  )
  const { url } = await listenAt(served)
  const { chat, says, validate } = stockChat(url, 'chat')
  await chat.sendMessage({ text: 'Hello?' })
  expect(chat.error?.message).toContain('away')
  await chat.sendMessage({ text: 'Hello again?' })
  await says('Back again.')
  await validate()
})
