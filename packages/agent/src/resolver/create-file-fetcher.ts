import type { FetchFile } from '@argot/core/ai-sdk'
import { imageType } from '../files/image-type.ts'
import { AddressPolicy } from '../web/address-policy.ts'
import { defaultLimits } from '../web/limits.ts'
import { parseWebAddress } from '../web/web-address.ts'
import type { ResolverOptions } from './resolver-options.ts'

export type { FetchFile }

/** Fetches images under the same rules as everything else that a document refers to: public addresses only. */
export function createFileFetcher(options: ResolverOptions): FetchFile {
  const policy = new AddressPolicy(options.allowPrivateAddresses ?? false)
  const limits = { ...defaultLimits, ...options.limits }
  const { lookup, userAgent = 'argot' } = options
  return async (address, signal) => {
    const url = parseWebAddress(address)
    const { fetchSource } = await import('../web/fetch-source.ts')
    const { bytes } = await fetchSource(url, { policy, limits, lookup, userAgent, signal, anyType: true })
    return { data: bytes, mediaType: imageType(bytes, address) }
  }
}
