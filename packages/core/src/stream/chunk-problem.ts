import type { Chunk } from './chunk.ts'
import { type ChunkFacts, findFacts } from './chunk-table.ts'

/** False for an unknown type, and if a field has the wrong type. */
export function isChunk(value: unknown): value is Chunk {
  return chunkProblem(value) === undefined
}

/** Undefined for a chunk. Use `isKnownType` to detect an unknown type. */
export function chunkProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'A chunk must be an object.'
  const chunk = value as Record<string, unknown>
  const { type } = chunk
  if (typeof type !== 'string') return 'A chunk must have a `type`.'
  const facts = findFacts(type)
  if (facts === undefined)
    return type.startsWith('data-') ? dataProblem(chunk) : `\`${type.slice(0, 64)}\` is not a chunk type.`
  const { strings = [], booleans = [] } = facts
  for (const field of strings) {
    if (typeof chunk[field] !== 'string') return `\`${type}\` needs \`${field}\`, a string.`
  }
  for (const field of booleans) {
    if (typeof chunk[field] !== 'boolean') return `\`${type}\` needs \`${field}\`, true or false.`
  }
  return optionalProblem(type, facts, chunk)
}

export function isKnownType(type: unknown): boolean {
  return typeof type === 'string' && (findFacts(type) !== undefined || type.startsWith('data-'))
}

/** The optional fields whose type matters to readers, on any chunk. */
const optionalStrings = ['messageId', 'reason', 'title', 'filename', 'approvalId', 'toolName'] as const

function optionalProblem(type: string, facts: ChunkFacts, chunk: Record<string, unknown>): string | undefined {
  const { providerMetadata } = chunk
  if (providerMetadata !== undefined && (typeof providerMetadata !== 'object' || providerMetadata === null)) {
    return `\`providerMetadata\` of \`${type}\` must be an object.`
  }
  if (facts.does === 'grows' || facts.on === 'step') return undefined
  for (const field of optionalStrings) {
    const value = chunk[field]
    if (value !== undefined && value !== null && typeof value !== 'string') {
      return `\`${field}\` of \`${type}\` must be a string.`
    }
  }
  return undefined
}

function dataProblem(chunk: Record<string, unknown>): string | undefined {
  if (chunk.id !== undefined && typeof chunk.id !== 'string') return '`id` of a data chunk must be a string.'
  return undefined
}
