import type { DataPart, MessagePart } from '../../message/message.ts'
import { checkOptionalMetadata } from '../../message/own-metadata.ts'
import type { Chunk, DataChunk } from '../chunk.ts'

type PlainChunk = Extract<Chunk, { type: 'source-url' | 'source-document' | 'file' }>

/** Copies only the fields that such a part has. */
export function plainPart(chunk: PlainChunk, repair: (text: string) => string): MessagePart {
  const fields: Record<string, unknown> = { type: chunk.type }
  for (const name of textFieldNames) {
    const value = (chunk as unknown as Record<string, unknown>)[name]
    if (typeof value === 'string') fields[name] = repair(value)
  }
  const metadata = checkOptionalMetadata(chunk.providerMetadata, 'other')
  if (metadata !== undefined) fields.providerMetadata = metadata
  return fields as unknown as MessagePart
}

const textFieldNames = ['sourceId', 'url', 'mediaType', 'title', 'filename'] as const

/** Undefined if the part has no id and can't be replaced. */
export function dataKey(part: DataPart | DataChunk): string | undefined {
  return part.id === undefined ? undefined : `${part.type}\u0000${part.id}`
}
