import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { isRecord } from '../../source/is-record.ts'
import * as limits from '../limits.ts'
import { setOwn } from '../set-own.ts'

/** Metadata of a message, to be read like any other. */
export type Metadata = Record<string, unknown>

/**
 * The metadata of a message at one moment: those of the moment before with a piece laid over it. Objects are merged key by
 * key, lists and scalars replaced. A piece costs nothing but its place until somebody reads; then all that came since the
 * last reading is merged in one go.
 */
export class MergedMetadata {
  /** Undefined once the value is complete. */
  #before: MergedMetadata | undefined
  /** The metadata, or the piece that is laid over those before. */
  #value: Metadata

  constructor(before: MergedMetadata | undefined, value: Metadata) {
    this.#before = before
    this.#value = value
  }

  /** Reading costs nothing. */
  get built(): boolean {
    return this.#before === undefined
  }

  get value(): Metadata {
    if (this.#before !== undefined) {
      const pieces: Metadata[] = []
      let at: MergedMetadata = this
      for (; at.#before !== undefined; at = at.#before) pieces.push(at.#value)
      const own = new Set<object>()
      this.#value = pieces.reduceRight((merged, piece) => merge(merged, piece, own, 0), at.#value)
      this.#before = undefined
    }
    return this.#value
  }
}

/** Copies what it changes, once: what is in `own` was made here. `__proto__` is an ordinary key. */
function merge(base: Metadata, overrides: Metadata, own: Set<object>, depth: number): Metadata {
  if (depth > limits.jsonDepth) return overrides
  const merged = own.has(base) ? base : { ...base }
  own.add(merged)
  for (const [key, value] of Object.entries(overrides)) {
    if (value === undefined) continue
    const before = Object.hasOwn(merged, key) ? merged[key] : undefined
    setOwn(merged, key, isPlainObject(before) && isPlainObject(value) ? merge(before, value, own, depth + 1) : value)
  }
  return merged
}

/** The metadata of a result without how long it waited for its turn; nothing where that was all. */
export function withoutWaited(metadata: ProviderMetadata): ProviderMetadata | undefined {
  const { argot, ...others } = metadata
  const { waited: _, ...rest } = argot ?? {}
  const left = Object.keys(rest).length === 0 ? others : { ...others, argot: rest }
  return Object.keys(left).length === 0 ? undefined : left
}

/** True for an object that is neither a list nor a date. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !(value instanceof Date)
}
