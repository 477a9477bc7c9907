import { LESS } from './char-codes.ts'
import { verbatimElements } from './hidden-html.ts'
import { type ReasoningMark, reasoningMarks } from './reasoning.ts'

/**
 * A tag with a meaning for every reader. `reasoning`: reasoning follows, up to one of `closes`. `hidden`: a comment or
 * an element such as `<pre>` begins, which `HiddenHtml` reads. `code`, `code end`: HTML's inline code. `silent`: a
 * template token, which isn't text.
 */
export interface Tag {
  kind: 'reasoning' | 'hidden' | 'code' | 'code end' | 'silent'
  text: string
  closes: readonly string[]
}

const nameEnds = ['>', ' ', '\t', '\n', '\r', '\f', '/']

/**
 * A grammar's tags. Some apply only at the start of a line, others anywhere. HTML tags match in upper or lower case.
 */
export class ReaderTags {
  /** The first characters of the grammar's own tags that apply anywhere. */
  readonly marks: string
  /** The first characters of its tags that apply only at the start of a line, because they begin like a word. */
  readonly lineMarks: string
  /** Everything that can end reasoning, for a text that begins inside it. */
  readonly reasoningCloses: readonly string[]
  readonly #anywhere = new TagTable()
  readonly #line = new TagTable()

  constructor(reasoning: readonly ReasoningMark[] = [], silent: readonly string[] = []) {
    const ownTags = reasoning.map(toTag)
    const tokens = silent.map((text): Tag => ({ kind: 'silent', text, closes: [] }))
    for (const tag of [...ownTags, ...tokens]) {
      if (!beginsWithLetter(tag.text)) this.#anywhere.add(tag)
      this.#line.add(tag)
    }
    for (const tag of reasoningMarks.map(toTag)) this.#line.add(tag)
    const starts = [...new Set([...ownTags, ...tokens].map(({ text }) => text.charAt(0)))]
    this.marks = starts.filter(mark => !beginsWithLetter(mark)).join('')
    this.lineMarks = starts.filter(beginsWithLetter).join('')
    const marks = reasoning.length > 0 ? ownTags : reasoningMarks.map(toTag)
    this.reasoningCloses = [...new Set(marks.flatMap(({ closes }) => closes))]
  }

  /** The tag that `text` is; `part` if it may still become one; undefined if it can't. */
  find(text: string, atLineStart: boolean): Tag | 'part' | undefined {
    const ownTag = (atLineStart ? this.#line : this.#anywhere).find(text)
    return typeof ownTag === 'object' ? ownTag : (htmlTags.find(text.toLowerCase()) ?? ownTag)
  }

  /** Judges by the first two characters. */
  mayBegin(text: string, at: number, atLineStart: boolean): boolean {
    if (text.charCodeAt(at) === LESS && htmlTags.mayBegin(text, at)) return true
    return (atLineStart ? this.#line : this.#anywhere).mayBegin(text, at)
  }

  /** The tag in `text` may still become a longer one: `<|channel>` and `<|channel>thought`. */
  mayContinue(text: string, atLineStart: boolean): boolean {
    return (atLineStart ? this.#line : this.#anywhere).begins(text)
  }
}

function beginsWithLetter(text: string): boolean {
  return /^[a-z]/i.test(text)
}

class TagTable {
  readonly #tags = new Map<string, Tag>()
  readonly #starts = new Set<string>()
  /** The first two characters of each tag, as one number. */
  readonly #pairs = new Set<number>()

  add(tag: Tag): void {
    this.#tags.set(tag.text, tag)
    this.#pairs.add(pairAt(tag.text, 0))
    if (tag.text.startsWith('<')) this.#pairs.add(pairAt(tag.text.toUpperCase(), 0))
    for (let end = 1; end < tag.text.length; end++) this.#starts.add(tag.text.slice(0, end))
  }

  find(text: string): Tag | 'part' | undefined {
    return this.#tags.get(text) ?? (this.#starts.has(text) ? 'part' : undefined)
  }

  mayBegin(text: string, at: number): boolean {
    if (at + 1 === text.length) return this.#starts.has(text.charAt(at))
    return this.#pairs.has(pairAt(text, at))
  }

  begins(text: string): boolean {
    return this.#starts.has(text)
  }
}

function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1)
}

function toTag({ open, close, closes = [] }: ReasoningMark): Tag {
  return { kind: 'reasoning', text: open, closes: [close, ...closes] }
}

const htmlTags = new TagTable()
htmlTags.add({ kind: 'hidden', text: '<!--', closes: [] })
addHtml('hidden', verbatimElements)
addHtml('code', ['code'])
addHtml('code end', ['/code'])

function addHtml(kind: Tag['kind'], names: readonly string[]): void {
  for (const name of names) for (const end of nameEnds) htmlTags.add({ kind, text: `<${name}${end}`, closes: [] })
}
