import { limits } from '../limits.ts'
import { deepJson } from './deep-json.ts'

/** What a value of the outside turned out to be. */
export interface Payload {
  /** The value itself where it is sound, else a repaired copy. */
  value: unknown
  /** Its rough length as JSON, in UTF-16 units. */
  length: number
  /** It contained half a surrogate pair, which is now U+FFFD. */
  repaired: boolean
  /** It is nested past the limit, or contains itself; `value` is then its JSON text, or undefined if it has none. */
  tooDeep: boolean
}

/**
 * Looks a value over once: lone surrogates, depth, length; a bigint, which JSON has not, becomes its digits. Values that
 * are fine are returned as they are, not copied.
 */
export function inspectPayload(input: unknown): Payload {
  const payload: Payload = { value: input, length: 0, repaired: false, tooDeep: false }
  const ancestors = new Set<object>()

  function visit(value: unknown): unknown {
    if (typeof value === 'string') {
      payload.length += value.length + 2
      if (value.isWellFormed()) return value
      payload.repaired = true
      return value.toWellFormed()
    }
    payload.length += 4
    if (typeof value === 'bigint') return String(value)
    if (typeof value !== 'object' || value === null || payload.tooDeep) return value
    if (ancestors.size >= limits.jsonDepth || ancestors.has(value)) {
      payload.tooDeep = true
      return value
    }
    if (payload.length > limits.messageLength) return value
    ancestors.add(value)
    const result = Array.isArray(value) ? visitList(value) : visitObject(value as Record<string, unknown>)
    ancestors.delete(value)
    return result
  }

  function visitList(list: unknown[]): unknown {
    let copy: unknown[] | undefined
    for (let i = 0; i < list.length; i++) {
      const item = visit(list[i])
      if (item !== list[i] && !Object.is(item, list[i])) {
        copy ??= list.slice()
        copy[i] = item
      }
    }
    return copy ?? list
  }

  function visitObject(object: Record<string, unknown>): unknown {
    let changed: Map<string, [string, unknown]> | undefined
    for (const key of Object.keys(object)) {
      payload.length += key.length + 3
      const value = visit(object[key])
      const sound = key.isWellFormed()
      if (!sound) payload.repaired = true
      if (sound && Object.is(value, object[key])) continue
      changed ??= new Map()
      changed.set(key, [sound ? key : key.toWellFormed(), value])
    }
    if (changed === undefined) return object
    const entries = Object.keys(object).map(key => changed.get(key) ?? ([key, object[key]] as [string, unknown]))
    return Object.fromEntries(entries)
  }

  payload.value = visit(input)
  if (payload.tooDeep) payload.value = jsonText(input)
  return payload
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)?.toWellFormed()
  } catch {
    return deepJson(value)?.toWellFormed()
  }
}

/**
 * Joins pieces of a text so that a pair of surrogates cut in two is whole again and a lone half becomes U+FFFD, the
 * same for every way of cutting. Only the newest piece is looked at.
 */
export class SurrogateJoiner {
  /** A high surrogate at the end of the last piece. */
  held: string
  readonly #onLone: () => void

  /** `onLone` is called when half a pair had to be replaced. */
  constructor(onLone: () => void, held = '') {
    this.#onLone = onLone
    this.held = held
  }

  /** The text that became certain with this piece. */
  push(piece: string): string {
    let joined = this.held === '' ? piece : this.held + piece
    this.held = ''
    const last = joined.charCodeAt(joined.length - 1)
    if (last >= 0xd800 && last <= 0xdbff) {
      this.held = joined.slice(-1)
      joined = joined.slice(0, -1)
    }
    if (joined.isWellFormed()) return joined
    this.#onLone()
    return joined.toWellFormed()
  }

  /** The text that is left at the end: a half that still waits becomes U+FFFD. */
  end(): string {
    if (this.held === '') return ''
    this.held = ''
    this.#onLone()
    return '\ufffd'
  }
}
