import type { ProviderMetadata } from '../../message/tool-invocation.ts'

/** Both, with the later one's fields where both name a field of the same provider; undefined where there is neither. */
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
