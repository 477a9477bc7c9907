import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { limits } from '../limits.ts'
import { setOwn } from '../set-own.ts'

/** Metadata of a message, to be read like any other. */
export type Metadata = Record<string, unknown>

/**
 * Metadata that comes piece by piece: objects are merged key by key, lists and scalars replaced. A piece costs nothing
 * but its place until somebody reads; then all that came since the last reading is merged in one go.
 */
export class GrowingMetadata {
  /** What was read last, and the pieces since. Replaced and not emptied, because captures keep theirs. */
  #pieces: { base: Metadata | undefined; overrides: Metadata[] }
  #capture: MetadataCapture | undefined

  constructor(base: Metadata | undefined) {
    this.#pieces = { base, overrides: [] }
  }

  merge(overrides: Metadata): void {
    if (this.#pieces.base === undefined) this.#pieces = { base: overrides, overrides: [] }
    else this.#pieces.overrides.push(overrides)
    this.#capture = undefined
  }

  /** The metadata as it is now, whatever comes later; undefined while there is none. */
  capture(): MetadataCapture | undefined {
    const { base, overrides } = this.#pieces
    if (base === undefined) return undefined
    this.#capture ??= new MetadataCapture(base, overrides, (built, value) => {
      if (built === this.#capture) this.#pieces = { base: value, overrides: [] }
    })
    return this.#capture
  }
}

/** The metadata of one moment, merged when it is first read. */
export class MetadataCapture {
  /** The metadata, or what the overrides are laid over. */
  #value: Metadata
  /** Undefined once they are merged; only the first `#count` belong to this moment. */
  #overrides: readonly Metadata[] | undefined
  readonly #count: number
  readonly #onBuilt: (capture: MetadataCapture, value: Metadata) => void

  constructor(
    base: Metadata,
    overrides: readonly Metadata[],
    onBuilt: (capture: MetadataCapture, value: Metadata) => void,
  ) {
    this.#count = overrides.length
    this.#overrides = this.#count === 0 ? undefined : overrides
    this.#value = base
    this.#onBuilt = onBuilt
  }

  /** Reading costs nothing. */
  get built(): boolean {
    return this.#overrides === undefined
  }

  get value(): Metadata {
    if (this.#overrides !== undefined) {
      this.#value = mergeAll(this.#value, this.#overrides, this.#count)
      this.#overrides = undefined
      this.#onBuilt(this, this.#value)
    }
    return this.#value
  }
}

/** `base` with the first `count` of the overrides laid over it, one after the other. None of them is changed. */
function mergeAll(base: Metadata, overrides: readonly Metadata[], count: number): Metadata {
  const own = new Set<object>()
  let merged = base
  for (let index = 0; index < count; index++) merged = merge(merged, overrides[index]!, own, 0)
  return merged
}

/** Copies what it changes, once: what is in `own` was made here. `__proto__` is an ordinary key. */
function merge(base: Metadata, overrides: Metadata, own: Set<object>, depth: number): Metadata {
  if (depth > limits.jsonDepth) return overrides
  const merged = own.has(base) ? base : { ...base }
  own.add(merged)
  for (const [key, value] of Object.entries(overrides)) {
    if (value === undefined) continue
    const before = Object.hasOwn(merged, key) ? merged[key] : undefined
    setOwn(merged, key, isRecord(before) && isRecord(value) ? merge(before, value, own, depth + 1) : value)
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
