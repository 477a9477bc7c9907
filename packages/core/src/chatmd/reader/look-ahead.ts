import { Landmarks, tagAt } from './landmarks.ts'
import { isBlank, isLiteral, isSection, type TagName } from './tag.ts'

const LF = 10
const CR = 13
const SLASH = 47

class TagSearch {
  readonly marks: Landmarks
  close = -1
  open = -1
  /** The first closing tag from a position inside the element. */
  inside = -1

  constructor(source: string) {
    this.marks = new Landmarks(source)
  }
}

/**
 * Looks beyond the current position to decide which of two tags or marks is missing. Positions only grow, and each kind
 * of search has its own landmarks, so the text is read a fixed number of times.
 */
export class LookAhead {
  readonly #source: string
  readonly #starts: Landmarks
  readonly #ends: Landmarks
  readonly #resumes: Landmarks
  readonly #searches: Map<TagName, TagSearch> = new Map()

  constructor(source: string) {
    this.#source = source
    this.#starts = new Landmarks(source)
    this.#ends = new Landmarks(source)
    this.#resumes = new Landmarks(source)
  }

  close(name: TagName, from: number): number {
    const tags = this.#getSearch(name)
    if (tags.inside < from) tags.inside = this.#findClose(name, from)
    return tags.inside
  }

  #findClose(name: TagName, from: number): number {
    return this.#find(`</${name}`, from, at => tagAt(this.#source, at) === name)
  }

  #findOpen(name: TagName, from: number): number {
    return this.#find(`<${name}`, from, at => this.startsLine(at) && tagAt(this.#source, at) === name)
  }

  /**
   * Whether the element whose content starts at `from` has its own closing tag. `own`: it has. `nested`: it has, but
   * its text first quotes a complete element of the same name. `lost`: the next one belongs to a later element, or
   * there is none.
   *
   *   | <assistant>one
   *   | <assistant>two</assistant>
   *                   ^
   */
  closing(name: TagName, from: number): 'own' | 'nested' | 'lost' {
    const end = this.#source.length
    const tags = this.#getSearch(name)
    const { marks } = tags
    for (let at = from; ; ) {
      if (tags.close < at) tags.close = this.#findClose(name, at)
      if (tags.open < at) tags.open = this.#findOpen(name, at)
      const { close, open } = tags
      if (close === end) return 'lost'
      const raw = marks.raw(at)
      const comment = marks.comment(at)
      if (Math.min(raw, comment) < Math.min(open, close)) {
        at = raw < comment ? marks.rawEnd(raw + 4) + 4 : marks.commentEnd(comment + 4) + 3
        if (at > end) return 'own'
      } else if (close < open) return 'own'
      else if (this.isFollowedByTag(close)) return 'lost'
      else return this.#source.indexOf(`</${name}`, close + 1) === -1 ? 'own' : 'nested'
    }
  }

  /**
   * Where reading resumes after a broken opening tag: at the next line that begins with a section's tag, not inside
   * RAW. For an element whose text a model or a tool wrote, at its closing tag.
   */
  resume(name: TagName, from: number): number {
    if (isLiteral(name) && this.closing(name, from) !== 'lost') return this.#getSearch(name).close
    const marks = this.#resumes
    for (let at = from; ; ) {
      const section = marks.recovery(at)
      const raw = marks.raw(at)
      if (raw > section || marks.rawEnd(raw + 4) === this.#source.length) return section
      at = marks.rawEnd(raw + 4) + 4
    }
  }

  /** Whether the document continues normally after the closing tag at `close`: with a tag, a comment, or its end. */
  isFollowedByTag(close: number): boolean {
    const source = this.#source
    let at = source.indexOf('>', close) + 1
    while (isBlank(source.charCodeAt(at))) at++
    return at >= source.length || source.startsWith('<!--', at) || tagAt(source, at) !== undefined
  }

  /**
   * The end of a RAW block that lost its `|RAW`: before the closing tag of the element it is in. Undefined if the mark
   * at `mark` may be its own.
   *
   *   | RAW|
   *   | {"path": "a"}
   *   | </tool_call>
   *     ^
   */
  lostRawEnd(start: number, mark: number, within: TagName | undefined): number | undefined {
    if (within === undefined) return undefined
    const source = this.#source
    const close = this.close(within, start)
    if (close >= mark || !this.isFollowedByTag(close)) return undefined
    if (mark === source.length) return undefined
    // Adjacent blocks are one text, which may contain anything.
    if (source.startsWith('RAW|', mark + 4) || this.#ends.raw(close) > mark) return undefined
    return this.#closesAfter(mark, within) && !this.#opensBefore(this.#ends.raw(close), close, within)
      ? undefined
      : close
  }

  /** Whether the RAW block at `raw` comes first in an element of this name that starts a line after `from`. */
  #opensBefore(raw: number, from: number, within: TagName): boolean {
    const source = this.#source
    let end = raw
    while (isBlank(source.charCodeAt(end - 1))) end--
    const open = source.lastIndexOf(`<${within}`, end)
    return source[end - 1] === '>' && open > from && this.startsLine(open) && tagAt(source, open) === within
  }

  /** Whether a RAW block that ends with this mark is in an element of this name: its closing tag follows, or text. */
  #closesAfter(mark: number, within: TagName): boolean {
    const source = this.#source
    let at = mark + 4
    while (isBlank(source.charCodeAt(at))) at++
    const name = source.charCodeAt(at + 1) === SLASH ? tagAt(source, at) : undefined
    return name === undefined || name === within
  }

  /**
   * The `|RAW` whose `RAW|` was lost. It is alone on its line, belongs to the element whose content starts at `from`,
   * and the text that it should protect contains messages.
   *
   *   | <tool_call …>
   *   | {"path": "a"}
   *   | |RAW
   *     ^
   */
  lostRawStart(from: number, within: TagName): number | undefined {
    const mark = this.#starts.rawEnd(from)
    if (mark === this.#source.length || this.#starts.raw(from) < mark || !this.#isAlone(mark)) return undefined
    const close = this.close(within, from)
    if (close < mark && this.isFollowedByTag(close)) return undefined
    if (this.#starts.comment(from) < mark) return undefined
    for (let at = this.#source.indexOf('<', from); at !== -1 && at < mark; at = this.#source.indexOf('<', at + 1)) {
      const name = tagAt(this.#source, at)
      if (name !== undefined && isSection(name)) return mark
    }
    return undefined
  }

  /** On a separate line, or immediately before a closing tag. */
  #isAlone(mark: number): boolean {
    const source = this.#source
    let after = mark + 4
    while (source.charCodeAt(after) === 32 || source.charCodeAt(after) === 9) after++
    const next = source.charCodeAt(after)
    if (source.charCodeAt(after + 1) === SLASH && tagAt(source, after) !== undefined) return true
    return this.startsLine(mark) && (after >= source.length || next === LF || next === CR)
  }

  startsLine(at: number): boolean {
    const before = this.#source.charCodeAt(at - 1)
    return at === 0 || before === LF || before === CR
  }

  #getSearch(name: TagName): TagSearch {
    let tags = this.#searches.get(name)
    if (tags === undefined) this.#searches.set(name, (tags = new TagSearch(this.#source)))
    return tags
  }

  #find(what: string, from: number, fits: (at: number) => boolean): number {
    for (let at = this.#source.indexOf(what, from); at !== -1; at = this.#source.indexOf(what, at + 1)) {
      if (fits(at)) return at
    }
    return this.#source.length
  }
}
