import { existsSync, readFileSync, renameSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ElementNode, type Tree, writeChatMd } from 'argot/chatmd'
import { digestOf } from './appended-document.ts'
import { createFile, type Disk } from './disk.ts'
import { recoveredFrom, replayRun } from './replay-run.ts'
import type { RunElement } from './run-elements.ts'
import { type Beginning, type BegunLog, hasBegun, type ReadLog } from './run-log-file.ts'
import type { Recovered } from './transcript.ts'
import { attributeOf, elementName, filesOf, topElements } from './written-element.ts'

/** What the log of a run says that the document does not. */
export interface Recovery {
  /** The elements to append. */
  missing: RunElement[]
  /** Those that are there, each with its node. */
  present: { element: RunElement; node: ElementNode }[]
  ended: boolean
  /** Undefined for a run that ended, unless it left a call open whose tool an earlier one had started. */
  recovered: Recovered | undefined
}

/**
 * The log that the document may lack something of: the newest in whose place no other runs. Logs of runs that never
 * said anything do not count.
 */
export function currentLog(logs: readonly ReadLog[]): BegunLog | undefined {
  const begun = logs.filter(hasBegun)
  const replaced = new Set(begun.map(log => log.beginning.from))
  return begun
    .filter(log => !replaced.has(log.beginning.run))
    .sort((a, b) => a.lines[0]!.t - b.lines[0]!.t)
    .at(-1)
}

/** True when the document still begins with what it was when the run began. */
export function isSameDocument(bytes: Uint8Array, { size, digest }: Beginning): boolean {
  return bytes.length >= size && digestOf(bytes.subarray(0, size)) === digest
}

/**
 * Where the elements start that come from chunks which the log does not have: a power failure can keep what was written
 * later and lose what was written before. The log is the truth, so the document ends there.
 */
export function findUnlogged(log: BegunLog, tree: Tree): number | undefined {
  return topElements(tree).find(node => isOfRun(node, log) && offsetOf(node) >= log.next)?.start
}

function isOfRun(node: ElementNode, { beginning }: BegunLog): boolean {
  return attributeOf(node, 'run') === beginning.run
}

/** Compares a log with the document. */
export function compareRun(folder: string, log: BegunLog, tree: Tree): Recovery {
  const nodes = topElements(tree).filter(node => isOfRun(node, log))
  const reached = nodes.reduce((most, node) => Math.max(most, offsetOf(node)), -1)
  const run = replayRun(log)
  const there = new Map<string, ElementNode[]>()
  for (const node of nodes) {
    const name = nameAt(offsetOf(node), elementName(node))
    const same = there.get(name)
    if (same === undefined) there.set(name, [node])
    else same.push(node)
  }
  const missing: RunElement[] = []
  const present: Recovery['present'] = []
  for (const element of run.elements) {
    const offset = element.records.at(-1)?.offset ?? 0
    const node = there.get(nameAt(offset, element.name))?.shift()
    if (node !== undefined) present.push({ element, node })
    // Elements are appended in order: one that lacks before others was removed by a person.
    else if (offset >= reached) missing.push(element)
  }
  const { ended } = run
  const recovered = recoveredFrom(folder, log, run)
  return { missing, present, ended, recovered: ended && recovered.started.size === 0 ? undefined : recovered }
}

function offsetOf(node: ElementNode): number {
  const offset = attributeOf(node, 'offset') ?? ''
  return /^[0-9]{1,15}$/.test(offset) ? Number(offset) : -1
}

function nameAt(offset: number, name: string): string {
  return `${offset} ${name}`
}

/**
 * Writes the files again that elements refer to and that are not there, or only in part: a power failure can keep the
 * reference and lose the file. Returns their paths.
 */
export function restorePayloads(
  disk: Disk,
  file: string,
  present: Recovery['present'],
  payloads: Beginning['payloads'],
): string[] {
  const restored: string[] = []
  for (const { element, node } of present) {
    const names = filesOf(node).filter(name => /^\.\/\.chatmd\/[0-9]+\.[a-z-]+\.[\w-]+\.json$/.test(name))
    if (names.length === 0) continue
    const { files } = writeChatMd(element.records, { payloads })
    for (const name of names) {
      const text = files.find(one => kindOf(one.path) === kindOf(name))?.text
      const path = join(dirname(file), name)
      if (text !== undefined && restoreFile(disk, path, text)) restored.push(path)
    }
  }
  return restored
}

function restoreFile(disk: Disk, path: string, text: string): boolean {
  if (existsSync(path)) {
    const found = readFileSync(path, 'utf8')
    if (found.length >= text.length || !text.startsWith(found)) return false
  }
  const draft = `${path}.tmp`
  if (existsSync(draft)) unlinkSync(draft)
  createFile(disk, draft, text)
  renameSync(draft, path)
  return true
}

/**
 *   ./.chatmd/3.tool-call.call_1.json
 *               ^
 */
function kindOf(path: string): string | undefined {
  return /\/[0-9]+\.([a-z-]+)\.[^/]*$/.exec(path)?.[1]
}
