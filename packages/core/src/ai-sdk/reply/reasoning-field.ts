import type { Chunk } from '../../stream/chunk.ts'
import { KeptText } from '../../syntax/reader/kept-text.ts'
import type { SyntaxDiagnostic, SyntaxParser } from '../../syntax/syntax.ts'

/**
 * Reasoning that a provider sends beside the text. Calls in it are held until it is known whether the reply ends with
 * them. The parser begins in `reasoning-field`; one that doesn't know this option holds nothing and finds no calls.
 */
export class ReasoningField {
  readonly id: string
  isEnded = false
  readonly #parser: SyntaxParser
  readonly #text = new KeptText()
  #sentLength = 0
  #isPlain = false

  constructor(id: string, parser: SyntaxParser) {
    this.id = id
    this.#parser = parser
  }

  get isHolding(): boolean {
    return this.#sentLength < this.#text.length
  }

  /** Returns the text that is certain to be reasoning. */
  push(text: string): string {
    this.#text.append(text)
    let end = this.#isPlain ? this.#text.length : this.#sentLength
    for (const chunk of this.#isPlain ? [] : this.#parser.push(text)) {
      if (chunk.type === 'reasoning-delta') end += chunk.delta.length
      else this.#isPlain ||= chunk.type !== 'reasoning-start'
    }
    return this.#give(this.#isPlain ? this.#text.length : end)
  }

  /** Something follows, so the held text is reasoning. */
  release(): string {
    return this.#give(this.#text.length)
  }

  /** Call it if the reply ends with this reasoning. Returns the rest of it, and the calls that it ends with. */
  end(): { reasoning: string; calls: Chunk[]; diagnostics: readonly SyntaxDiagnostic[] } {
    if (this.#isPlain) return { reasoning: this.release(), calls: [], diagnostics: [] }
    const chunks = this.#parser.end()
    const hasCalls = chunks.some(({ type }) => type === 'tool-input-start')
    const rest = chunks.map(chunk => (chunk.type === 'reasoning-delta' ? chunk.delta : '')).join('')
    const reasoning = hasCalls ? this.#give(this.#sentLength + rest.length) : this.release()
    const calls = hasCalls ? chunks.filter(({ type }) => !type.startsWith('reasoning-')) : []
    return { reasoning, calls, diagnostics: this.#parser.diagnostics ?? [] }
  }

  #give(end: number): string {
    const text = this.#text.slice(this.#sentLength, end)
    this.#sentLength = end
    if (end < this.#text.length) return text
    this.#text.clear()
    this.#sentLength = 0
    return text
  }
}
