import { AddressPolicy } from './address.ts'
import type { ResolverOptions } from './create-resolver.ts'
import { fetchSource } from './fetch-source.ts'
import { imageType } from './image-type.ts'
import { defaultLimits } from './limits.ts'
import { parseWebAddress } from './web-address.ts'

/** Fetches a file for a model whose provider does not fetch it itself. Rejects with what is wrong. */
export type FetchFile = (url: string, signal?: AbortSignal) => Promise<{ data: Uint8Array; mediaType: string }>

/** Fetches images under the same rules as everything else that a document refers to: public addresses only. */
export function createFileFetcher(options: ResolverOptions): FetchFile {
  const policy = new AddressPolicy(options.allowPrivateAddresses ?? false)
  const limits = { ...defaultLimits, ...options.limits }
  const { lookup, userAgent = 'argot' } = options
  return async (address, signal) => {
    const url = parseWebAddress(address)
    const { bytes } = await fetchSource(url, { policy, limits, lookup, userAgent, signal, anyType: true })
    return { data: bytes, mediaType: imageType(bytes, address) }
  }
}
