import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CALLS = 50
const ROUNDS = 5

/** Operations on files by name, counted while `isCounting`. */
const operations = new Map<string, number>()
let isCounting = false
const names = [
  'openSync',
  'writeSync',
  'fsyncSync',
  'ftruncateSync',
  'renameSync',
  'readSync',
  'statSync',
  'fsync',
  'write',
  'open',
] as const
for (const name of names) {
  const original = fs[name] as (...args: unknown[]) => unknown
  ;(fs as unknown as Record<string, unknown>)[name] = (...args: unknown[]) => {
    if (isCounting) operations.set(name, (operations.get(name) ?? 0) + 1)
    return original(...args)
  }
}
syncBuiltinESMExports()

/** What a reader looks for in a written element; any other attribute is bookkeeping. */
const shown =
  /^(?:function_name|tool_call_id|type|state|encoding|provider_executed|part|name|id|approved\w*|approval_reason|src|local)$/

/** The bytes of bookkeeping in what a run wrote: attributes that no reader looks for, and elements that only keep books. */
export function countBookkeeping(written: string): number {
  let bytes = 0
  for (const [tag, name, rest] of written.matchAll(
    /^<(assistant|reasoning|tool_call|tool_response|user|developer)\b([^\n]*?)\/?>$/gm,
  )) {
    if (/ part="(?:end|step-start)"/.test(tag)) bytes += Buffer.byteLength(tag) + 1
    else
      for (const [attribute, key] of rest!.matchAll(/ ([\w-]+)(?:=(?:"[^"]*"|'[^']*'))?/g)) {
        const isOwn =
          shown.test(key!) &&
          !(name === 'assistant' && (key === 'id' || key === 'tool_call_id')) &&
          !(name === 'user' && key === 'id')
        if (!isOwn) bytes += Buffer.byteLength(attribute)
      }
  }
  return bytes
}

/** A coding run: reads, searches and edits, one call a step. */
async function play(): Promise<{ document: string; start: string; sidecar: string; cpu: number }> {
  const { runDocument, defineTool } = await import('@argot/agent')
  const folder = mkdtempSync(join(tmpdir(), 'argot-bench-'))
  const file = join(folder, 'chat.chatmd')
  const start = '<config show_tool_call/>\n<tool name="edit"/>\n\n<user>\nGo.\n</user>\n'
  writeFileSync(file, start)
  let step = 0
  const part = (value: unknown): never => value as never
  const model = {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    async doStream() {
      const number = step++
      const usage = { inputTokens: { total: 100 }, outputTokens: { total: 20 } }
      const words = `I change line ${number} of the file, because the test names it.`
      const said = [
        { type: 'text-start', id: 't' },
        ...words.split(' ').map(word => ({ type: 'text-delta', id: 't', delta: `${word} ` })),
        { type: 'text-end', id: 't' },
      ]
      const input = JSON.stringify({ path: `src/file-${number}.ts`, from: 'const a = 1', to: `const a = ${number}` })
      const call = { type: 'tool-call', toolCallId: `toolu_${number}`, toolName: 'edit', input }
      const isLast = number >= CALLS
      const finish = { type: 'finish', finishReason: { unified: isLast ? 'stop' : 'tool-calls' }, usage }
      const parts = isLast ? [...said, finish] : [...said, call, finish]
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const one of parts) controller.enqueue(part(one))
            controller.close()
          },
        }),
      }
    },
  }
  const edit = defineTool({
    name: 'edit',
    description: 'Edits a file.',
    effect: 'read',
    inputSchema: { type: 'object' } as never,
    execute: () => 'The file was changed.\n+1 −1\n',
  })
  const before = process.cpuUsage()
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), maxSteps: 200 }
  const run = runDocument('chat.chatmd', { ...options, model: part(model), tools: [edit] as never })
  for await (const _ of run);
  const { user, system } = process.cpuUsage(before)
  const result = await run.result
  if (result.status !== 'done') throw new Error(JSON.stringify(result))
  const document = readFileSync(file, 'utf8')
  const path = join(folder, '.chatmd/sidecars/chat.chatmd.jsonl')
  const sidecar = fs.existsSync(path) ? readFileSync(path, 'utf8') : ''
  rmSync(folder, { recursive: true })
  return { document, start, sidecar, cpu: (user + system) / 1000 }
}

/** What quiet documents cost and leave out: a run of fifty calls, played several times. */
export async function run(): Promise<boolean> {
  const first = await play()
  isCounting = true
  const second = await play()
  isCounting = false
  const [a, b] = [first, second].map(({ document }) => document.split('\n'))
  const differing = a!.filter((line, index) => line !== b![index]).length
  const times = []
  for (let round = 0; round < ROUNDS; round++) times.push((await play()).cpu)
  const written = first.document.slice(first.start.length)
  const books = countBookkeeping(written)
  const steps = CALLS + 1
  const perStep = (count: number): string => (count / steps).toFixed(2)
  console.log(`a run of ${CALLS} calls, ${Buffer.byteLength(written)} bytes written`)
  console.log(`bookkeeping: ${books} bytes, ${((100 * books) / Buffer.byteLength(written)).toFixed(1)} %`)
  console.log(`lines that differ between two runs: ${differing} of ${a!.length}`)
  console.log(`CPU per step: ${perStep(Math.min(...times))} ms (least of ${ROUNDS})`)
  console.log(`sidecar records per step: ${perStep(Math.max(0, first.sidecar.trim().split('\n').length - 1))}`)
  console.log(
    `file operations per step: ${[...operations].map(([name, count]) => `${name} ${perStep(count)}`).join(', ')}`,
  )
  return books === 0 && differing === 0
}

if (process.argv[1]?.endsWith('quiet.ts')) await run()
