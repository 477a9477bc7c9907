import type { ElementNode, Tree } from '@argot/core/chatmd/internal'
import { correctionType } from '@argot/core/stream/internal'
import { type Beginning, beginningOf } from '../store/marks.ts'
import type { ScannedLog, WrittenElement } from '../store/store.ts'
import { attributeOf, elementName, filesOf, topElements } from '../store/written-element.ts'
import type { ReplayedRun } from './replay-run.ts'
import type { RunElement } from './run-elements.ts'

/** A log that says what its run began with; one that does not has nothing else to say. */
export interface BegunLog extends ScannedLog {
  beginning: Beginning
  /** The time of its first line. */
  begunAt: number
}

/** The log as far as it can be used: what nobody vouches for is left out of one that somebody vouches for. */
export function toBegunLog(log: ScannedLog): BegunLog | undefined {
  const lines = log.believed > 0 ? first(log.lines, log.believed) : log.lines
  const beginning = beginningOf(lines)
  if (beginning === undefined) return undefined
  const [{ t: begunAt } = { t: 0 }] = lines
  return { ...log, lines, beginning, begunAt }
}

function first<Line>(lines: Iterable<Line>, count: number): Iterable<Line> {
  return {
    *[Symbol.iterator]() {
      let left = count
      for (const line of lines) {
        if (left-- <= 0) return
        yield line
      }
    },
  }
}

/** The log that the document may lack something of: the newest in whose place no other runs. */
export function currentLog(logs: readonly BegunLog[]): BegunLog | undefined {
  const replaced = new Set(logs.map(log => log.beginning.from))
  return logs
    .filter(log => !replaced.has(log.beginning.run))
    .sort((a, b) => a.begunAt - b.begunAt)
    .at(-1)
}

/** The size of a text in bytes, and its SHA-256: tells later whether a document still begins with it. */
export async function fingerprint(text: string): Promise<{ size: number; digest: string }> {
  const bytes = new TextEncoder().encode(text)
  return { size: bytes.length, digest: await digestOf(bytes) }
}

/** How many characters of the text the document had when the run began; undefined when it begins differently now. */
export async function lengthBefore(text: string, { size, digest }: Beginning): Promise<number | undefined> {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length < size) return undefined
  const before = bytes.subarray(0, size)
  if ((await digestOf(before)) !== digest) return undefined
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(before).length
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Where the elements start that come from chunks which the log does not have: a power failure can keep what was written
 * later and lose what was written before. The log is the truth, so the document ends there.
 */
export function findUnlogged(log: BegunLog, tree: Tree): number | undefined {
  return elementsOf(log, tree).find(node => offsetOf(node) >= log.next)?.start
}

/**
 * The elements that a run has written. It names itself with the first of them, and with the first after it was resumed; where
 * a person took that away, those after the last prompt are its own.
 */
function elementsOf({ beginning }: BegunLog, tree: Tree): ElementNode[] {
  const own: ElementNode[] = []
  let unnamed: ElementNode[] = []
  let current: string | undefined
  for (const node of topElements(tree)) {
    current = attributeOf(node, 'run') ?? current
    if (promptTags.has(node.name) && attributeOf(node, 'part') !== correctionType) {
      current = undefined
      unnamed = []
    }
    if (offsetOf(node) < 0) continue
    if (current === beginning.run) own.push(node)
    else if (current === undefined) unnamed.push(node)
  }
  return own.length === 0 ? unnamed : own
}

const promptTags: ReadonlySet<string> = new Set(['user', 'system', 'developer', 'msg'])

/** What the log of a run says that the document does not, and what both say. */
export interface Comparison {
  missing: RunElement[]
  present: WrittenElement[]
}

export function compareRun(log: BegunLog, run: ReplayedRun, tree: Tree): Comparison {
  const nodes = elementsOf(log, tree)
  const reached = nodes.reduce((most, node) => Math.max(most, offsetOf(node)), run.written)
  const there = new Map<string, ElementNode[]>()
  for (const node of nodes) {
    const name = nameAt(offsetOf(node), elementName(node))
    const same = there.get(name)
    if (same === undefined) there.set(name, [node])
    else same.push(node)
  }
  const missing: RunElement[] = []
  const present: WrittenElement[] = []
  for (const element of run.elements) {
    const offset = element.records.at(-1)?.offset ?? 0
    const node = there.get(nameAt(offset, element.name))?.shift()
    if (node !== undefined) present.push({ records: element.records, files: filesOf(node) })
    // Elements are appended in order: one that lacks before others was removed by a person.
    else if (offset >= reached) missing.push(element)
  }
  return { missing, present }
}

function offsetOf(node: ElementNode): number {
  const offset = attributeOf(node, 'offset') ?? ''
  return /^[0-9]{1,15}$/.test(offset) ? Number(offset) : -1
}

function nameAt(offset: number, name: string): string {
  return `${offset} ${name}`
}
