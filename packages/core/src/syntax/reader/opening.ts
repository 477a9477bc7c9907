import { MARK, type StopTable, TAG } from '../stop-table.ts'
import { LESS } from './char-codes.ts'
import type { ReaderTags } from './reader-tags.ts'

const OPEN_BRACKET = 91

/** Where a syntax's calls may begin, and what doesn't hide them. */
export interface Opening {
  marks: string
  /**
   * `anywhere` in a line; `line`: only as the first character of a line; `indented`: after up to three spaces. At the
   * start of a line, the syntax sees a mark before Markdown does, so `>` and backticks can be marks there. This allows
   * calls in quotes, or calls that are fences themselves.
   */
  where: 'anywhere' | 'line' | 'indented'
  /** More characters that a call may begin with, but only as the first of a line. */
  lineMarks?: string
  /** The first words of fences that hide nothing, for syntaxes with real calls in fences: `tool_code`. */
  liveFences?: readonly string[]
  /** `<code>` hides nothing, for syntaxes with real calls in it. */
  liveCode?: boolean
  /** Indented code hides nothing, for syntaxes with real calls indented by four columns or more. */
  liveIndents?: boolean
}

/**
 * What may begin at a place in a text: a call, or a tag with a meaning for the reader itself. `html`: only an HTML tag,
 * in a line where nothing else can begin.
 */
export type StopKind = 'call' | 'tag' | 'call or tag' | 'html'

/**
 * What may begin at the start of a line: everything that may begin anywhere, plus the marks and tags that require it.
 */
export class LineStartTable {
  readonly #marks: string
  readonly #tags: string
  readonly #hidesNothing: boolean
  readonly #maxIndent: number
  readonly #stops: StopTable

  /** `stops` is what may begin anywhere. */
  constructor({ marks, where, lineMarks = '' }: Opening, tags: ReaderTags, hidesNothing: boolean, stops: StopTable) {
    this.#marks = where === 'anywhere' ? lineMarks : marks + lineMarks
    this.#tags = tags.lineMarks
    this.#hidesNothing = hidesNothing
    this.#maxIndent = where === 'line' ? 0 : 3
    this.#stops = stops
  }

  /** What may begin with this character, the first visible one of its line; undefined for nothing. */
  find(code: number, column: number): StopKind | undefined {
    const character = String.fromCharCode(code)
    const { ascii, wide } = this.#stops
    const stop = code < 128 ? ascii[code] : wide?.has(code) ? MARK : 0
    const isMark =
      stop === MARK || ((this.#hidesNothing || column <= this.#maxIndent) && this.#marks.includes(character))
    const mayBeTag = code === LESS || code === OPEN_BRACKET || stop === TAG || (code >= 128 && stop === MARK)
    if (this.#hidesNothing || !(mayBeTag || this.#tags.includes(character))) return isMark ? 'call' : undefined
    return isMark ? 'call or tag' : 'tag'
  }
}
