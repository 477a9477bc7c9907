import { defineTool } from '@argot/agent'
import { expect, test } from 'vitest'
import { call, finish, text } from '../../../agent/test/scripted-model.ts'
import { type ServedFolder, serveFolder } from '../served-folder.ts'
import { type Gate, gate } from './gate.ts'
import { history, listenAt, type StockChat, shown, stockChat, textOf } from './stock-chat.ts'

const save = defineTool<{ text: string }>({
  name: 'save',
  description: 'Saves.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => `Saved ${text}.`,
})
const files = { 'chat.chatmd': '<config show_tool_call/>\n<tool name="save"/>\n\n' }
const saves = [...text('I save it now.'), ...call('c1', 'save', { text: 'x' }), finish('tool-calls')]

interface Held {
  served: ServedFolder
  url: string
  first: StockChat
  sent: Promise<void>
  /** The place in the model's first words at which it is held up. */
  middle: Gate
}

/** A chat whose run is in the middle of its first words. */
async function holdChat(): Promise<Held> {
  const middle = gate()
  const served = await serveFolder([saves, 'It is saved.'], {
    files,
    tools: [save],
    before: {
      before: (part, step) =>
        step === 0 && part.type === 'text-delta' && part.delta.startsWith('now') ? middle.wait() : undefined,
    },
  })
  const { url } = await listenAt(served)
  const first = stockChat(url, 'chat')
  const sent = first.chat.sendMessage({ text: 'Save it.' })
  await middle.reached
  return { served, url, first, sent, middle }
}

async function approve({ chat, calls, says }: StockChat): Promise<void> {
  await chat.addToolApprovalResponse({ id: calls()[0]!.approval!.id, approved: true })
  await says('It is saved.')
}

/** The page has what the document has, and had nothing twice at any moment. */
async function checkPage(url: string, { chat, validate }: StockChat): Promise<void> {
  await validate()
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(shown(await history(url, 'chat.chatmd'))).toEqual(shown(chat.messages))
}

test('a page that resumes a run which then asks gets the question, its stream ends, and it answers', async () => {
  const { url, sent, middle } = await holdChat()
  const second = stockChat(url, 'chat', await history(url, 'chat.chatmd'))
  const resumed = second.chat.resumeStream()
  await expect.poll(() => textOf(second.chat.messages.at(-1))).toContain('I save')
  middle.open()
  await Promise.all([sent, resumed])
  expect([second.chat.status, second.calls()[0]?.state]).toEqual(['ready', 'approval-requested'])
  await approve(second)
  await checkPage(url, second)
})

test('a run that asks between the history of a page and its stream is shown with its question', async () => {
  const { url, sent, middle } = await holdChat()
  const second = stockChat(url, 'chat', await history(url, 'chat.chatmd'))
  middle.open()
  await sent
  await second.chat.resumeStream()
  expect(second.calls()[0]?.state).toBe('approval-requested')
  await approve(second)
  await checkPage(url, second)
})

test('a run that ends between the history of a page and its stream is shown once, however often the page asks', async () => {
  const { url, first, sent, middle } = await holdChat()
  const second = stockChat(url, 'chat', await history(url, 'chat.chatmd'))
  middle.open()
  await sent
  await approve(first)
  await second.chat.resumeStream()
  await checkPage(url, second)
  await second.chat.resumeStream()
  await checkPage(url, second)
})

test('a question that another page answers between the history of a page and its stream is shown with what it led to', async () => {
  const { url, first, sent, middle } = await holdChat()
  middle.open()
  await sent
  const second = stockChat(url, 'chat', await history(url, 'chat.chatmd'))
  expect(second.calls()[0]?.state).toBe('approval-requested')
  await approve(first)
  await second.chat.resumeStream()
  await checkPage(url, second)
})

test('a history that is whole is followed by no stream', async () => {
  const { served, url, first, sent, middle } = await holdChat()
  await history(url, 'chat.chatmd')
  middle.open()
  await sent
  await approve(first)
  await history(url, 'chat.chatmd')
  expect((await served.ask('GET', '/api/chat/chat/stream')).status).toBe(204)
  expect((await fetch(`${url}/api/chat/chat/stream`)).status).toBe(204)
})
