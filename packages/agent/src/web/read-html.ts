import { Tokenizer } from 'htmlparser2'
import { decidingAttributes, ForeignContent } from './foreign-content.ts'

const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'noembed', 'noframes'])

/** Receives the parts of an HTML text in order. Tags come unchanged: they need not match. */
export interface HtmlReader {
  collectedAttributes?: ReadonlySet<string>
  open(name: string, collectedAttributes: ReadonlyMap<string, string>): void
  close(name: string): void
  text(data: string): void
}

/**
 * Reads HTML of any quality in one pass, in linear time and without a stack that could overflow. Skips comments and
 * hidden elements (scripts, styles, templates). In XHTML a tag can close itself.
 */
export function readHtml(html: string, reader: HtmlReader, { xhtml = false }: { xhtml?: boolean } = {}): void {
  new HtmlWalk(html, reader, xhtml).read()
}

const CDATA = '<![CDATA['
/** An attribute of a tag, or what is between two. */
const ATTRIBUTE = /[\s/]+|[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s>"'][^\s>]*)?)?/y

/** The end of the tag whose attributes begin at `at`. */
function findTagEnd(html: string, at: number): number {
  ATTRIBUTE.lastIndex = at
  for (let end = at; ; end = ATTRIBUTE.lastIndex) if (!ATTRIBUTE.test(html)) return end
}

type TokenizerCallbacks = ConstructorParameters<typeof Tokenizer>[1]

/** Connects the tokenizer and the reader: tracks hidden elements, and corrects the tokenizer where HTML differs. */
class HtmlWalk implements TokenizerCallbacks {
  readonly #html: string
  readonly #reader: HtmlReader
  readonly #xhtml: boolean
  #tokenizer!: Tokenizer
  /** Where the current tokenizer began, which its offsets are relative to, and where the next one begins. */
  #from = 0
  #next = 0
  #cdata = -1
  /** The open hidden element as written, with its prefix, and how deeply it is nested in itself. */
  #hidden = ''
  #hiddenDepth = 0
  /** In a template, `noscript` contains text up to its end tag. */
  #isInNoscript = false
  #hiddenFrom = 0
  readonly #foreign = new ForeignContent()
  /** The tag being read, without and with its prefix. */
  #name = ''
  #tagName = ''
  #attributes: Map<string, string> = new Map()
  /** The attribute being read; '' if it is not collected. */
  #attribute = ''
  #value = ''

  constructor(html: string, reader: HtmlReader, xhtml: boolean) {
    this.#html = html
    this.#reader = reader
    this.#xhtml = xhtml
  }

  read(): void {
    while (this.#next < this.#html.length) this.#readFrom(this.#next)
  }

  /** CDATA exists only in drawings and XHTML. In HTML, and in lower case, it is a comment that ends at the next `>`. */
  #readFrom(from: number): void {
    this.#from = from
    this.#next = this.#html.length
    this.#tokenizer = new Tokenizer({ recognizeSelfClosing: this.#xhtml }, this)
    for (let at = from; at < this.#next; ) {
      const cdata = this.#findCdata(at)
      if (cdata === at) this.#tokenizer.write(this.#xhtml || this.isInForeignContext() ? CDATA : CDATA.toLowerCase())
      else this.#tokenizer.write(this.#html.slice(at, cdata))
      at = cdata === at ? at + CDATA.length : cdata
    }
    this.#tokenizer.end()
  }

  #findCdata(at: number): number {
    if (this.#cdata < at) {
      const start = this.#html.indexOf(CDATA, at)
      this.#cdata = start === -1 ? this.#html.length : start
    }
    return this.#cdata
  }

  #slice(start: number, end: number): string {
    return this.#html.slice(this.#from + start, this.#from + end)
  }

  isInForeignContext(): boolean {
    return this.#foreign.isInside
  }

  onopentagname(start: number, end: number): void {
    this.#tagName = this.#slice(start, end).toLowerCase()
    this.#name = withoutPrefix(this.#tagName)
    this.#attributes = new Map()
  }

  onattribname(start: number, end: number): void {
    const name = this.#slice(start, end).toLowerCase()
    const isWanted = this.#reader.collectedAttributes?.has(name) || decidingAttributes.get(this.#name)?.includes(name)
    this.#attribute = isWanted && !this.#attributes.has(name) ? name : ''
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== '') this.#value += this.#slice(start, end)
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== '') this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(): void {
    if (this.#attribute !== '') this.#attributes.set(this.#attribute, this.#value)
  }

  onopentagend(end: number): void {
    this.#open(end + 1, false)
  }

  onselfclosingtag(end: number): void {
    const isForeign = this.#foreign.isForeign(this.#name) && this.#slice(end - 1, end) === '/'
    this.#open(end + 1, this.#xhtml || isForeign)
  }

  #open(contentFrom: number, closed: boolean): void {
    const name = this.#name
    this.#foreign.breakOut(name, this.#attributes)
    if (this.#hidden !== '') {
      if (this.#isInNoscript || closed) return
      if (this.#tagName === this.#hidden) this.#hiddenDepth++
      else if (this.#hidden === 'template') this.#isInNoscript = name === 'noscript'
    } else if (HIDDEN.has(name)) {
      if (closed) return
      this.#hidden = this.#tagName
      this.#hiddenDepth = 1
      this.#hiddenFrom = this.#from + contentFrom
    } else {
      if (!closed) this.#foreign.open(name, this.#attributes)
      this.#reader.open(name, this.#attributes)
      if (closed) this.#reader.close(name)
    }
  }

  onclosetag(start: number, end: number): void {
    this.#skipAttributes(this.#from + end)
    const tagName = this.#slice(start, end).toLowerCase()
    if (this.#hidden !== '') {
      if (tagName === 'noscript') this.#isInNoscript = false
      if (this.#isInNoscript || tagName !== this.#hidden || this.#opensScriptAgain(this.#from + start)) return
      if (--this.#hiddenDepth === 0) this.#hidden = ''
      return
    }
    const name = withoutPrefix(tagName)
    this.#foreign.close(name)
    this.#reader.close(name)
  }

  /** An end tag may have attributes with a quoted `>`, at which the tokenizer ends it. Restarts after the tag. */
  #skipAttributes(at: number): void {
    if (this.#html[at] === '>') return
    const end = findTagEnd(this.#html, at)
    if (end === this.#html.indexOf('>', at)) return
    this.#next = end + 1
    this.#tokenizer.pause()
  }

  /**
   * A script that writes `<!--` and then `<script` continues after the next end tag (HTML: "double escaped").
   *
   *   | <script>"<!--<script>" … </script> still script --></script>
   *                              ^
   */
  #opensScriptAgain(end: number): boolean {
    if (this.#hidden !== 'script' || this.#hiddenFrom === -1) return false
    const content = this.#html.slice(this.#hiddenFrom, end)
    this.#hiddenFrom = -1
    const comment = content.lastIndexOf('<!--')
    return comment !== -1 && !content.includes('-->', comment) && /<script[\s/>]/i.test(content.slice(comment))
  }

  ontext(start: number, end: number): void {
    if (this.#hidden === '') this.#reader.text(this.#slice(start, end))
  }

  ontextentity(codePoint: number): void {
    if (this.#hidden === '') this.#reader.text(String.fromCodePoint(codePoint))
  }

  oncdata(start: number, end: number, trailing: number): void {
    this.ontext(start, end - trailing)
  }

  /** A comment, or CDATA that is never closed. */
  oncomment(start: number, end: number): void {
    if (this.isInForeignContext() && this.#html.startsWith(CDATA, this.#from + start - 2))
      this.ontext(start - 2 + CDATA.length, end)
  }

  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}

/** XHTML's `x:script` is a script too. */
function withoutPrefix(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1)
}
