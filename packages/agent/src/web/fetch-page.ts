import { decodeReply } from '../files/decode-text.ts'
import type { FetchOptions } from './fetch-source.ts'
import { type HtmlType, htmlOfReply } from './html-type.ts'

export interface Page {
  text: string
  type: HtmlType
  /** The address that answered, after all redirects. */
  url: URL
}

/** The text at an address, decoded. Checks, limits and refusals are those of `fetchSource`; `name` is for messages. */
export async function fetchPage(address: URL, options: FetchOptions, name: string): Promise<Page> {
  // Node's HTTP and TLS are loaded by those who fetch something.
  const { fetchSource } = await import('./fetch-source.ts')
  const { bytes, type, charset, url } = await fetchSource(address, options)
  const text = decodeReply(bytes, charset, /html|xml|^$/.test(type), name)
  return { text, type: htmlOfReply(type, text), url }
}
