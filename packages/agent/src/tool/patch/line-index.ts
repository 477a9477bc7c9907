import { ToolFailure } from '../../words/tool-failure.ts'

/** How lines are compared: each way is more lenient than the one before it. */
const KEYS: readonly ((line: string) => string)[] = [
  line => line,
  line => line.trimEnd(),
  line => line.trim(),
  normalise,
]

/** The indexes of the ways to compare lines, the strictest first. */
export const strictnessLevels: readonly number[] = KEYS.map((_, level) => level)

/** How many lines all searches of one patch may compare. Many common lines could take forever. */
export class SearchBudget {
  #left = 50_000_000

  spend(lines: number): void {
    this.#left -= lines
    if (this.#left >= 0) return
    const message =
      'The hunks of this patch match too many places to search. Add lines or anchors that occur once, or split the ' +
      'patch. Nothing was changed.'
    throw new ToolFailure('TOOL_BAD_PATCH', message)
  }
}

/** Finds sequences of lines in a text by their rarest line, without scanning the text again for each. */
export class LineIndex {
  readonly lines: readonly string[]
  readonly #budget: SearchBudget
  /** For each way to compare, from its first use: the keys of all lines, and where each key occurs. */
  readonly #levels: ({ keys: readonly string[]; places: Map<string, number[]> } | undefined)[] = []

  constructor(lines: readonly string[], budget: SearchBudget) {
    this.lines = lines
    this.#budget = budget
  }

  /** Where a line occurs if compared in this way, in order. */
  places(line: string, level: number): readonly number[] {
    return this.#level(level).places.get(KEYS[level]!(line)) ?? []
  }

  isSame(at: number, line: string, level: number): boolean {
    return this.#level(level).keys[at] === KEYS[level]!(line)
  }

  /** The first place from `from` on (or the last, with `fromEnd`) that has these lines and that `accept` accepts. */
  find(
    expected: readonly string[],
    level: number,
    from: number,
    accept: (start: number) => boolean,
    fromEnd: boolean,
  ): number | undefined {
    const { keys, places } = this.#level(level)
    const expectedKeys = expected.map(KEYS[level]!)
    let rarest: readonly number[] | undefined
    let offset = 0
    for (const [i, key] of expectedKeys.entries()) {
      const lines = places.get(key)
      if (lines === undefined) return undefined
      if (rarest !== undefined && rarest.length <= lines.length) continue
      rarest = lines
      offset = i
    }
    if (rarest === undefined) return undefined
    const first = firstAtLeast(rarest, from + offset)
    for (let n = first; n < rarest.length; n++) {
      const start = rarest[fromEnd ? rarest.length - 1 - (n - first) : n]! - offset
      if (this.#isAt(keys, expectedKeys, start) && accept(start)) return start
    }
    return undefined
  }

  #isAt(keys: readonly string[], expected: readonly string[], start: number): boolean {
    let same = 0
    while (same < expected.length && keys[start + same] === expected[same]) same++
    this.#budget.spend(same + 1)
    return same === expected.length
  }

  #level(level: number): { keys: readonly string[]; places: Map<string, number[]> } {
    return (this.#levels[level] ??= this.#build(level))
  }

  #build(level: number): { keys: readonly string[]; places: Map<string, number[]> } {
    this.#budget.spend(this.lines.length)
    const keys = level === 0 ? this.lines : this.lines.map(KEYS[level]!)
    const places = new Map<string, number[]>()
    for (const [i, key] of keys.entries()) {
      const list = places.get(key)
      if (list === undefined) places.set(key, [i])
      else list.push(i)
    }
    return { keys, places }
  }
}

function firstAtLeast(sorted: readonly number[], least: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}

/** Models write plain quotes, dashes and spaces for typographic ones. */
function normalise(line: string): string {
  if (/^[\x20-\x7e\t]*$/.test(line)) return line.trim()
  return line
    .replace(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ')
    .replace(/[\u200B\u2060\uFEFF]/g, '')
    .replace(/\u2026/g, '...')
    .trim()
}
