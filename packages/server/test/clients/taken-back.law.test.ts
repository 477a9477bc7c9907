import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accumulate, type Chunk, encodeSse, type Message, replay, toUIMessage } from '@argot/core'
import { convert } from '@argot/core/convert'
import { type LogLine, parseLog, SeamFilter, WireAdapter } from '@argot/core/stream'
import { argotServerAdapter } from '@argot/react'
import type { ChatAdapter } from '@argot/react/types'
import { stream } from '@durable-streams/client'
import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { call, finish, text } from '../../../agent/test/scripted-model.ts'
import { type CrashImages, recordCrashes } from '../crash/crash-images.ts'
import { readEvents, type ServedFolder, serveFolder } from '../served-folder.ts'
import { gate } from './gate.ts'
import { listenAt, shown, stockChat } from './stock-chat.ts'

/*
 * Every reader ends with what the document has, wherever the process died. The server dies after each line of a run's log, and
 * the next process makes the interrupted step again, in other words. A reader either was connected before the death and continues,
 * or comes while the run is continued, or comes once it is over.
 */
const files = {
  'a.txt': 'one',
  'chat.chatmd': '<config show_tool_call/>\n<tool name="read_file"/>\n\n',
}
const look = [...text('I look now.'), ...call('c1', 'read_file', { path: 'a.txt' }), finish('tool-calls')]
const lookAgain = [...text('Let me see.'), ...call('c2', 'read_file', { path: 'a.txt' }), finish('tool-calls')]

/** What the next process's model says: the answer once the file was read, else the step before it. */
const next = [
  ({ prompt }: { prompt: readonly { role: string }[] }) =>
    prompt.some(({ role }) => role === 'tool') ? 'In the end it is four, five, six.' : lookAgain,
]

const record = (): Promise<CrashImages> =>
  recordCrashes([look, 'It is one two three.'], { input: 'What is in a.txt?', files })

const url = 'http://127.0.0.1:4176'
const ask = (served: ServedFolder) => (input: RequestInfo | URL, init?: RequestInit) =>
  Promise.resolve(served.server.fetch(new Request(input, init)))

async function documentOf(served: ServedFolder): Promise<unknown> {
  const { messages } = await served.get<{ messages: UIMessage[] }>('/api/documents/chat.chatmd/messages?format=ui')
  return shown(messages)
}

async function linesOf(served: ServedFolder, run: string): Promise<LogLine[]> {
  const log = await readFile(join(served.folder, '.chatmd', 'runs', 'chat.chatmd', `${run}.jsonl`), 'utf8')
  return parseLog(log).lines
}

const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'What is in a.txt?' }] } as UIMessage
const withUser = (message: Message | UIMessage | undefined): unknown =>
  shown([
    user,
    ...(message === undefined ? [] : ['status' in message ? toUIMessage(message as Message) : message]),
  ] as never)

/** A stock client whose first stream breaks after the chunks of these lines, and whose next requests reach the server. */
function brokenChat(served: ServedFolder, lines: readonly LogLine[]): ReturnType<typeof stockChat> {
  const wire = new WireAdapter('ai-sdk')
  const sent = lines.flatMap(({ chunk }) => wire.push(chunk)).map(chunk => encodeSse(chunk))
  let isFirst = true
  return stockChat(url, 'chat', [user], (input, init) => {
    if (!isFirst) return ask(served)(input, init)
    isFirst = false
    const body = new ReadableStream({
      start(controller) {
        for (const one of sent) controller.enqueue(new TextEncoder().encode(one))
      },
      pull: controller => controller.error(new TypeError('network error')),
    })
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  })
}

/** What the AI SDK's own reader makes of a stock stream. */
async function readStock(response: Response): Promise<UIMessage | undefined> {
  const { events } = await readEvents(response)
  const chunks = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const { chunk } of events) controller.enqueue(chunk as UIMessageChunk)
      controller.close()
    },
  })
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream: chunks })) last = message
  return last
}

async function foldOwn(chunks: AsyncIterable<Chunk> | Iterable<Chunk>): Promise<Message | undefined> {
  const fold = accumulate({ commentary: 'given', now: () => 0 })
  for await (const chunk of chunks) fold.push(chunk)
  return fold.message
}

/** What MUI X Chat shows of a stream of an adapter. */
async function readMui(adapter: ChatAdapter): Promise<UIMessage | undefined> {
  const store = new ChatStore()
  const { signal } = new AbortController()
  const stream = await adapter.reconnectToStream!({ signal })
  if (stream === null) return undefined
  await processStream(store, stream as never, { flushInterval: 0 })
  const parts = Object.values(store.state.messagesById).flatMap(message => message!.parts as unknown as MuiPart[])
  const toPart = ({ type, toolInvocation, ...rest }: MuiPart): object =>
    toolInvocation === undefined ? { type, ...rest } : { type: `tool-${toolInvocation.toolName}`, ...toolInvocation }
  return { id: 'm', role: 'assistant', parts: parts.map(toPart) } as unknown as UIMessage
}

interface MuiPart {
  type: string
  toolInvocation?: { toolName: string }
}

test('a server may die after any line of a log: each reader ends with what the document has', async () => {
  const images = await record()
  for (let count = 1; count < images.lines; count += share === 1 ? 1 : 3) {
    await checkDeath(images, count).catch((error: unknown) => {
      throw new Error(`A death after ${count} lines: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      })
    })
  }
})

async function checkDeath(images: CrashImages, count: number): Promise<void> {
  const { run } = images
  const hold = gate()
  const served = await images.open(count, next as never, { before: { before: () => hold.wait() } })
  const before = (await linesOf(served, run)).slice(0, count)
  // A page that is loaded while the run is about to be continued, and one that was connected when the process died.
  const reloaded = stockChat(url, 'chat', await historyOf(served), ask(served))
  const connected = brokenChat(served, before)
  await connected.chat.resumeStream()
  const early = [reloaded.chat.resumeStream(), connected.chat.resumeStream()]
  const mui = readMui(
    argotServerAdapter({ document: 'chat.chatmd', url: `${url}/`, fetch: ask(served), events: false }),
  )
  hold.open()
  await served.until(run, 'done')
  await Promise.all(early)
  const document = await documentOf(served)
  expect(shown(reloaded.chat.messages), 'reloaded').toEqual(document)
  expect(shown(connected.chat.messages), 'connected, resumed while it is written').toEqual(document)
  const late = brokenChat(served, before)
  await late.chat.resumeStream()
  await late.chat.resumeStream()
  expect(shown(late.chat.messages), 'connected, resumed after its end').toEqual(document)
  const muiMessage = await mui
  if (muiMessage !== undefined) expect(withUser(muiMessage), 'MUI X Chat').toEqual(document)
  for (const one of [reloaded, connected, late]) await one.validate()

  const path = `/api/runs/${run}/stream`
  expect(withUser(await readStock(await served.ask('GET', path))), 'the stock stream of a run').toEqual(document)
  const own = { 'x-argot-chunks': '1' }
  const whole = await readEvents(await served.ask('GET', path, undefined, own))
  expect(withUser(await foldOwn(whole.events.map(({ chunk }) => chunk))), 'own events').toEqual(document)
  const visible = before.filter(({ chunk }) => !chunk.type.startsWith('data-argot-'))
  const after = { ...own, 'last-event-id': String(visible.at(-1)!.o) }
  const rest = (await readEvents(await served.ask('GET', path, undefined, after))).events.map(({ chunk }) => chunk)
  const continued = await foldOwn([...visible.map(({ chunk }) => chunk), ...rest])
  expect(withUser(continued), 'own events, continued by offset').toEqual(document)
  const log = await served.get<LogLine[]>(`/api/runs/${run}/log`)
  expect(withUser(await foldOwn(log.map(({ chunk }) => chunk))), 'the log by offset').toEqual(document)
  const lines = await linesOf(served, run)
  expect(withUser(await foldOwn(replay(lines, { speed: Number.POSITIVE_INFINITY }))), 'replay').toEqual(document)

  const seams = new SeamFilter()
  const machine = log.filter(line => seams.keeps(line.chunk, line === log.at(-1)))
  expect(withUser(await foldOwn(replay(machine, { speed: Number.POSITIVE_INFINITY }))), 'time machine').toEqual(
    document,
  )
  const jsonl = lines.map(line => JSON.stringify(line)).join('\n')
  const { text: converted } = await convert(jsonl, { from: 'jsonl', to: 'ui-messages' })
  expect(shown([user, ...JSON.parse(converted)]), 'converted').toEqual(document)

  // A step that is made again has new part ids.
  const opened = lines.flatMap(({ chunk }) => (chunk.type === 'text-start' ? [chunk.id] : []))
  expect(new Set(opened).size, `text ids ${opened.join(' ')}`).toBe(opened.length)
  // A stock reader that has a part which was taken back can't continue by offset.
  const wasTakenBack = lines.some(({ chunk }) => chunk.type === 'reset-step')
  const stock = await served.ask('GET', path, undefined, { 'last-event-id': String(visible.at(-1)!.o) })
  const isMidStep = wasTakenBack && visible.at(-1)!.chunk.type !== 'start-step'
  expect(stock.status, `continued by offset, ${visible.at(-1)!.chunk.type}`).toBe(isMidStep ? 409 : 200)
  await stock.body?.cancel()
  await served.server.close()
}

async function historyOf(served: ServedFolder): Promise<UIMessage[]> {
  return (await served.get<{ messages: UIMessage[] }>('/api/documents/chat.chatmd/messages?format=ui')).messages
}

test('the client of Durable Streams folds to what the document has, from any offset', async () => {
  const images = await record()
  const served = await images.open(19, next as never)
  await served.until(images.run, 'done')
  const { url: address } = await listenAt(served)
  const lines: LogLine[] = []
  const response = await stream<LogLine>({
    url: `${address}/api/runs/${images.run}/log`,
    offset: '-1',
    live: 'sse',
    json: true,
  })
  await new Promise<void>(resolve => {
    response.subscribeJson(batch => {
      lines.push(...batch.items)
      if (batch.streamClosed) resolve()
    })
  })
  expect(withUser(await foldOwn(lines.map(({ chunk }) => chunk)))).toEqual(await documentOf(served))
})

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

test('a stock client that is connected while a step is taken back is sent away without `finish`, and resumes to one text', async () => {
  const first = gate()
  const second = gate()
  const served = await serveFolder(['Not JSON at all.', '{"name":"Oslo"}'], {
    files: { 'chat.chatmd': '<config output="city.json"/>\n', 'city.json': JSON.stringify(schema) },
    before: {
      before: (part, step) =>
        part.type === 'text-end' && step === 0 ? first.wait() : step === 1 ? second.wait() : undefined,
    },
  })
  const chat = stockChat(url, 'chat', [], ask(served))
  const sent = chat.chat.sendMessage({ text: 'A city?' })
  await first.reached
  const { runs } = await served.get<{ runs: { id: string }[] }>('/api/runs')
  const events = readEvents(await served.ask('GET', `/api/runs/${runs[0]!.id}/stream`))
  await expect.poll(() => JSON.stringify(chat.chat.messages)).toContain('at all')
  first.open()
  await sent
  expect([chat.chat.status, chat.chat.error?.message]).toEqual(['error', expect.stringContaining('written again')])
  const types = (await events).events.map(({ chunk }) => chunk.type)
  expect([(await events).isDone, types.at(-1), types.includes('finish')]).toEqual([false, 'error', false])
  await second.reached
  const mui = readMui(
    argotServerAdapter({ document: 'chat.chatmd', url: `${url}/`, fetch: ask(served), events: false }),
  )
  const resumed = chat.chat.resumeStream()
  second.open()
  await resumed
  expect(chat.chat.status).toBe('ready')
  const document = await documentOf(served)
  expect(JSON.stringify(document)).not.toContain('Not JSON')
  expect(shown(chat.chat.messages)).toEqual(document)
  expect(shown([chat.chat.messages[0]!, (await mui)!])).toEqual(document)
})

test('a run that was interrupted and then asks is resumed with its question', async () => {
  const save = { name: 'write_file', input: { path: 'b.txt', content: 'x' } }
  const asks = [...text('I write it.'), ...call('w1', save.name, save.input), finish('tool-calls')]
  const images = await recordCrashes([asks], {
    input: 'Write.',
    files: { 'chat.chatmd': '<config show_tool_call/>\n<tool name="write_file"/>\n\n' },
  })
  const served = await images.open(5, [asks, 'Done.'])
  const lines = (await linesOf(served, images.run)).slice(0, 5)
  await served.until(images.run, 'waiting')
  const chat = brokenChat(served, lines)
  await chat.chat.resumeStream()
  await chat.chat.resumeStream()
  expect(shown(chat.chat.messages.slice(1))).toEqual(shown((await historyOf(served)).slice(1)))
  expect(chat.calls()[0]?.state).toBe('approval-requested')
  await chat.chat.addToolApprovalResponse({ id: chat.calls()[0]!.approval!.id, approved: true })
  await chat.says('Done.')
  expect(shown(chat.chat.messages.slice(1))).toEqual(shown((await historyOf(served)).slice(1)))
})
