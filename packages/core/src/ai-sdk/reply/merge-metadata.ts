import type { ProviderMetadata } from '../../message/tool-invocation.ts'

/** If both have a field of the same provider, the later one wins. Undefined if there is neither. */
export function mergeMetadata(
  earlier: ProviderMetadata | undefined,
  later: ProviderMetadata | undefined,
): ProviderMetadata | undefined {
  if (earlier === undefined) return later
  if (later === undefined) return earlier
  const merged: ProviderMetadata = { ...earlier }
  for (const [provider, fields] of Object.entries(later)) merged[provider] = { ...earlier[provider], ...fields }
  return merged
}
