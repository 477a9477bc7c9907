import type { LanguageModelV3File, LanguageModelV3Source, SharedV3Warning } from '@ai-sdk/provider'
import { encodeBase64 } from '../../source/base64.ts'
import { defined } from '../../source/defined.ts'
import type { Chunk } from '../../stream/chunk.ts'

export function sourceChunk(part: LanguageModelV3Source): Chunk {
  const { id: sourceId, title, providerMetadata } = part
  if (part.sourceType === 'url') {
    return { type: 'source-url', sourceId, url: part.url, ...defined({ title, providerMetadata }) }
  }
  const { mediaType, filename } = part
  return { type: 'source-document', sourceId, mediaType, title: part.title, ...defined({ filename, providerMetadata }) }
}

export function fileChunk({ mediaType, data, providerMetadata }: LanguageModelV3File): Chunk {
  const base64 = typeof data === 'string' ? data : encodeBase64(data)
  const url = `data:${mediaType};base64,${base64}`
  return { type: 'file', mediaType, url, ...defined({ providerMetadata }) }
}

export function warningText(warning: SharedV3Warning): string {
  if (warning.type === 'other') return warning.message
  const about = warning.details === undefined ? '' : ` ${warning.details}`
  return warning.type === 'unsupported'
    ? `The model does not support \`${warning.feature}\`.${about}`
    : `The model supports \`${warning.feature}\` only partly.${about}`
}
