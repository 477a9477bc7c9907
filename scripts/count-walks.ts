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
 * Counts what one streamed delta, one approval click, and one document from its file to the first prompt cost, in functions,
 * calls and files (V8's precise coverage), and how often a click opens the run's log, inbox and lock. The model, the server
 * and the page's store run in this process:
 *
 *   npx tsx --conditions=@argot/source scripts/count-walks.ts
 */

const DELTAS = 1000

const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-walks-')))
const docs = join(folder, 'docs')
await mkdir(docs, { recursive: true })

/** Every file that is opened, by any of the ways that the store uses. */
const opened: string[] = []

function count(module: object, name: string): void {
  const real = (module as Record<string, (...args: unknown[]) => unknown>)[name]!
  Object.assign(module, {
    [name](...args: unknown[]) {
      const [path, flags = 'r'] = args
      if (typeof path === 'string') opened.push(`${name} ${name.startsWith('open') ? String(flags) : 'r'} ${path}`)
      return real.apply(module, args)
    },
  })
}

for (const name of ['openSync', 'readFileSync']) count(fs, name)
for (const name of ['open', 'readFile']) count(promises, name)
syncBuiltinESMExports()

let counted = (): void => {}
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

async function* saveIt(): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'text-start', id: '0' }
  yield { type: 'text-delta', id: '0', delta: '^^^save\ntext ---\nA line.\n--- text\n^^^\n' }
  yield { type: 'text-end', id: '0' }
  yield finish('tool-calls')
}

/** The next reply is not part of the click. */
async function* answerIt(): AsyncGenerator<LanguageModelV3StreamPart> {
  await new Promise<void>(resolve => {
    counted = resolve
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

async function* sayIt(): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'text-start', id: '0' }
  yield { type: 'text-delta', id: '0', delta: 'Read.' }
  yield { type: 'text-end', id: '0' }
  yield finish('stop')
}

const scripts = [writeValue, saveIt, answerIt, sayIt, sayIt]
/** Called with every prompt. */
let asked: () => Promise<void> = async () => {}
const model: LanguageModelV3 = {
  specificationVersion: 'v3',
  provider: 'walks',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('It only streams.')),
  doStream: async () => {
    await asked()
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

interface Walk {
  functions: number
  calls: number
  files: number
}

/** What ran since the last look, in our packages. */
async function look(least = 1): Promise<Walk> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const walk = { functions: 0, calls: 0, files: 0 }
  for (const { url, functions } of result) {
    if (!url.includes('/packages/')) continue
    const counts = functions.flatMap(({ ranges }) => (ranges[0]!.count >= least ? [ranges[0]!.count] : []))
    if (counts.length === 0) continue
    walk.files++
    walk.functions += counts.length
    walk.calls += counts.reduce((sum, count) => sum + count, 0)
  }
  return walk
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 2))
}

const writing = openChat('delta.chatmd')
void writing.send({ text: 'Save it.' })
await gates.at
await until(() => JSON.stringify(writing.conversation.messages().at(-1)?.parts ?? []).includes('word 99 '))
await look()
release()
await until(() => writing.conversation.pending.get().length === 1)
const delta = await look(DELTAS / 2)
console.log(`one delta: ${delta.functions} functions, ${(delta.calls / DELTAS).toFixed(0)} calls, ${delta.files} files`)

const store = openChat('click.chatmd')
void store.send({ text: 'Save it.' })
await until(() => store.conversation.pending.get().length === 1)
// The background of the server comes to rest.
await new Promise(resolve => setTimeout(resolve, 500))
await look()
opened.length = 0
requests.length = 0
const { callKey } = store.conversation.pending.get()[0]!
// The run doesn't wait for the page, so the end is when both are there: the output in the page, and the next prompt.
let isAsked = false
asked = async () => {
  isAsked = true
}
await store.answer(callKey, { approved: true })
await until(() => isAsked && store.conversation.call(callKey)?.state === 'output-available')
const click = await look()
counted()
const times = (pattern: RegExp): number => opened.filter(path => pattern.test(path)).length
console.log(
  `one click: ${click.functions} functions, ${click.calls} calls, ${click.files} files, ${requests.length} requests`,
)
const log = times(/ r .*\/runs\/.*\.jsonl$/)
const inbox = times(/ r .*\/inbox\/.*\.jsonl$/)
const lock = times(/ \d+ .*\.lock$/)
console.log(`  reads: log ${log}, inbox ${inbox}, lock ${lock}; ${opened.length} files opened in all`)
if (process.argv.includes('--files')) console.log(opened.join('\n'))
await server.close()

// The first of two runs loads the modules that only a run outside the server needs, and isn't counted.
for (const name of ['first.chatmd', 'second.chatmd']) {
  const file = join(docs, name)
  await writeFile(file, '<tool name="read_file"/>\n<tool name="write_file"/>\n<user>\nRead it.\n</user>\n')
  await look()
  let walk: Walk | undefined
  asked = async () => {
    walk = await look()
  }
  await runDocument(file, { model, env: {}, cwd: docs, configFolder: join(folder, 'config') }).result
  if (name === 'first.chatmd') continue
  console.log(`one document: ${walk!.functions} functions, ${walk!.calls} calls, ${walk!.files} files`)
}
await rm(folder, { recursive: true, force: true })
process.exit(0)
