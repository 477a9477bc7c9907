import { endsInHalf } from '../../source/surrogates.ts'
import * as limits from '../limits.ts'
import { deepJson } from './deep-json.ts'

export interface InspectedPayload {
  /** The value itself if it is valid, otherwise a repaired copy. */
  value: unknown
  /** A rough length as JSON, in UTF-16 units. */
  length: number
  /** Half a surrogate pair was replaced by U+FFFD. */
  repaired: boolean
  /** Nested beyond the limit, or contains itself. `value` is then the JSON text, or undefined if there is none. */
  tooDeep: boolean
}

/**
 * Checks a value once for lone surrogates, depth and length. A bigint, which JSON lacks, becomes its digits. Valid
 * values are returned unchanged, not copied.
 */
export function inspectPayload(input: unknown): InspectedPayload {
  const inspector = new Inspector()
  const value = inspector.visit(input)
  const { length, repaired, tooDeep } = inspector
  return { value: tooDeep ? jsonText(input) : value, length, repaired, tooDeep }
}

/** A class instead of closures, because it runs for every value that arrives. */
class Inspector implements Omit<InspectedPayload, 'value'> {
  length = 0
  repaired = false
  tooDeep = false
  readonly #ancestors: object[] = []

  visit(value: unknown): unknown {
    if (typeof value === 'string') {
      this.length += value.length + 2
      if (value.isWellFormed()) return value
      this.repaired = true
      return value.toWellFormed()
    }
    this.length += 4
    if (typeof value === 'bigint') return String(value)
    if (typeof value !== 'object' || value === null || this.tooDeep) return value
    // There are at most `jsonDepth` of them, usually a handful: searching the list is cheaper than a set.
    if (this.#ancestors.length >= limits.jsonDepth || this.#ancestors.includes(value)) {
      this.tooDeep = true
      return value
    }
    if (this.length > limits.messageLength) return value
    this.#ancestors.push(value)
    const result = Array.isArray(value) ? this.#visitList(value) : this.#visitObject(value as Record<string, unknown>)
    this.#ancestors.pop()
    return result
  }

  #visitList(list: unknown[]): unknown {
    let copy: unknown[] | undefined
    for (let i = 0; i < list.length; i++) {
      const item = this.visit(list[i])
      if (item !== list[i] && !Object.is(item, list[i])) {
        copy ??= list.slice()
        copy[i] = item
      }
    }
    return copy ?? list
  }

  #visitObject(object: Record<string, unknown>): unknown {
    let changed: Map<string, [string, unknown]> | undefined
    for (const key of Object.keys(object)) {
      this.length += key.length + 3
      const value = this.visit(object[key])
      const isKeyWellFormed = key.isWellFormed()
      if (!isKeyWellFormed) this.repaired = true
      if (isKeyWellFormed && Object.is(value, object[key])) continue
      changed ??= new Map()
      changed.set(key, [isKeyWellFormed ? key : key.toWellFormed(), value])
    }
    if (changed === undefined) return object
    const entries = Object.keys(object).map(key => changed.get(key) ?? ([key, object[key]] as [string, unknown]))
    return Object.fromEntries(entries)
  }
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)?.toWellFormed()
  } catch {
    return deepJson(value)?.toWellFormed()
  }
}

/**
 * Joins pieces of a text so that a surrogate pair cut in two is complete again and a lone half becomes U+FFFD. The
 * result doesn't depend on where the text was cut. Only the newest piece is checked.
 */
export class SurrogateJoiner {
  /** A high surrogate at the end of the last piece. */
  held: string
  readonly #onLone: () => void

  constructor(onLoneSurrogate: () => void, held = '') {
    this.#onLone = onLoneSurrogate
    this.held = held
  }

  /** Returns the text that is certain after this piece. */
  push(piece: string): string {
    let joined = this.held === '' ? piece : this.held + piece
    this.held = ''
    if (endsInHalf(joined)) {
      this.held = joined.slice(-1)
      joined = joined.slice(0, -1)
    }
    if (joined.isWellFormed()) return joined
    this.#onLone()
    return joined.toWellFormed()
  }

  /** Returns the remaining text: a half that still waits becomes U+FFFD. */
  end(): string {
    if (this.held === '') return ''
    this.held = ''
    this.#onLone()
    return '\ufffd'
  }
}
