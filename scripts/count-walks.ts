import fs from 'node:fs'
import promises, { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { defineTool, folderStore, runDocument } from '@argot/agent'
import { argotServerAdapter, ChatStore } from '@argot/react'
import { createServer } from '@argot/server'

/*
 * Measures the cost of one streamed delta, one approval click, and one document from its file to the first prompt, in
 * functions, calls and files (V8's precise coverage), and how often a click opens the run's log, inbox and lock. The
 * model, the server and the page's store run in this process:
 *
 *   npx tsx --conditions=@argot/source scripts/count-walks.ts
 */

const DELTAS = 1000

const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-walks-')))
const docs = join(folder, 'docs')
await mkdir(docs, { recursive: true })

/** Every file that is opened, with any function that the store uses. */
const openedFiles: string[] = []

function recordOpens(module: object, name: string): void {
  const real = (module as Record<string, (...args: unknown[]) => unknown>)[name]!
  Object.assign(module, {
    [name](...args: unknown[]) {
      const [path, flags = 'r'] = args
      if (typeof path === 'string') openedFiles.push(`${name} ${name.startsWith('open') ? String(flags) : 'r'} ${path}`)
      return real.apply(module, args)
    },
  })
}

for (const name of ['openSync', 'readFileSync']) recordOpens(fs, name)
for (const name of ['open', 'readFile']) recordOpens(promises, name)
syncBuiltinESMExports()

let continueAnswer = (): void => {}
let release = (): void => {}
let reached = (): void => {}
const gates = {
  until: new Promise<void>(resolve => (release = resolve)),
  at: new Promise<void>(resolve => (reached = resolve)),
}

async function* writeValue(): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'text-start', id: '0' }
  yield { type: 'text-delta', id: '0', delta: '^^^save\ntext ---\n' }
  for (let index = 0; index < 100; index++) yield { type: 'text-delta', id: '0', delta: `word ${index} ` }
  reached()
  await gates.until
  for (let index = 0; index < DELTAS; index++) {
    yield { type: 'text-delta', id: '0', delta: `word ${index} ` }
    if (index % 10 === 0) await new Promise(resolve => setTimeout(resolve, 1))
  }
  yield { type: 'text-delta', id: '0', delta: '\n--- text\n^^^\n' }
  yield { type: 'text-end', id: '0' }
  yield finish('tool-calls')
}

async function* callTool(): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'text-start', id: '0' }
  yield { type: 'text-delta', id: '0', delta: '^^^save\ntext ---\nA line.\n--- text\n^^^\n' }
  yield { type: 'text-end', id: '0' }
  yield finish('tool-calls')
}

/** The next reply is not part of the click. */
async function* writeAnswer(): AsyncGenerator<LanguageModelV3StreamPart> {
  await new Promise<void>(resolve => {
    continueAnswer = resolve
  })
  yield { type: 'text-start', id: '1' }
  yield { type: 'text-delta', id: '1', delta: 'Done.' }
  yield { type: 'text-end', id: '1' }
  yield finish('stop')
}

function finish(unified: 'stop' | 'tool-calls'): LanguageModelV3StreamPart {
  const tokens = { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined }
  const usage = { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: undefined } }
  return { type: 'finish', finishReason: { unified, raw: unified }, usage }
}

async function* writeShortAnswer(): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'text-start', id: '0' }
  yield { type: 'text-delta', id: '0', delta: 'Read.' }
  yield { type: 'text-end', id: '0' }
  yield finish('stop')
}

const scripts = [writeValue, callTool, writeAnswer, writeShortAnswer, writeShortAnswer]
/** Called with every prompt. */
let onPrompt: () => Promise<void> = async () => {}
const model: LanguageModelV3 = {
  specificationVersion: 'v3',
  provider: 'walks',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('It only streams.')),
  doStream: async () => {
    await onPrompt()
    const parts = scripts.shift()!()
    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
    })
    return { stream }
  },
}
const save = defineTool<{ text: string }>({
  name: 'save',
  description: 'Saves.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: () => 'Saved.',
})

for (const name of ['delta.chatmd', 'click.chatmd']) {
  await writeFile(join(docs, name), '<config show_tool_call tool_syntax="caret"/>\n<tool name="save"/>\n\n')
}
const server = createServer({
  store: folderStore(docs, { key: Buffer.alloc(32, 7) }),
  stateFolder: join(folder, 'state'),
  run: { model, tools: [save], env: {}, cwd: docs, configFolder: join(folder, 'config') },
})
const requests: string[] = []

function openChat(document: string): ChatStore {
  const adapter = argotServerAdapter({
    document,
    url: 'http://127.0.0.1:4176/',
    events: false,
    fetch(input, init) {
      requests.push(`${init?.method ?? 'GET'} ${String(input)}`)
      return server.fetch(new Request(input, init))
    },
  })
  return new ChatStore({ adapter, conversationId: document, streamFlushInterval: 16 })
}

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

interface Cost {
  functions: number
  calls: number
  files: number
}

/** Our packages' functions that were called since the last time, at least `least` times each. */
async function takeCoverage(least = 1): Promise<Cost> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const cost = { functions: 0, calls: 0, files: 0 }
  for (const { url, functions } of result) {
    if (!url.includes('/packages/')) continue
    const counts = functions.flatMap(({ ranges }) => (ranges[0]!.count >= least ? [ranges[0]!.count] : []))
    if (counts.length === 0) continue
    cost.files++
    cost.functions += counts.length
    cost.calls += counts.reduce((sum, recordOpens) => sum + recordOpens, 0)
  }
  return cost
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 2))
}

const deltaChat = openChat('delta.chatmd')
void deltaChat.send({ text: 'Save it.' })
await gates.at
await until(() => JSON.stringify(deltaChat.conversation.messages().at(-1)?.parts ?? []).includes('word 99 '))
await takeCoverage()
release()
await until(() => deltaChat.conversation.pending.get().length === 1)
const delta = await takeCoverage(DELTAS / 2)
console.log(`one delta: ${delta.functions} functions, ${(delta.calls / DELTAS).toFixed(0)} calls, ${delta.files} files`)

const clickChat = openChat('click.chatmd')
void clickChat.send({ text: 'Save it.' })
await until(() => clickChat.conversation.pending.get().length === 1)
// Background work of the server ends.
await new Promise(resolve => setTimeout(resolve, 500))
await takeCoverage()
openedFiles.length = 0
requests.length = 0
const { callKey } = clickChat.conversation.pending.get()[0]!
// The run doesn't wait for the page, so a click ends when both are there: the output in the page, and the next prompt.
let hasPrompt = false
onPrompt = async () => {
  hasPrompt = true
}
await clickChat.answer(callKey, { approved: true })
await until(() => hasPrompt && clickChat.conversation.call(callKey)?.state === 'output-available')
const click = await takeCoverage()
continueAnswer()
const countOpened = (pattern: RegExp): number => openedFiles.filter(path => pattern.test(path)).length
console.log(
  `one click: ${click.functions} functions, ${click.calls} calls, ${click.files} files, ${requests.length} requests`,
)
const log = countOpened(/ r .*\/runs\/.*\.jsonl$/)
const inbox = countOpened(/ r .*\/inbox\/.*\.jsonl$/)
const lock = countOpened(/ \d+ .*\.lock$/)
console.log(`  reads: log ${log}, inbox ${inbox}, lock ${lock}; ${openedFiles.length} files opened in all`)
if (process.argv.includes('--files')) console.log(openedFiles.join('\n'))
await server.close()

// The first of two runs loads the modules that only a run outside the server needs, and isn't counted.
for (const name of ['first.chatmd', 'second.chatmd']) {
  const file = join(docs, name)
  await writeFile(file, '<tool name="read_file"/>\n<tool name="write_file"/>\n<user>\nRead it.\n</user>\n')
  await takeCoverage()
  let cost: Cost | undefined
  onPrompt = async () => {
    cost = await takeCoverage()
  }
  await runDocument(file, { model, env: {}, cwd: docs, configFolder: join(folder, 'config') }).result
  if (name === 'first.chatmd') continue
  console.log(`one document: ${cost!.functions} functions, ${cost!.calls} calls, ${cost!.files} files`)
}
await rm(folder, { recursive: true, force: true })
process.exit(0)
