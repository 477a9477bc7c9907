import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { limits } from '../limits.ts'

/**
 * `base` with `overrides` laid over it, objects merged key by key, lists and scalars replaced. Neither is changed, and
 * `__proto__` is an ordinary key.
 */
export function mergeMetadata(
  base: Record<string, unknown> | undefined,
  overrides: Record<string, unknown>,
  depth = 0,
): Record<string, unknown> {
  if (base === undefined || depth > limits.jsonDepth) return overrides
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(overrides)) {
    if (value === undefined) continue
    const before = merged.get(key)
    merged.set(key, isRecord(before) && isRecord(value) ? mergeMetadata(before, value, depth + 1) : value)
  }
  return Object.fromEntries(merged)
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
