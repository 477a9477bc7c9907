import { isRecord } from '../source/is-record.ts'

/** One change of an edit that can be made without the others. */
export interface EditPart {
  path: string
  /** A moved file's current path. */
  from?: string
  operation: 'add' | 'update' | 'move' | 'delete'
  /** The first changed line in the current file, starting at 1. */
  line?: number
  /** A unified diff of this change only. */
  diff: string
  /** The input's field that contains the change. */
  key: string
  /** Lines in that field, starting at 0; the second number is the line after the last. */
  lines: LineRange
  /** Lines shared with the parts after it, such as a file's name. They are left out with the last of those parts. */
  head?: LineRange
}

export type LineRange = readonly [from: number, to: number]

/**
 * Leaves out the lines of the other parts; nothing is added or moved. Undefined if no part remains, or if the parts
 * don't belong to this input.
 */
export function reduceInput(input: unknown, parts: readonly EditPart[], partIndexes: ReadonlySet<number>): unknown {
  const key = parts[0]?.key
  if (key === undefined || !isRecord(input) || !Object.hasOwn(input, key)) return undefined
  const text = input[key]
  if (typeof text !== 'string') return undefined
  const lines = text.split('\n')
  if (!areApart(parts, key, lines.length) || !parts.some((_, index) => partIndexes.has(index))) return undefined
  const removedLines = new Set<number>()
  for (const [index, { lines: range, head }] of parts.entries()) {
    if (partIndexes.has(index)) continue
    addRange(removedLines, range)
    const isShared = parts.some((other, at) => partIndexes.has(at) && other.head?.[0] === head?.[0])
    if (head !== undefined && !isShared) addRange(removedLines, head)
  }
  return { ...input, [key]: lines.filter((_, line) => !removedLines.has(line)).join('\n') }
}

/** Undefined if the edited input differs from the original in any other way, or leaves nothing out. */
export function findOmittedParts(input: unknown, parts: readonly EditPart[], edited: unknown): number[] | undefined {
  const key = parts[0]?.key
  if (key === undefined || !isRecord(input) || !isRecord(edited)) return undefined
  const [text, reduced] = [input[key], edited[key]]
  if (typeof text !== 'string' || typeof reduced !== 'string' || text === reduced) return undefined
  const isSameField = (name: string): boolean =>
    name === key || (Object.hasOwn(edited, name) && JSON.stringify(input[name]) === JSON.stringify(edited[name]))
  if (Object.keys(input).length !== Object.keys(edited).length || !Object.keys(input).every(isSameField))
    return undefined
  const keptParts = new Set(new PartMatch(text.split('\n'), reduced.split('\n'), parts).find())
  const rebuiltInput = reduceInput(input, parts, keptParts)
  if (!isRecord(rebuiltInput) || rebuiltInput[key] !== reduced) return undefined
  return parts.flatMap((_, index) => (keptParts.has(index) ? [] : [index]))
}

/** Remembers failures, because parts may have the same lines. */
class PartMatch {
  readonly #lines: readonly string[]
  readonly #reduced: readonly string[]
  readonly #parts: readonly EditPart[]
  readonly #failed = new Set<string>()

  constructor(lines: readonly string[], reduced: readonly string[], parts: readonly EditPart[]) {
    this.#lines = lines
    this.#reduced = reduced
    this.#parts = parts
  }

  find(): number[] | undefined {
    return this.#findFrom(0, 0, 0, undefined)
  }

  /** `at` and `to` are the next lines of the two texts. The shorter one already has `lastHead`. */
  #findFrom(index: number, at: number, to: number, lastHead: number | undefined): number[] | undefined {
    const part = this.#parts[index]
    if (part === undefined) {
      const end = this.#match([at, this.#lines.length], to)
      return end === this.#reduced.length ? [] : undefined
    }
    const name = `${index} ${to} ${lastHead}`
    if (this.#failed.has(name)) return undefined
    const { lines, head = [lines[0], lines[0]] } = part
    const start = head[0] >= at ? head[0] : lines[0]
    const next = this.#match([at, start], to)
    const first = lastHead === head[0] ? next : this.#match(head, next)
    const last = this.#match(lines, first)
    const match = last === undefined ? undefined : this.#findFrom(index + 1, lines[1], last, head[0])
    if (match !== undefined) return [index, ...match]
    const rest = next === undefined ? undefined : this.#findFrom(index + 1, lines[1], next, lastHead)
    if (rest === undefined) this.#failed.add(name)
    return rest
  }

  /** Returns where the lines end in the shorter text; undefined if they are not at this position. */
  #match([from, end]: LineRange, to: number | undefined): number | undefined {
    if (to === undefined) return undefined
    for (let i = from; i < end; i++) if (this.#lines[i] !== this.#reduced[to + i - from]) return undefined
    return to + end - from
  }
}

/** Parts also come over the network. Overlapping or unordered ones would remove lines of others. */
function areApart(parts: readonly EditPart[], key: string, length: number): boolean {
  let end = 0
  let head: LineRange | undefined
  for (const part of parts) {
    if (part.key !== key) return false
    const isNew = part.head !== undefined && part.head[0] !== head?.[0]
    if (part.head !== undefined && !isNew && part.head[1] !== head?.[1]) return false
    head = part.head
    const ranges = isNew ? [part.head!, part.lines] : [part.lines]
    for (const [from, to] of ranges) {
      if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < end || to <= from || to > length)
        return false
      end = to
    }
  }
  return true
}

function addRange(lines: Set<number>, [from, to]: LineRange): void {
  for (let line = from; line < to; line++) lines.add(line)
}
