import type { SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { ProviderMetadata } from '../../message/tool-invocation.ts'

/** A part's metadata in the form that providers take back, without Argot's own. Empty if nothing is left. */
export function providerOptions(metadata: ProviderMetadata | undefined): { providerOptions?: SharedV3ProviderOptions } {
  if (metadata === undefined) return {}
  const { argot: _, ...options } = metadata
  return Object.keys(options).length === 0 ? {} : { providerOptions: options as SharedV3ProviderOptions }
}
