import { WordWrap, type WordWrapOptions } from './word-wrap.ts'

/** Draws a text unchanged as it arrives, wrapped between words. */
export class PlainText {
  readonly #wrap: WordWrap

  constructor(options: WordWrapOptions) {
    this.#wrap = new WordWrap(options)
  }

  push(text: string): void {
    text.split('\n').forEach((line, index) => {
      if (index > 0) this.#wrap.endLine()
      this.#wrap.put(line)
    })
  }

  settle(): void {
    this.#wrap.settle()
  }

  end(): void {
    this.#wrap.end()
  }
}
