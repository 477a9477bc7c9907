import { decodeReply } from '../files/decode-text.ts'
import type { FetchOptions } from './fetch-source.ts'
import { type HtmlType, sniffReply } from './html-type.ts'

export interface FetchedPage {
  text: string
  type: HtmlType
  url: URL
}

/** Fetches and decodes a text. Applies the checks and limits of `fetchSource`; `name` is for messages. */
export async function fetchPage(address: URL, options: FetchOptions, name: string): Promise<FetchedPage> {
  // Node's HTTP and TLS modules are loaded only when something is fetched.
  const { fetchSource } = await import('./fetch-source.ts')
  const { bytes, type, charset, url } = await fetchSource(address, options)
  const text = decodeReply(bytes, charset, /html|xml|^$/.test(type), name)
  return { text, type: sniffReply(type, text), url }
}
