import type { LanguageModelV3, LanguageModelV3FilePart } from '@ai-sdk/provider'
import type { FilePart } from '../../message/message.ts'
import { encodeBase64 } from '../../source/base64.ts'
import { defined } from '../../source/defined.ts'
import { ArgotError } from '../../source/error.ts'
import { providerOptions } from './provider-options.ts'

/** Fetches a file for a model whose provider doesn't fetch it itself. Rejects with the reason. */
export type FetchFile = (url: string, signal?: AbortSignal) => Promise<{ data: Uint8Array; mediaType: string }>

export interface PromptFileOptions {
  language: Pick<LanguageModelV3, 'provider' | 'supportedUrls'>
  fetchFile?: FetchFile | undefined
  signal?: AbortSignal | undefined
  /** The model doesn't accept pictures: pictures from tools are described in words. */
  lacksVision?: boolean | undefined
}

/**
 * A file in a form that the model accepts: a data URI's bytes, an address that the provider reads itself, or the
 * fetched bytes. Throws `MODEL_FILE_UNREADABLE` for a file that can't be sent at all.
 */
export async function promptFile(part: FilePart, options: PromptFileOptions): Promise<LanguageModelV3FilePart> {
  const partFields = {
    ...defined({ filename: part.filename }),
    ...providerOptions(part.providerMetadata),
  }
  const { url, mediaType } = part
  if (/^data:/i.test(url)) return { type: 'file', ...readDataUri(url, mediaType), ...partFields }
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw unreadableFileError(url, 'Only data URIs and http or https URLs can be sent.')
  }
  if (isSupported(url, mediaType, await options.language.supportedUrls)) {
    return { type: 'file', data: new URL(url), mediaType, ...partFields }
  }
  if (options.fetchFile === undefined) {
    throw unreadableFileError(
      url,
      `The provider ${options.language.provider} can't read it, and there is no \`fetchFile\` to fetch it.`,
    )
  }
  const fetched = await options.fetchFile(url, options.signal)
  return { type: 'file', data: fetched.data, mediaType: moreExactType(mediaType, fetched.mediaType), ...partFields }
}

function readDataUri(url: string, mediaType: string): { data: string; mediaType: string } {
  const comma = url.indexOf(',')
  if (comma < 0) throw unreadableFileError(url, 'A data URI needs a comma before its data.')
  const [type = '', ...flags] = url.slice('data:'.length, comma).split(';')
  const raw = url.slice(comma + 1)
  const body = raw.includes('%') ? decodePercent(url, raw) : raw
  const isBase64 = flags.some(flag => flag.trim().toLowerCase() === 'base64')
  return {
    data: isBase64 ? body : encodeBase64(new TextEncoder().encode(body)),
    mediaType: moreExactType(mediaType, type.trim() || 'text/plain'),
  }
}

function decodePercent(url: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw unreadableFileError(url, 'Its data is not percent-encoded UTF-8.')
  }
}

/** `image/*` is less exact than `image/png`. */
function moreExactType(declared: string, detected: string): string {
  return declared === '' || declared.includes('*') ? detected : declared
}

/** The provider's patterns expect lowercase addresses, and are grouped by media type or by a range of media types. */
function isSupported(url: string, mediaType: string, supported: Readonly<Record<string, RegExp[]>>): boolean {
  const address = url.toLowerCase()
  const type = mediaType.toLowerCase()
  return Object.entries(supported).some(([range, patterns]) => {
    const prefix = range === '*' || range === '*/*' ? '' : range.toLowerCase().replace('*', '')
    return type.startsWith(prefix) && patterns.some(pattern => pattern.test(address))
  })
}

function unreadableFileError(url: string, why: string): ArgotError {
  const shortUrl = url.length > 100 ? `${url.slice(0, 100)}…` : url
  return new ArgotError('MODEL_FILE_UNREADABLE', `The file ${shortUrl} cannot be sent to the model. ${why}`)
}
