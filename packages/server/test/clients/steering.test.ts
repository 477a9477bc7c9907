import { defineTool } from '@argot/agent'
import { toUIMessage, userMessage } from '@argot/core'
import { argotServerAdapter } from '@argot/react'
import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { expect, test } from 'vitest'
import { call, finish, text } from '../../../agent/test/scripted-model.ts'
import { readEvents, serveFolder } from '../served-folder.ts'
import { gate } from './gate.ts'
import { history, listenAt, shown, stockChat, textOf } from './stock-chat.ts'

const files = { 'chat.chatmd': '<config show_tool_call/>\n<tool name="look"/>\n\n' }
const looks = [...text('I look.'), ...call('l', 'look', {}), finish('tool-calls')]
const all = ['Look.', 'I look.', 'Be short.', 'Short it is.']

/** A server whose run is in the middle of its tool once somebody has sent something. */
async function held() {
  const middle = gate()
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effect: 'read',
    execute: async () => {
      await middle.wait()
      return 'seen'
    },
  })
  const served = await serveFolder([looks, 'Short it is.'], { files, tools: [look] })
  const { url } = await listenAt(served)
  const runOf = async (): Promise<string> =>
    (await served.get<{ runs: { id: string }[] }>('/api/runs?state=open')).runs[0]!.id
  return { ...served, url, middle, runOf }
}

test('useChat steers with `body: { mode: "steer" }`: its response is the message that answers', async () => {
  const { url, middle } = await held()
  const accepted = gate()
  let requests = 0
  const page = stockChat(url, 'chat', [], async (input, init) => {
    const response = await fetch(input, init)
    if (++requests === 2) void accepted.wait()
    return response
  })
  const sent = page.chat.sendMessage({ text: 'Look.' })
  await middle.reached
  await expect.poll(() => textOf(page.chat.messages.at(-1))).toContain('I look.')
  // A chat of the AI SDK reads one stream at a time: it leaves the one that it reads. The run continues.
  await page.chat.stop()
  await sent
  const steered = page.chat.sendMessage({ text: 'Be short.' }, { body: { mode: 'steer' } })
  await accepted.reached
  middle.open()
  await steered
  await page.says('Short it is.')
  await page.validate()
  expect(page.chat.messages.map(textOf)).toEqual(all)
  const document = await history(url, 'chat.chatmd')
  expect(document.map(textOf)).toEqual(all)
  expect(page.chat.messages.at(-1)!.id).toBe(document.at(-1)!.id)
})

test('the stream of a useChat page ends where somebody else joins in; loaded and resumed, it has every message', async () => {
  const { url, middle, post, runOf } = await held()
  const page = stockChat(url, 'chat')
  const sent = page.chat.sendMessage({ text: 'Look.' })
  await middle.reached
  await post(`/api/runs/${await runOf()}/messages`, { input: 'Be short.' })
  middle.open()
  await sent
  expect(page.chat.error).toBeUndefined()
  const [, first] = page.chat.messages
  expect(page.calls()).toMatchObject([{ state: 'output-available', output: 'seen' }])
  expect(first!.metadata).toMatchObject({ steeredBy: expect.stringContaining('user-') })
  const loaded = stockChat(url, 'chat', await history(url, 'chat.chatmd'))
  await loaded.chat.resumeStream()
  await loaded.says('Short it is.')
  await loaded.validate()
  await page.validate()
  const document = await history(url, 'chat.chatmd')
  expect(document.map(textOf)).toEqual(all)
  expect(shown(loaded.chat.messages)).toEqual(shown(document))
  expect(shown(page.chat.messages)).toEqual(shown(document.slice(0, 2)))
})

test('every chunk of a stream for the AI SDK is one that it knows, and the whole run is one valid message', async () => {
  const { ask, post, middle, runOf, url } = await held()
  const page = stockChat(url, 'chat')
  const sent = page.chat.sendMessage({ text: 'Look.' })
  await middle.reached
  const run = await runOf()
  await post(`/api/runs/${run}/messages`, { input: 'Be short.' })
  middle.open()
  await sent
  const { events, isDone } = await readEvents(await ask('GET', `/api/runs/${run}/stream`))
  const { uiMessageChunkSchema, readUIMessageStream, safeValidateUIMessages } = await import('ai')
  const schema = uiMessageChunkSchema()
  const chunks = events.map(({ chunk }) => JSON.parse(JSON.stringify(chunk)))
  for (const chunk of chunks) expect(await schema.validate!(chunk)).toMatchObject({ success: true })
  let message: unknown
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const moment of readUIMessageStream({ stream })) message = moment
  expect(await safeValidateUIMessages({ messages: [message] })).toMatchObject({ success: true })
  expect(textOf(message as never)).toBe('I look.|Short it is.')
  expect(isDone).toBe(true)
})

test('MUI X Chat shows the run as one finished message, through our adapter', async () => {
  const { url, middle, post, runOf } = await held()
  const adapter = argotServerAdapter({ document: 'chat.chatmd', url: `${url}/`, events: false })
  const message = userMessage('Look.')
  const stream = await adapter.sendMessage({ message, messages: [message], signal: new AbortController().signal })
  const store = new ChatStore()
  const read = processStream(store, stream as Parameters<typeof processStream>[1], { flushInterval: 0 })
  await middle.reached
  await post(`/api/runs/${await runOf()}/messages`, { input: 'Be short.' })
  middle.open()
  await read
  const messages = store.state.messageIds.map(id => store.state.messagesById[id]!)
  expect(messages.map(({ role, status }) => `${role} ${status}`)).toEqual(['assistant sent'])
  expect(messages.map(one => textOf(one as never))).toEqual(['I look.|Short it is.'])
  const loaded = await adapter.listMessages!({ conversationId: 'chat.chatmd' })
  expect(loaded.messages.map(one => textOf(toUIMessage(one) as never))).toEqual(all)
})
