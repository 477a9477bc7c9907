import { isBlank, isSection, type TagName, tagNameAt } from './tag.ts'

const LF = 10
const CR = 13
const DOUBLE = 34
const SLASH = 47
const GT = 62

/**
 * Finds the lexer's next landmark at or after a position; the end of the text if there is none. Each search remembers
 * its result, so repeated calls with growing positions read the text once.
 */
export class Landmarks {
  readonly #source: string
  #lt = -1
  #raw = -1
  #rawEnd = -1
  #comment = -1
  #commentEnd = -1
  #double = -1
  #single = -1
  #recovery = -1
  #recoveryFrom = 0

  constructor(source: string) {
    this.#source = source
  }

  /** `<` */
  lt(from: number): number {
    if (this.#lt < from) this.#lt = this.#find('<', from)
    return this.#lt
  }

  /** `RAW|` */
  raw(from: number): number {
    if (this.#raw < from) this.#raw = this.#find('RAW|', from)
    return this.#raw
  }

  /** `|RAW` */
  rawEnd(from: number): number {
    if (this.#rawEnd < from) this.#rawEnd = this.#find('|RAW', from)
    return this.#rawEnd
  }

  /** `<!--` */
  comment(from: number): number {
    if (this.#comment < from) this.#comment = this.#find('<!--', from)
    return this.#comment
  }

  /** `-->` */
  commentEnd(from: number): number {
    if (this.#commentEnd < from) this.#commentEnd = this.#find('-->', from)
    return this.#commentEnd
  }

  quote(code: number, from: number): number {
    if (code === DOUBLE) {
      if (this.#double < from) this.#double = this.#find('"', from)
      return this.#double
    }
    if (this.#single < from) this.#single = this.#find("'", from)
    return this.#single
  }

  /**
   * A section's tag at the start of a line: reading continues there if something is not closed.
   *
   *   | RAW| { "a": 1 }
   *   | </user>
   *     ^
   */
  recovery(from: number): number {
    if (this.#recovery >= from && this.#recoveryFrom <= from) return this.#recovery
    const source = this.#source
    let at = source.indexOf('<', from)
    for (; at !== -1; at = source.indexOf('<', at + 1)) {
      const before = source.charCodeAt(at - 1)
      if (before !== LF && before !== CR) continue
      const name = tagAt(source, at)
      if (name !== undefined && isSection(name)) break
    }
    this.#recoveryFrom = from
    this.#recovery = at === -1 ? source.length : at
    return this.#recovery
  }

  #find(what: string, from: number): number {
    const at = this.#source.indexOf(what, from)
    return at === -1 ? this.#source.length : at
  }
}

/** The name of the opening or closing tag that the `<` at `at` starts; undefined for an unknown name. */
export function tagAt(source: string, at: number): TagName | undefined {
  if (source.charCodeAt(at + 1) === SLASH) {
    const name = tagNameAt(source, at + 2)
    if (name === undefined) return undefined
    let end = at + 2 + name.length
    while (isBlank(source.charCodeAt(end))) end++
    return source.charCodeAt(end) === GT ? name : undefined
  }
  const name = tagNameAt(source, at + 1)
  if (name === undefined) return undefined
  const next = source.charCodeAt(at + 1 + name.length)
  return next === GT || next === SLASH || isBlank(next) ? name : undefined
}
