import { DASH, EQUALS, FF, GREATER, isQuote, isSpace, SLASH, toLower } from './char-codes.ts'

/** Positions in the HTML. Each has a method with a picture. */
const CONTENT = 0
const MARK = 1
const TAG = 2
const COMMENT = 3

const NAME = 0
const AFTER_EQUALS = 1
const PLAIN = 2

/** Elements that show their content as typed, so calls in it are examples. */
export const verbatimElements: readonly string[] = ['pre', 'xmp', 'listing', 'plaintext']

/**
 * An HTML comment or an element such as `<pre>`, from its first character to its last, the way a browser finds them:
 * names in upper or lower case, `>` in a quoted attribute, nested elements, comments in elements. It is read in pieces
 * of any size and keeps only a few numbers.
 */
export class HiddenHtml {
  hasEnded = false
  isOpened = false
  /** The element's name; empty for a comment. */
  #element = ''
  #depth = 0
  #state = CONTENT
  /** The text after the last `<`, in lower case. */
  #word = ''
  #attribute = NAME
  #quote = 0
  /** The number of dashes at the end of the comment's last piece, at most two. */
  #dashes = 0

  /** `tag` has been read: `<!--`, or a name with the character after it: `<pre>`, `<PRE `. */
  begin(tag: string): void {
    this.isOpened = this.hasEnded = false
    this.#depth = 0
    if (tag === '<!--') {
      this.isOpened = true
      this.#beginComment()
      return
    }
    this.#element = tag.slice(1, -1).toLowerCase()
    this.#beginTag(1)
    this.readOpening(tag, tag.length - 1)
  }

  /** Reads the opening tag. `isOpened` tells whether it has ended. */
  readOpening(text: string, at: number): number {
    return this.isOpened ? at : this.#readTag(text, at)
  }

  read(text: string, at: number): number {
    let i = at
    while (i < text.length && !this.hasEnded) {
      if (this.#state === CONTENT) i = this.#readContent(text, i)
      else if (this.#state === MARK) i = this.#readMark(text, i)
      else if (this.#state === TAG) i = this.#readTag(text, i)
      else i = this.#readComment(text, i)
    }
    return i
  }

  // <pre>code</pre>
  //      ^
  #readContent(text: string, at: number): number {
    const mark = text.indexOf('<', at)
    if (mark < 0) return text.length
    this.#state = MARK
    this.#word = ''
    return mark + 1
  }

  // <pre>code</pre>
  //           ^
  #readMark(text: string, at: number): number {
    const code = toLower(text.charCodeAt(at))
    const isEnd = this.#word === `/${this.#element}`
    if ((isEnd || this.#word === this.#element) && endsName(code)) {
      this.#beginTag(isEnd ? -1 : 1)
      return at
    }
    this.#word += String.fromCharCode(code)
    if (this.#word === '!--') {
      this.#beginComment()
      return at + 1
    }
    if (['!--', this.#element, `/${this.#element}`].some(word => word.startsWith(this.#word))) return at + 1
    this.#state = CONTENT
    return at
  }

  // <pre class="a>b">code</pre>
  //      ^
  #readTag(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (this.#quote !== 0) {
        if (code === this.#quote) this.#quote = 0
      } else if (code === GREATER) {
        this.#state = CONTENT
        this.isOpened = true
        this.hasEnded = this.#depth === 0
        return i + 1
      } else this.#readAttribute(code)
    }
    return text.length
  }

  /** Only the first character of a value can open a quote. */
  #readAttribute(code: number): void {
    if (isHtmlSpace(code)) {
      if (this.#attribute === PLAIN) this.#attribute = NAME
    } else if (this.#attribute === AFTER_EQUALS) {
      const opens = isQuote(code)
      if (opens) this.#quote = code
      this.#attribute = opens ? NAME : PLAIN
    } else if (this.#attribute === NAME && code === EQUALS) this.#attribute = AFTER_EQUALS
  }

  // <!-- comment -->
  //     ^
  #readComment(text: string, at: number): number {
    for (let end = text.indexOf('>', at); end >= 0; end = text.indexOf('>', end + 1)) {
      if (this.#dashesBefore(text, at, end) < 2) continue
      this.#state = CONTENT
      this.hasEnded = this.#depth === 0
      return end + 1
    }
    this.#dashes = this.#dashesBefore(text, at, text.length)
    return text.length
  }

  /** The number of dashes directly before `end`, at most two, including those at the end of the last piece. */
  #dashesBefore(text: string, at: number, end: number): number {
    let dashes = 0
    while (dashes < 2 && end - dashes > at && text.charCodeAt(end - dashes - 1) === DASH) dashes++
    return end - dashes === at ? Math.min(2, dashes + this.#dashes) : dashes
  }

  /** The dashes of `<!--` can also be those of `-->`: `<!-->` is a whole comment. */
  #beginComment(): void {
    this.#state = COMMENT
    this.#dashes = 2
  }

  #beginTag(step: 1 | -1): void {
    this.#depth += step
    this.#state = TAG
    this.#attribute = NAME
    this.#quote = 0
  }
}

/** True for what may follow a tag's name: `<prefix>` isn't `<pre>`. */
function endsName(code: number): boolean {
  return code === GREATER || code === SLASH || isHtmlSpace(code)
}

function isHtmlSpace(code: number): boolean {
  return code === FF || isSpace(code)
}
