import type { ToolState } from '../message/tool-invocation.ts'
import type { Chunk, DataChunk } from './chunk.ts'

/** Applications name their own `data-*` types. */
export type ChunkType = Exclude<Chunk['type'], DataChunk['type']>

/** What a chunk does, for code that doesn't need to know the types. */
export type ChunkFacts = ChunkEffect & {
  /** Required fields, by type. */
  strings?: readonly string[]
  booleans?: readonly string[]
  /** It can complete a part of the message. */
  completes?: boolean
  /** AI SDK clients reject the chunk's type, so they get its fields as transient data of this type. */
  fact?: `data-argot-${string}`
}

type ChunkEffect =
  | { on: 'message'; does: 'opens' | 'describes' | 'joins' | 'fails' | 'ends' }
  | { on: 'step'; does: 'opens' | 'resets' | 'ends' }
  | { on: 'text' | 'reasoning'; does: 'opens' | 'grows' | 'ends' }
  /** The model's side of a call. Any of these may be its first chunk. */
  | { on: 'call'; does: 'opens' | 'grows' | 'readies'; answers?: never }
  | { on: 'call'; does: 'settles'; as: ToolState; unless?: string; answers?: boolean }
  /** The other side. `answers`: the chunk is about a call that was made before. */
  | { on: 'call'; does: 'asks' | 'responds'; answers: true }
  | { on: 'part' | 'data'; does: 'adds' }
  | { on: 'nothing'; does: 'nothing' }

/** The named fields must be fields of that chunk. */
type ChunkRow<Type extends ChunkType> = ChunkFacts & {
  strings?: readonly (keyof Extract<Chunk, { type: Type }>)[]
  booleans?: readonly (keyof Extract<Chunk, { type: Type }>)[]
  unless?: keyof Extract<Chunk, { type: Type }>
}

/** The only place that knows what each chunk type does. A type without a row does not compile. */
export const chunkTable = {
  start: { on: 'message', does: 'opens' },
  'start-step': { on: 'step', does: 'opens' },
  'finish-step': { on: 'step', does: 'ends' },
  'reset-step': { on: 'step', does: 'resets', fact: 'data-argot-reset' },
  'user-message': { on: 'message', does: 'joins', strings: ['messageId'] },
  finish: { on: 'message', does: 'ends' },
  abort: { on: 'message', does: 'ends' },
  error: { on: 'message', does: 'fails', strings: ['errorText'] },
  'message-metadata': { on: 'message', does: 'describes' },

  'text-start': { on: 'text', does: 'opens', strings: ['id'] },
  'text-delta': { on: 'text', does: 'grows', strings: ['id', 'delta'] },
  'text-end': { on: 'text', does: 'ends', completes: true, strings: ['id'] },
  'reasoning-start': { on: 'reasoning', does: 'opens', strings: ['id'] },
  'reasoning-delta': { on: 'reasoning', does: 'grows', strings: ['id', 'delta'] },
  'reasoning-end': { on: 'reasoning', does: 'ends', completes: true, strings: ['id'] },

  'tool-input-start': { on: 'call', does: 'opens', strings: ['toolCallId', 'toolName'] },
  'tool-input-delta': { on: 'call', does: 'grows', strings: ['toolCallId', 'inputTextDelta'] },
  'tool-input-available': { on: 'call', does: 'readies', strings: ['toolCallId', 'toolName'] },
  'tool-input-error': {
    on: 'call',
    does: 'settles',
    as: 'output-error',
    completes: true,
    strings: ['toolCallId', 'errorText'],
  },
  'tool-approval-request': { on: 'call', does: 'asks', answers: true, completes: true, strings: ['toolCallId'] },
  'tool-approval-response': {
    on: 'call',
    does: 'responds',
    answers: true,
    strings: ['toolCallId', 'approvalId'],
    booleans: ['approved'],
    fact: 'data-argot-approval',
  },
  'tool-output-available': {
    on: 'call',
    does: 'settles',
    as: 'output-available',
    unless: 'preliminary',
    answers: true,
    completes: true,
    strings: ['toolCallId'],
  },
  'tool-output-error': {
    on: 'call',
    does: 'settles',
    as: 'output-error',
    answers: true,
    completes: true,
    strings: ['toolCallId', 'errorText'],
  },
  'tool-output-denied': {
    on: 'call',
    does: 'settles',
    as: 'output-denied',
    answers: true,
    completes: true,
    strings: ['toolCallId'],
  },

  'source-url': { on: 'part', does: 'adds', completes: true, strings: ['sourceId', 'url'] },
  'source-document': { on: 'part', does: 'adds', completes: true, strings: ['sourceId', 'mediaType', 'title'] },
  file: { on: 'part', does: 'adds', completes: true, strings: ['mediaType', 'url'] },
} as const

type ChunkTable = typeof chunkTable

export type ChunkOn<On extends ChunkFacts['on']> = Extract<
  Chunk,
  { type: { [Type in ChunkType]: ChunkTable[Type]['on'] extends On ? Type : never }[ChunkType] }
>

export type CallAnswer = Extract<
  Chunk,
  { type: { [Type in ChunkType]: ChunkTable[Type] extends { answers: true } ? Type : never }[ChunkType] }
>

const factsByType: ReadonlyMap<string, ChunkFacts> = new Map(
  Object.entries(chunkTable satisfies { [Type in ChunkType]: ChunkRow<Type> }),
)
const dataFacts: ChunkFacts = { on: 'data', does: 'adds', completes: true }
const transientFacts: ChunkFacts = { on: 'data', does: 'adds' }
const unknownFacts: ChunkFacts = { on: 'nothing', does: 'nothing' }

/** An unknown type does nothing. */
export function chunkFacts(chunk: Chunk): ChunkFacts {
  return factsByType.get(chunk.type) ?? getDataFacts(chunk as DataChunk)
}

function getDataFacts({ type, transient }: DataChunk): ChunkFacts {
  if (typeof type !== 'string' || !type.startsWith('data-')) return unknownFacts
  return transient === true ? transientFacts : dataFacts
}

export function findFacts(type: string): ChunkFacts | undefined {
  return factsByType.get(type)
}

/** The state in which this chunk settles its call, or undefined if it doesn't. A preliminary output settles nothing. */
export function settledState(chunk: Chunk): ToolState | undefined {
  const row = chunkFacts(chunk)
  if (row.does !== 'settles') return undefined
  const { as, unless } = row
  return unless !== undefined && (chunk as unknown as Record<string, unknown>)[unless] === true ? undefined : as
}

/**
 * Types of the transient chunks that a run writes for itself.
 * - `step`: the model has written all of a step.
 * - `taken-back`: it has, and the step is repeated.
 * - `call`: a tool starts.
 * - `begin`, `resume`, `written`, `recovered`: how the log relates to the document.
 * - `compacted`, `agents`: what a summary and the document's agents used.
 * - `files`: what a tool is about to change.
 */
const internalMarks: ReadonlySet<string> = new Set<DataChunk['type']>([
  'data-argot-step',
  'data-argot-taken-back',
  'data-argot-call',
  'data-argot-begin',
  'data-argot-resume',
  'data-argot-written',
  'data-argot-recovered',
  'data-argot-compacted',
  'data-argot-agents',
  'data-argot-files',
])

/** True for a mark that a run writes into its own log. Readers of a stream never get it. */
export function isInternalMark(chunk: Chunk): boolean {
  return internalMarks.has(chunk.type)
}
