import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { isRecord } from '../../source/is-record.ts'
import * as limits from '../limits.ts'
import { setOwn } from '../set-own.ts'

export type Metadata = Record<string, unknown>

/**
 * A message's metadata at one moment: the previous metadata with a piece merged into it. Objects are merged key by key;
 * lists and scalars are replaced. A piece only takes up memory until the metadata is read; then all pieces since the
 * last read are merged together.
 */
export class MergedMetadata {
  /** Undefined once `#value` is the complete metadata. Until then, `#value` is only the piece. */
  #before: MergedMetadata | undefined
  #value: Metadata

  constructor(before: MergedMetadata | undefined, value: Metadata) {
    this.#before = before
    this.#value = value
  }

  get isBuilt(): boolean {
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

/** Copies what it changes, once: objects in `own` were created here. `__proto__` is an ordinary key. */
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

/** Undefined if nothing is left. */
export function withoutWaited(metadata: ProviderMetadata): ProviderMetadata | undefined {
  const { argot, ...others } = metadata
  const { waited: _, ...rest } = argot ?? {}
  const remaining = Object.keys(rest).length === 0 ? others : { ...others, argot: rest }
  return Object.keys(remaining).length === 0 ? undefined : remaining
}

/** False for lists and dates. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !(value instanceof Date)
}
