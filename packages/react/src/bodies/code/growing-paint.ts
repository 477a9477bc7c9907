import { cutPayload, LONG_PAYLOAD, lastLines } from '../text/cut-text.ts'

/** For very long lines, this many of the newest characters are shown. */
const NEWEST_CHARACTERS = 4000
/** The newest part of a long text is drawn in blocks of this many characters; the oldest blocks are removed. */
const BLOCK_CHARACTERS = 8000

/**
 * Writes a growing text into an element, each character once, without React. It shows the newest lines if their number
 * is set. Otherwise it shows everything up to the drawing limit of 100 kB, and above that the beginning and the newest
 * text.
 */
export class GrowingPaint {
  readonly #host: HTMLElement
  readonly #newestLines: number | undefined
  readonly #formatHidden: (hidden: number) => string
  #drawnLength = 0
  #lines = 1
  /** Oldest first. The first block is the beginning, which stays. */
  #blocks: { element: HTMLElement; text: Text }[] = []
  #cut: HTMLElement | undefined
  /** The newest lines, and where in the text they begin. */
  #window: { node: Text; from: number } | undefined
  #hidden = 0

  constructor(host: HTMLElement, newest: number | undefined, formatHidden: (hidden: number) => string) {
    this.#host = host
    this.#newestLines = newest
    this.#formatHidden = formatHidden
  }

  /** Counted from 1. */
  get line(): number {
    return this.#lines
  }

  get isCut(): boolean {
    return this.#newestLines !== undefined && (this.#lines > this.#newestLines || this.#drawnLength > NEWEST_CHARACTERS)
  }

  /** `text` continues the previous text, unless it is shorter. */
  draw(text: string): void {
    if (text.length < this.#drawnLength) this.clear()
    const from = this.#drawnLength
    for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) this.#lines++
    this.#drawnLength = text.length
    if (this.#newestLines !== undefined) this.#slide(text, lastLines(text, this.#newestLines, NEWEST_CHARACTERS))
    else if (from === 0) this.#begin(text)
    else this.#append(text.slice(from))
  }

  clear(): void {
    this.#host.replaceChildren()
    this.#blocks = []
    this.#cut = undefined
    this.#window = undefined
    this.#drawnLength = 0
    this.#lines = 1
    this.#hidden = 0
  }

  /** Lines leave at the front and join at the end of one text node, so that a selection in it survives. */
  #slide(text: string, newest: string): void {
    const from = text.length - (text.endsWith('\n') ? 1 : 0) - newest.length
    const { node, from: before } = (this.#window ??= { node: document.createTextNode(''), from })
    if (!node.isConnected) this.#host.replaceChildren(node)
    node.deleteData(0, Math.min(from - before, node.length))
    if (newest.startsWith(node.data)) node.appendData(newest.slice(node.length))
    else node.data = newest
    this.#window.from = from
  }

  #begin(text: string): void {
    const { head, tail, hidden } = cutPayload(text, true)
    this.#block(head)
    if (hidden > 0) this.#hide(hidden)
    if (tail !== '') this.#append(tail)
  }

  #append(delta: string): void {
    for (let at = 0; at < delta.length; ) {
      const last = this.#blocks.at(-1)
      const room = last === undefined ? 0 : BLOCK_CHARACTERS - last.text.length
      // A block ends at a line end, because each block is laid out separately.
      const end = room > 0 ? delta.length : delta.indexOf('\n', at) + 1
      if (room > 0 || last === undefined) {
        const piece = delta.slice(at, room > 0 ? at + room : at + BLOCK_CHARACTERS)
        if (last === undefined) this.#block(piece)
        else last.text.appendData(piece)
        at += piece.length
      } else if (end === 0) {
        last.text.appendData(delta.slice(at))
        at = delta.length
      } else {
        last.text.appendData(delta.slice(at, end - 1))
        this.#block('')
        at = end
      }
    }
    this.#drop()
  }

  /** Once there is too much text, the oldest blocks after the beginning are removed. */
  #drop(): void {
    while (this.#blocks.length > 2 && this.#drawnLength - this.#hidden > LONG_PAYLOAD) {
      const [removed] = this.#blocks.splice(1, 1)
      this.#hide(this.#hidden + removed!.text.length + 1)
      removed!.element.remove()
    }
  }

  #hide(hidden: number): void {
    this.#hidden = hidden
    if (this.#cut === undefined) {
      this.#cut = document.createElement('span')
      this.#cut.className = 'argot-cut'
      this.#blocks[0]?.element.after(this.#cut)
    }
    this.#cut.textContent = this.#formatHidden(hidden)
  }

  #block(text: string): void {
    const element = document.createElement('span')
    element.className = 'argot-piece'
    const node = document.createTextNode(text)
    element.append(node)
    this.#host.append(element)
    this.#blocks.push({ element, text: node })
  }
}
