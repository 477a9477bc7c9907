import type { DataPart, MessagePart } from '../../message/message.ts'
import { keptMetadata } from '../../message/own-metadata.ts'
import type { Chunk, DataChunk } from '../chunk.ts'

type PlainChunk = Extract<Chunk, { type: 'source-url' | 'source-document' | 'file' }>

/** The part of a source or a file: what belongs to it and nothing else of the chunk. */
export function plainPart(chunk: PlainChunk, sound: (text: string) => string): MessagePart {
  const fields: Record<string, unknown> = { type: chunk.type }
  for (const name of names) {
    const value = (chunk as unknown as Record<string, unknown>)[name]
    if (typeof value === 'string') fields[name] = sound(value)
  }
  const metadata = keptMetadata(chunk.providerMetadata, 'other')
  if (metadata !== undefined) fields.providerMetadata = metadata
  return fields as unknown as MessagePart
}

const names = ['sourceId', 'url', 'mediaType', 'title', 'filename'] as const

/** What a data part is found by; undefined where it has no id and is on its own. */
export function dataKey(part: DataPart | DataChunk): string | undefined {
  return part.id === undefined ? undefined : `${part.type}\u0000${part.id}`
}
