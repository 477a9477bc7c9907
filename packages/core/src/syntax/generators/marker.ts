import { GREATER, isSpace, LESS } from '../reader/char-codes.ts'
import type { Reader } from '../reader/reader.ts'
import { isNameCode, isWideNameCode } from '../tool-names.ts'

/**
 * A text with placeholders that begins or ends something: `[TOOL_CALLS]{name}[ARGS]`, `<invoke name="{name}">`.
 *
 * - `{name}` is the name of a tool or a parameter, `{id}` a call's id, `{label}` an ignored word that may be missing,
 *   and `{attributes}` any attributes.
 * - A line break matches any amount of whitespace, including none. A space matches at least one whitespace character.
 * - A double quote matches either quote, and other attributes may follow a quoted name.
 */
export type Marker = string

type MarkerPart = Literal | 'name' | 'id' | 'label' | 'layout' | 'space' | 'quote' | 'attributes'
interface Literal {
  text: string
}

const MAX_ATTRIBUTES_LENGTH = 256
const QUOTE = 34
const HASH = 35
const APOSTROPHE = 39
const SLASH = 47
const COLON = 58

/** Enough for the markers of all tables, and of recently read names. */
const MAX_COMPILED = 1000
const compiledMarkers = new Map<Marker, readonly MarkerPart[]>()

function compile(marker: Marker): readonly MarkerPart[] {
  const cached = compiledMarkers.get(marker)
  if (cached !== undefined) return cached
  const parts = marker
    .trimEnd()
    .split(/(\{name\}|\{id\}|\{label\}|\{attributes\}|[\n "])/)
    .filter(piece => piece !== '')
    .flatMap((piece): MarkerPart[] => {
      if (piece === '{name}') return ['name']
      if (piece === '{id}') return ['id']
      if (piece === '{label}') return ['label']
      if (piece === '{attributes}') return ['attributes']
      if (piece === '\n') return ['layout']
      if (piece === ' ') return ['space']
      return piece === '"' ? ['quote'] : [{ text: piece }]
    })
    .flatMap((part, index, all): MarkerPart[] => {
      const next = all[index + 1]
      return part === 'quote' && typeof next === 'object' && next.text.startsWith('>') ? [part, 'attributes'] : [part]
    })
  if (compiledMarkers.size >= MAX_COMPILED) compiledMarkers.clear()
  compiledMarkers.set(marker, parts)
  return parts
}

export function fillMarker(marker: Marker, places: { name?: string; id?: string; attributes?: string }): string {
  return marker.replaceAll(/\{(name|id|attributes)\}/g, (_, place: 'name' | 'id' | 'attributes') => places[place] ?? '')
}

export function toList<T>(entry: T | readonly T[]): readonly T[] {
  return Array.isArray(entry) ? entry : [entry as T]
}

export function getFixedStart(marker: Marker): string {
  return marker.split(/[{\n "]/, 1)[0] ?? ''
}

export function getFirstCharacters(markers: readonly Marker[]): string {
  let firsts = ''
  for (const marker of markers) if (!firsts.includes(marker.charAt(0))) firsts += marker.charAt(0)
  return firsts
}

type Step = 'dead' | 'read' | 'complete' | 'complete before'

class MarkerCandidate {
  name = ''
  id = ''
  attributes = ''
  alive = true
  readonly #parts: readonly MarkerPart[]
  #part = 0
  #count = 0
  /** The open quote in the attributes; 0 if none. */
  #quote = 0

  constructor(marker: Marker) {
    this.#parts = compile(marker)
  }

  reset(): void {
    this.name = this.id = this.attributes = ''
    this.alive = true
    this.#part = this.#count = this.#quote = 0
  }

  step(code: number): Step {
    for (let part = this.#parts[this.#part]; part !== undefined; part = this.#parts[this.#part]) {
      if (typeof part === 'object') return this.#readLiteral(part, code)
      if (this.#continues(part, code)) return this.#readPlace(part, code)
      if (this.#count === 0 && (part === 'name' || part === 'space' || part === 'quote')) return 'dead'
      if (this.#quote !== 0) return 'dead'
      this.#next()
    }
    return 'complete before'
  }

  /**
   *   | <invoke name="read_file">
   *      ^^^^^^
   */
  #readLiteral({ text }: Literal, code: number): Step {
    if (code !== text.charCodeAt(this.#count)) return 'dead'
    if (++this.#count < text.length) return 'read'
    return this.#next() ? 'read' : 'complete'
  }

  /**
   *   | <invoke name="read_file">
   *                  ^^^^^^^^^
   */
  #readPlace(part: Exclude<MarkerPart, Literal>, code: number): Step {
    this.#count++
    if (part === 'name') this.name += String.fromCharCode(code)
    else if (part === 'id') this.id += String.fromCharCode(code)
    else if (part === 'attributes') this.#readAttribute(code)
    else if (part === 'quote') return this.#next() ? 'read' : 'complete'
    return 'read'
  }

  #continues(part: Exclude<MarkerPart, Literal>, code: number): boolean {
    switch (part) {
      case 'name':
        return isWideNameCode(code) ? code !== SLASH || this.#count > 0 : code === HASH && this.#count > 0
      case 'id':
      case 'label':
        return isNameCode(code) || code === COLON || code === SLASH
      case 'quote':
        return this.#count === 0 && (code === QUOTE || code === APOSTROPHE)
      case 'attributes':
        if (this.#count === 0) return isSpace(code) || code === SLASH
        return this.#count < MAX_ATTRIBUTES_LENGTH && code !== LESS && code !== GREATER
      default:
        return isSpace(code)
    }
  }

  /** A quote that isn't closed before the tag ends is a mistake. */
  #readAttribute(code: number): void {
    this.attributes += String.fromCharCode(code)
    if (code === this.#quote) this.#quote = 0
    else if (this.#quote === 0 && (code === QUOTE || code === APOSTROPHE)) this.#quote = code
  }

  #next(): boolean {
    this.#count = 0
    return ++this.#part < this.#parts.length
  }
}

/** Finds which of several markers a text continues with. */
export class MarkerSet {
  /** The placeholders' values in the matched marker. */
  name = ''
  id = ''
  attributes = ''
  readonly #candidates: readonly MarkerCandidate[]
  /** A complete marker that another may still extend, and where it ended. */
  #complete = -1
  #completeAt = -1
  #mayContinue = false

  constructor(markers: readonly Marker[]) {
    this.#candidates = markers.map(marker => new MarkerCandidate(marker))
  }

  begin(): void {
    this.#complete = this.#completeAt = -1
    for (const candidate of this.#candidates) candidate.reset()
  }

  /**
   * Begins with characters that were already read, up to `end`. Returns false if no marker continues after all of them.
   */
  beginWith(text: string, end: number): boolean {
    this.begin()
    for (let i = 0; i < text.length; i++) {
      this.#step(text.charCodeAt(i), end - text.length + i)
      if (!this.#mayContinue && this.#completeAt !== end) return false
    }
    return true
  }

  /** The index of the marker that the text continues with, -1 for none, undefined while undecided. */
  read(reader: Reader): number | undefined {
    while (reader.at < reader.text.length) {
      const complete = this.#step(reader.text.charCodeAt(reader.at), reader.offset)
      if (!this.#mayContinue && !complete) {
        if (this.#complete >= 0) reader.goBackTo(this.#completeAt)
        return this.#finish(this.#complete)
      }
      reader.at++
      if (!this.#mayContinue) return this.#finish(this.#complete)
    }
    return undefined
  }

  /** Reads one more character, at `offset`. Returns true if it completes a marker. */
  #step(code: number, offset: number): boolean {
    let reading = false
    let complete = -1
    let before = -1
    for (let i = 0; i < this.#candidates.length; i++) {
      const candidate = this.#candidates[i]
      if (candidate === undefined || !candidate.alive) continue
      const step = candidate.step(code)
      candidate.alive = step === 'read'
      if (step === 'read') reading = true
      else if (step === 'complete' && complete < 0) complete = i
      else if (step === 'complete before' && before < 0) before = i
    }
    this.#mayContinue = reading
    if (complete >= 0 || before >= 0) {
      this.#complete = complete >= 0 ? complete : before
      this.#completeAt = complete >= 0 ? offset + 1 : offset
    }
    return complete >= 0
  }

  #finish(index: number): number {
    const candidate = this.#candidates[index]
    this.name = candidate?.name ?? ''
    this.id = candidate?.id ?? ''
    this.attributes = candidate?.attributes ?? ''
    return index
  }
}
