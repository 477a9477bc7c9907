import { types } from 'node:util'
import { wordStart } from './word-start.ts'

/** How many bytes of a tool's output a model gets. */
export const OUTPUT_BYTES: number = 384 * 1024

/** Deeper values are useless to a model, and the stream accepts at most 512 levels. */
const MAX_DEPTH = 64

/** A key that spans the cut must be seen in full, so search a little further. */
const MARGIN_CHARACTERS = 64 * 1024

type Redact = (value: unknown) => unknown

/**
 * The text, or as much of its beginning as fits into `limit` bytes together with a notice of how much was left out.
 * Cuts after a line if one ends in the second half, else between two words, else between two characters. `leftOut` is
 * how many characters are already missing.
 */
export function cutOutput(text: string, limit: number = OUTPUT_BYTES, leftOut = 0): string {
  if (leftOut === 0 && text.length <= limit && Buffer.byteLength(text) <= limit) return text
  const end = findCut(text, limit)
  const gap = end === 0 || text[end - 1] === '\n' ? '' : '\n'
  const left = text.length - end + leftOut
  return `${text.slice(0, end)}${gap}[Cut here: ${left} of ${text.length + leftOut} characters were left out.]`
}

/**
 * Like `cutOutput`, but without secrets. Shows only text that was searched for them, and nothing of a secret that
 * continues after it: with more of the text it would read differently.
 */
export function cutRedacted(text: string, limit: number, redact: Redact): string {
  const searched = limit + MARGIN_CHARACTERS
  const redacted = redact(text.slice(0, searched)) as string
  if (text.length <= searched) return cutOutput(redacted, limit)
  const further = redact(text.slice(0, searched + MARGIN_CHARACTERS)) as string
  return cutOutput(redacted, Math.min(limit, commonLength(redacted, further)), text.length - searched)
}

function commonLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return length
}

function findCut(text: string, limit: number): number {
  // No character has fewer bytes than code units, so nothing after this can fit, nor can a character that is cut here.
  const bytes = Buffer.from(text.slice(0, limit))
  let end = Math.min(limit, bytes.length)
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
  const line = bytes.lastIndexOf(10, end - 1) + 1
  if (line > end / 2) return bytes.toString('utf8', 0, line).length
  return wordStart(text, bytes.toString('utf8', 0, end).length)
}

/**
 * A JSON copy of any value, of about `limit` bytes at most. Omits what JSON omits. Cuts long strings, lists and objects
 * with a notice, and also deeply nested or circular values. Never throws; a larger value takes no longer than one at
 * the limit. A string is redacted before it is cut. Inside a list or an object, strings that fit are not redacted.
 */
export function cutValue(value: unknown, limit: number = OUTPUT_BYTES, redact: Redact = text => text): unknown {
  if (typeof value === 'string') return cutRedacted(value, limit, redact)
  return new Cutter(limit, redact).copy(value, 0) ?? null
}

class Cutter {
  #left: number
  readonly #open = new Set<object>()
  readonly #redact: Redact

  constructor(limit: number, redact: Redact) {
    this.#left = limit
    this.#redact = redact
  }

  /** Undefined if JSON has no form for the value. */
  copy(value: unknown, depth: number): unknown {
    const plain = toPlain(value)
    if (typeof plain === 'string') return this.#string(plain)
    if (typeof plain !== 'object' || plain === null) {
      this.#left -= 8
      return plain
    }
    if (this.#open.has(plain)) return this.#string('[Cut here: this contains itself.]')
    if (depth >= MAX_DEPTH) return this.#string(`[Cut here: nested more than ${MAX_DEPTH} levels deep.]`)
    this.#open.add(plain)
    this.#left -= 2
    try {
      return Array.isArray(plain) ? this.#list(plain, depth) : this.#object(plain, depth)
    } catch {
      return this.#string(UNREADABLE)
    } finally {
      this.#open.delete(plain)
    }
  }

  #string(text: string): string {
    const limit = Math.max(0, this.#left)
    if (text.length <= limit && Buffer.byteLength(text) <= limit) {
      this.#left -= Buffer.byteLength(text) + 3
      return text
    }
    this.#left = 0
    return cutRedacted(text, limit, this.#redact)
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = []
    for (let index = 0; index < list.length; index++) {
      if (this.#left <= 0) {
        copy.push(`[Cut here: ${list.length - index} of ${list.length} items were left out.]`)
        break
      }
      copy.push(this.copy(readField(list, index), depth + 1) ?? null)
    }
    return copy
  }

  #object(object: object, depth: number): Record<string, unknown> {
    const copy = Object.create(null) as Record<string, unknown>
    const keys = Object.keys(object)
    for (const [index, key] of keys.entries()) {
      if (this.#left <= 0 || key.length > this.#left) {
        copy['…'] = `[Cut here: ${keys.length - index} of ${keys.length} fields were left out.]`
        break
      }
      const field = this.copy(readField(object, key), depth + 1)
      if (field === undefined) continue
      copy[key] = field
      this.#left -= key.length + 3
    }
    return copy
  }
}

const UNREADABLE = '[This value could not be read.]'

function readField(object: object, key: string | number): unknown {
  try {
    return (object as Record<string | number, unknown>)[key]
  } catch {
    return UNREADABLE
  }
}

/** What JSON would write; undefined for a function, a symbol or undefined. */
function toPlain(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return describeInteger(value)
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'function':
    case 'symbol':
      return undefined
    case 'object':
      return value === null ? null : toJson(value)
    default:
      return value
  }
}

/** The result of `toJSON`, if there is one. It is not called twice. */
function toJson(object: object): unknown {
  // A buffer would become a list of numbers.
  if (types.isAnyArrayBuffer(object) || ArrayBuffer.isView(object))
    return `[${object.byteLength} bytes of binary data.]`
  try {
    const { toJSON } = object as { toJSON?: unknown }
    if (typeof toJSON !== 'function') return object
    const json: unknown = toJSON.call(object)
    return typeof json === 'object' ? json : toPlain(json)
  } catch {
    return UNREADABLE
  }
}

/** Larger integers take too long to print. */
const LARGEST_INTEGER = 2n ** 4096n

function describeInteger(value: bigint): string {
  return value < LARGEST_INTEGER && value > -LARGEST_INTEGER
    ? value.toString()
    : '[A whole number of more than 1000 digits.]'
}
