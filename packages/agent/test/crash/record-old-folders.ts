import fs, { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as agent from '@argot/agent'
import { scriptedModel } from '../scripted-model.ts'
import {
  continueFolder,
  documentName,
  firstTime,
  foldTexts,
  makeOldFolder,
  type OldFolder,
  type Operation,
  oldOptions,
  oldTools,
  type Point,
  quickFolder,
} from './old-folders.ts'
import { type OldRun, type OldScenario, oldScenarios } from './old-scenarios.ts'

/*
 * Wrote `fixtures/crash/*.json`, the folders that `old-folders.test.ts` reads. They are the truth of commit f98f5b5, and
 * only there does this program run:
 *
 *     npx tsx --conditions=@argot/source packages/agent/test/crash/record-old-folders.ts
 *
 * A file that is there is never written again.
 */
const fixtures = fileURLToPath(new URL('../../../../fixtures/crash', import.meta.url))

/** The kinds of log lines and elements that were cut at every byte. */
const seen = new Set<string>()

/** `openTranscript` of that commit. */
const { openTranscript } = agent as unknown as {
  openTranscript: (file: string, options: { now: () => number }) => Promise<{ source: string; close(): Promise<void> }>
}

const { openSync, writeSync, ftruncateSync } = fs
let watched: { folder: string; operations: Operation[] } | undefined
const paths = new Map<number, string>()

/** The path of a file below the watched folder; undefined for others and for the locks. */
function watchedPath(path: string): string | undefined {
  if (watched === undefined) return undefined
  const name = relative(watched.folder, path)
  return name.startsWith('..') || name.startsWith('.chatmd/locks') ? undefined : name
}

function watchDisk(): void {
  const own = fs as unknown as Record<string, (...args: never[]) => unknown>
  own.openSync = (path: string, flags: string | number, mode?: number) => {
    const isNew = !existsSync(path)
    const fd = openSync(path, flags, mode)
    const name = watchedPath(path)
    if (name === undefined) paths.delete(fd)
    else {
      paths.set(fd, name)
      if (isNew) watched!.operations.push(['create', name])
    }
    return fd
  }
  own.writeSync = (fd: number, bytes: Uint8Array, ...rest: []) => {
    const name = paths.get(fd)
    if (name !== undefined) watched?.operations.push(['append', name, Buffer.from(bytes).toString('utf8')])
    return writeSync(fd, bytes, ...rest)
  }
  own.ftruncateSync = (fd: number, size: number) => {
    const name = paths.get(fd)
    if (name !== undefined) watched?.operations.push(['truncate', name, size])
    ftruncateSync(fd, size)
  }
  for (const name of ['renameSync', 'unlinkSync', 'appendFileSync', 'writeFileSync']) {
    const operation = own[name]!
    own[name] = (...args) => {
      const [path] = args as unknown as [unknown]
      if (typeof path === 'string' && watchedPath(path) !== undefined) throw new Error(`${name} is not recorded.`)
      return operation(...args)
    }
  }
  syncBuiltinESMExports()
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = fs.realpathSync(fs.mkdtempSync(join(quickFolder(), 'argot-old-')))
  try {
    return await work(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function recordOperations({ inline, runs }: OldScenario): Promise<OldFolder> {
  const config = inline === true ? '<config show_tool_call/>\n' : ''
  const document = `${config}<tool name="look"/>\n<tool name="change"/>\n\n<user>\nDo it — naïve 🙂.\n</user>\n`
  const old: OldFolder = { document, operations: [], documents: [], nexts: [], points: [] }
  for (const [index, run] of runs.entries()) {
    const made = await recordRun(old, run, index)
    const last =
      run.until === undefined ? -1 : made.findIndex(one => one[0] === 'append' && one[2].includes(run.until!))
    if (run.until !== undefined && last < 0) throw new Error(`Nothing writes ${run.until}.`)
    old.operations.push(...(last < 0 ? made : made.slice(0, last + 1)))
  }
  return old
}

function recordRun(old: OldFolder, { steps, ask, input, until }: OldRun, index: number): Promise<Operation[]> {
  return inFolder(async folder => {
    makeOldFolder(folder, old, old.operations.length, 0)
    let running = 0
    const model = scriptedModel(steps, {
      // The tools that only read are done before the model is.
      async before({ type }) {
        for (let turn = 0; type === 'finish' && (running > 0 || turn < 20); turn++) await new Promise(setImmediate)
      },
    })
    const tools = oldTools(async () => {
      running++
      await new Promise(setImmediate)
      running--
    })
    const operations: Operation[] = []
    watched = { folder, operations }
    const options = { ...oldOptions(folder, firstTime + index * 60_000), id: `run-${index + 1}`, model, tools }
    const asking = { ...(ask === undefined ? {} : { ask }), ...(input === undefined ? {} : { input }) }
    const { status } = await agent.runDocument(documentName, { ...options, ...asking }).result
    watched = undefined
    if (until === undefined && status !== 'done' && status !== 'parked') throw new Error(`The run is ${status}.`)
    return operations
  })
}

/** The places at which one write is cut. */
function cutsOf(operation: Operation | undefined): number[] {
  if (operation?.[0] !== 'append') return []
  const [, path, text] = operation
  const size = Buffer.byteLength(text)
  const cuts = new Set([1, size >> 1, size - 1])
  for (const [kind, from, to] of piecesOf(path, text)) {
    if (seen.has(kind)) continue
    seen.add(kind)
    for (let at = Math.max(from, 1); at <= Math.min(to, size - 1); at++) cuts.add(at)
  }
  return [...cuts].filter(at => at > 0 && at < size).sort((a, b) => a - b)
}

/** The lines of a log and the elements of a document, each with what it is in a word and its first and last byte. */
function piecesOf(path: string, text: string): [kind: string, from: number, to: number][] {
  if (path !== documentName) {
    const what = path.endsWith('.jsonl')
      ? [...text.matchAll(/"chunk":\{"type":"([^"]*)"/g)].map(one => one[1])
      : ['payload']
    return [[what.join(' '), 0, Buffer.byteLength(text)]]
  }
  const starts = [...text.matchAll(/^<([a-z_]+)(?=[ >])(?:.*? (part="[a-z-]*"))?.*\n(RAW\||<doc)?/gm)]
  return starts.map((one, index) => {
    const end = starts[index + 1]?.index ?? text.length
    const kind = one.slice(1).join(' ')
    return [kind, Buffer.byteLength(text.slice(0, one.index)), Buffer.byteLength(text.slice(0, end))]
  })
}

async function recordScenario(scenario: OldScenario): Promise<OldFolder> {
  const old = await recordOperations(scenario)
  const documents = new Map<string, number>()
  const nexts = new Map<string, number>()
  const indexOf = (texts: Map<string, number>, text: string): number => {
    if (!texts.has(text)) texts.set(text, texts.size)
    return texts.get(text)!
  }
  for (let done = 0; done <= old.operations.length; done++) {
    for (const bytes of [0, ...cutsOf(old.operations[done])]) {
      const document = await inFolder(async folder => {
        makeOldFolder(folder, old, done, bytes)
        const transcript = await openTranscript(join(folder, documentName), { now: () => firstTime + 3_600_000 })
        await transcript.close()
        return transcript.source
      })
      const next = await inFolder(async folder => {
        makeOldFolder(folder, old, done, bytes)
        return (await continueFolder(folder)).next
      })
      addPoint(old.points, [done, bytes, bytes, indexOf(documents, document), indexOf(nexts, JSON.stringify(next))])
    }
  }
  return { ...old, documents: foldTexts([...documents.keys()]), nexts: foldTexts([...nexts.keys()]) }
}

/** Cuts side by side that come to the same are one. */
function addPoint(points: Point[], point: Point): void {
  const before = points.at(-1)
  const [done, first, , document, next] = point
  if (before?.[0] === done && before[2] === first - 1 && before[3] === document && before[4] === next) before[2] = first
  else points.push(point)
}

function format(old: OldFolder): string {
  const lists = Object.entries(old).map(([name, value]) => {
    if (typeof value === 'string') return `"${name}": ${JSON.stringify(value)}`
    const rows = (value as unknown[]).map(row => JSON.stringify(row))
    return name === 'points' ? `"${name}": [${rows.join(', ')}]` : `"${name}": [\n${rows.join(',\n')}\n]`
  })
  return `{\n${lists.join(',\n')}\n}\n`
}

fs.mkdirSync(fixtures, { recursive: true })
watchDisk()
for (const [name, scenario] of Object.entries(oldScenarios)) {
  const start = performance.now()
  const old = await recordScenario(scenario)
  const count = old.points.reduce((sum, [, first, last]) => sum + last - first + 1, 0)
  fs.writeFileSync(join(fixtures, `${name}.json`), format(old), { flag: 'wx' })
  process.stdout.write(
    `${name}: ${old.operations.length} operations, ${count} folders, ${Math.round(performance.now() - start)} ms\n`,
  )
}
