import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { defineTool, folderStore } from '@argot/agent'
import { matchDocument, readRecords } from '@argot/agent/internal'
import { accumulate, fromUIMessage, isToolPart, type Message, toUIMessage } from '@argot/core'
import { expand, parseChatMd } from '@argot/core/chatmd'
import { messageToChunks } from '@argot/core/stream'
import type { ToolApproval } from '@argot/core/stream/internal'
import { argotServerAdapter, ChatStore } from '@argot/react'
import { createServer } from '@argot/server'
import { call, finish, scriptedModel } from '../../packages/agent/test/scripted-model.ts'

/**
 * A program, run in a copy of the sources: sends an answer with a field `planted` from a page's store to a real server,
 * and prints the document and what each reader of the answer has of it.
 */
const folder = await mkdtemp(join(tmpdir(), 'argot-answer-'))
const document = join(folder, 'chat.chatmd')
await writeFile(document, '<config show_tool_call/>\n<tool name="save"/>\n\n')
const save = defineTool({
  name: 'save',
  description: 'Saves.',
  inputSchema: { type: 'object' },
  execute: () => 'Saved.',
})
const model = scriptedModel([[...call('c1', 'save', {}), finish('tool-calls')], 'Done.'])
const server = createServer({
  store: folderStore(folder, { key: Buffer.alloc(32, 7) }),
  stateFolder: join(folder, 'state'),
  run: { model, tools: [save], env: {}, cwd: folder, configFolder: join(folder, 'config') },
})
const url = 'http://127.0.0.1:4176/'
const send = ((input: RequestInfo | URL, init?: RequestInit) => server.fetch(new Request(input, init))) as typeof fetch

function openPage(): ChatStore {
  const adapter = argotServerAdapter({ document: 'chat.chatmd', url, events: false, fetch: send })
  return new ChatStore({ adapter, conversationId: 'chat.chatmd', streamFlushInterval: 1 })
}

async function until<Value>(look: () => Value | undefined | Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

function approvalIn(message: Message | undefined): ToolApproval | undefined {
  return message?.parts.find(isToolPart)?.toolInvocation.approval
}

const page = openPage()
const other = openPage()
void page.send({ text: 'Save it.' })
const { callKey } = await until(() => page.conversation.pending.get()[0])
void other.join()
await until(() => other.conversation.pending.get()[0])
const answer: object = { approved: true, reason: 'Yes.', always: true, planted: 'p' }
await page.answer(callKey, answer as { approved: true })
await other.answer(callKey, { approved: false })
const late = other.conversation.call(callKey)?.approval
await until(() => (page.conversation.messages().at(-1)?.status === 'sent' ? true : undefined))
const shown = page.conversation.messages().at(-1)!
const source = await until(async () => {
  const text = await readFile(document, 'utf8')
  return text.includes('Done.') ? text : undefined
})
const { document: parsed } = parseChatMd(source)
const { messages } = await expand(parsed, {
  records: matchDocument(parsed.tree, await readRecords(folderStore(dirname(document)), basename(document))),
  resolver: { read: () => Promise.reject(new Error()) } as never,
})
const written = messages.map(({ message }) => message).find(message => approvalIn(message) !== undefined)!
const fold = accumulate()
for (const chunk of messageToChunks(written)) fold.push(chunk)
const readers = {
  page: approvalIn(shown),
  'the page that answered too late': late,
  document: approvalIn(written),
  'replayed chunks': approvalIn(fold.message),
  'a message of the AI SDK': approvalIn(fromUIMessage(toUIMessage(written))),
}
process.stdout.write(JSON.stringify({ source, readers }))
await server.close()
await rm(folder, { recursive: true, force: true })
process.exit(0)
