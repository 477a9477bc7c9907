import { Tokenizer } from 'htmlparser2'

/** Elements whose content is not text for a reader: code, what is inert, and what stands in for something else. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'noembed', 'noframes'])

/** Elements inside `svg` and `math` whose content is HTML again. */
const INTEGRATION = new Set(['foreignobject', 'desc', 'annotation-xml', 'mi', 'mo', 'mn', 'ms', 'mtext'])

/** Elements that end `svg` and `math` where they are forgotten to be closed (HTML: "breakout"). */
const BREAKOUT = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
)

/** What a reader of an HTML text gets, in the order of the text. Tags come as they are written: they need not match. */
export interface HtmlReader {
  /** The attributes that are wanted; the others are not collected. */
  attributes?: ReadonlySet<string>
  open(name: string, attributes: ReadonlyMap<string, string>): void
  close(name: string): void
  text(data: string): void
}

/**
 * Reads HTML of any quality in one pass, in time linear in its length and without a stack that could overflow. Comments
 * and everything in hidden elements (scripts, styles, templates) are left out. In XHTML a tag can close itself.
 */
export function readHtml(html: string, reader: HtmlReader, { xhtml = false }: { xhtml?: boolean } = {}): void {
  const walk = new Walk(html, reader, xhtml)
  const tokenizer = new Tokenizer({ recognizeSelfClosing: xhtml }, walk)
  tokenizer.write(html)
  tokenizer.end()
}

type TokenizerCallbacks = ConstructorParameters<typeof Tokenizer>[1]

/** Between the tokenizer and the reader: keeps track of what is hidden. */
class Walk implements TokenizerCallbacks {
  readonly #html: string
  readonly #reader: HtmlReader
  readonly #xhtml: boolean
  /** The hidden element that is open, and how often it is open within itself. */
  #hidden = ''
  #level = 0
  /** Where the content of the hidden element begins. */
  #hiddenFrom = 0
  /** Open `svg`, `math` and the elements in them whose content is HTML. */
  readonly #foreign: string[] = []
  /** The tag that is being read. */
  #name = ''
  #attributes: Map<string, string> = new Map()
  /** The attribute that is being read; '' if it is not wanted. */
  #attribute = ''
  #value = ''

  constructor(html: string, reader: HtmlReader, xhtml: boolean) {
    this.#html = html
    this.#reader = reader
    this.#xhtml = xhtml
  }

  isInForeignContext(): boolean {
    const innermost = this.#foreign.at(-1)
    return innermost !== undefined && !INTEGRATION.has(innermost)
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#tagName(start, end)
    this.#attributes = new Map()
  }

  onattribname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase()
    this.#attribute = this.#reader.attributes?.has(name) && !this.#attributes.has(name) ? name : ''
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== '') this.#value += this.#html.slice(start, end)
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
    this.#open(end + 1, this.#xhtml || this.isInForeignContext())
  }

  #open(contentFrom: number, closed: boolean): void {
    const name = this.#name
    if (BREAKOUT.has(name)) while (this.isInForeignContext()) this.#foreign.pop()
    if (this.#hidden !== '') {
      if (name === this.#hidden && !closed) this.#level++
    } else if (HIDDEN.has(name)) {
      if (closed) return
      this.#hidden = name
      this.#level = 1
      this.#hiddenFrom = contentFrom
    } else {
      if (!closed && (name === 'svg' || name === 'math' || (this.#foreign.length > 0 && INTEGRATION.has(name))))
        this.#foreign.push(name)
      this.#reader.open(name, this.#attributes)
      if (closed) this.#reader.close(name)
    }
  }

  onclosetag(start: number, end: number): void {
    const name = this.#tagName(start, end)
    if (this.#hidden !== '') {
      if (name !== this.#hidden || this.#opensScriptAgain(start)) return
      if (--this.#level === 0) this.#hidden = ''
      return
    }
    if (name === 'svg' || name === 'math') while (INTEGRATION.has(this.#foreign.at(-1) ?? '')) this.#foreign.pop()
    if (this.#foreign.at(-1) === name) this.#foreign.pop()
    this.#reader.close(name)
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
    if (this.#hidden === '') this.#reader.text(this.#html.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    if (this.#hidden === '') this.#reader.text(String.fromCodePoint(codePoint))
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  /** In lower case and without a prefix: `x:script` of XHTML is a script too. */
  #tagName(start: number, end: number): string {
    const name = this.#html.slice(start, end).toLowerCase()
    return name.slice(name.lastIndexOf(':') + 1)
  }
}
