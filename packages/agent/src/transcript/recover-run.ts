import type { ElementNode, MatchedRecords, Tree } from '@argot/core/chatmd/internal'
import { findBeginning, type RunBeginning } from '../store/marks.ts'
import { mapPlaces } from '../store/pair-up.ts'
import type { ScannedLog, WrittenElement } from '../store/store.ts'
import { elementName, getReferencedFiles, topElements, writtenElements } from '../store/written-element.ts'
import type { ReplayedRun } from './replay-run.ts'
import type { RunElement } from './run-elements.ts'

/** A log that records what its run began with. Other logs are of no use. */
export interface BegunLog extends ScannedLog {
  beginning: RunBeginning
  begunAt: number
}

/** The usable part of a log: if some of its lines are trusted, the untrusted ones are left out. */
export function toBegunLog(log: ScannedLog): BegunLog | undefined {
  const lines = log.believed > 0 ? firstLines(log.lines, log.believed) : log.lines
  const beginning = findBeginning(lines)
  if (beginning === undefined) return undefined
  const [{ t: begunAt } = { t: 0 }] = lines
  return { ...log, lines, beginning, begunAt }
}

function firstLines<Line>(lines: Iterable<Line>, count: number): Iterable<Line> {
  return {
    *[Symbol.iterator]() {
      let remaining = count
      for (const line of lines) {
        if (remaining-- <= 0) return
        yield line
      }
    },
  }
}

/** The log that may have more than the document: the newest one that no other run has replaced. */
export function currentLog(logs: readonly BegunLog[]): BegunLog | undefined {
  const replaced = new Set(logs.map(log => log.beginning.from))
  return logs
    .filter(log => !replaced.has(log.beginning.run))
    .sort((a, b) => a.begunAt - b.begunAt)
    .at(-1)
}

/** A text's size in bytes and its SHA-256, to check later whether a document still begins with it. */
export async function fingerprint(text: string): Promise<{ size: number; digest: string }> {
  const bytes = new TextEncoder().encode(text)
  return { size: bytes.length, digest: await createDigest(bytes) }
}

/** The length of the document in characters when the run began; undefined if the document begins differently now. */
export async function lengthBefore(text: string, { size, digest }: RunBeginning): Promise<number | undefined> {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length < size) return undefined
  const before = bytes.subarray(0, size)
  if ((await createDigest(before)) !== digest) return undefined
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(before).length
}

async function createDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Where the elements start whose chunks aren't in the log. A failing disk can keep later writes and lose earlier ones.
 * The log is authoritative, so the document is cut there. Only signed records are used: anyone may have written
 * attributes.
 */
export function findUnlogged(log: BegunLog, tree: Tree, { byElement }: MatchedRecords): number | undefined {
  return topElements(tree).find(node => {
    const { run, offset } = byElement.get(node)?.attributes ?? {}
    return run === log.beginning.run && toOffset(offset) >= log.next
  })?.start
}

function toOffset(offset: string | true | undefined): number {
  return typeof offset === 'string' && /^[0-9]{1,15}$/.test(offset) ? Number(offset) : -1
}

export interface RunComparison {
  missing: RunElement[]
  present: WrittenElement[]
  hasMatch: boolean
}

/**
 * Compares the elements of a log with those of the document, by name and order; their content may have been edited.
 * `before` is where the run began to write, or undefined if the text before that has changed.
 */
export function compareRun(run: ReplayedRun, tree: Tree, before: number | undefined): RunComparison {
  const nodes = writtenElements(tree).filter(({ start }) => start >= (before ?? 0))
  const { elements } = run
  const pairs = pairInOrder(elements, nodes, before !== undefined)
  const last = [...pairs.keys()].at(-1) ?? -1
  const lastOffset = [...pairs.keys()].reduce((most, index) => Math.max(most, getOffset(elements[index]!)), run.written)
  const isWritten = (element: RunElement, index: number): boolean =>
    pairs.has(index) || getOffset(element) <= run.written || (index <= last && getOffset(element) <= lastOffset)
  return {
    hasMatch: pairs.size > 0,
    // Elements are appended in order, so one missing before others was removed by a person.
    missing: elements.filter((element, index) => !isWritten(element, index)),
    present: elements.flatMap((element, index): WrittenElement[] => {
      const node = pairs.get(index)
      if (node === undefined && element.isShown) return []
      if (!isWritten(element, index)) return []
      const text = node === undefined ? undefined : tree.source.slice(node.start, node.end)
      return [{ records: element.records, files: node === undefined ? [] : getReferencedFiles(node), text }]
    }),
  }
}

function getOffset({ records }: RunElement): number {
  return records.at(-1)?.offset ?? 0
}

/**
 * The node of each element, by index. Calls and responses are matched by id, those with the same id in order. Every
 * other element gets the next node of its kind before the call that follows it. If it isn't known where the run began,
 * only ids are matched, and earlier runs may have used them too: the last nodes count.
 */
function pairInOrder(
  elements: readonly RunElement[],
  nodes: readonly ElementNode[],
  isPlaced: boolean,
): Map<number, ElementNode> {
  const names = nodes.map(elementName)
  const anchors = findAnchors(elements, names, isPlaced)
  const pairs = new Map<number, ElementNode>()
  let from = 0
  for (const [index, element] of elements.entries()) {
    if (!element.isShown) continue
    const anchor = anchors.get(index)
    const place = hasId(element.name) ? anchor : isPlaced ? findNext(element.name, from, limitAfter(index)) : undefined
    if (place === undefined) continue
    pairs.set(index, nodes[place]!)
    // Older versions wrote a response before the next call of its row.
    from = Math.max(from, place + 1)
  }
  return pairs

  function limitAfter(index: number): number {
    for (let at = index + 1; at < elements.length; at++) if ((anchors.get(at) ?? -1) >= from) return anchors.get(at)!
    return names.length
  }

  function findNext(name: string, start: number, end: number): number | undefined {
    const place = names.indexOf(name, start)
    return place === -1 || place >= end ? undefined : place
  }
}

/** The place of each call and response in `names`, by its index in `elements`. */
function findAnchors(
  elements: readonly RunElement[],
  names: readonly string[],
  isPlaced: boolean,
): Map<number, number> {
  const anchors = new Map<number, number>()
  const places = mapPlaces(names)
  for (const [name, indexes] of mapPlaces(elements.map(element => element.name))) {
    if (!hasId(name)) continue
    const candidates = places.get(name)?.slice(isPlaced ? 0 : -indexes.length) ?? []
    for (const [nth, place] of candidates.entries()) if (nth < indexes.length) anchors.set(indexes[nth]!, place)
  }
  return anchors
}

function hasId(name: string): boolean {
  return name.startsWith('call ') || name.startsWith('response ')
}
