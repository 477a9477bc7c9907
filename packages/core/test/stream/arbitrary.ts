import type { Chunk } from '@argot/core'
import { Commentary } from '@argot/core/stream'
import { type CommentaryPolicy, type FinishReason, OpenParts } from '@argot/core/stream/internal'
import type fc from 'fast-check'
import { finishReasons } from '../../src/stream/chunk.ts'
import { callLane } from './arbitrary-call.ts'
import { fromTape, type Tape } from './tape.ts'

export { anyHostileStream } from './arbitrary-hostile.ts'

/** What a legal script may contain; everything by default. */
export interface Features {
  /** `reset-step` and the retried step. */
  resets: boolean
  /** An id that is used again: of a text in the same step, of a call in a later step. */
  sameIds: boolean
  /** Texts past the call limit, which only our own clients get. */
  remainders: boolean
  /** Texts that say themselves what they are for. */
  givenPhases: boolean
  /** A stream that stops in the middle without a word. */
  silence: boolean
}

const everything: Features = { resets: true, sameIds: true, remainders: true, givenPhases: true, silence: false }

/** A legal stream and what the model said in it. */
export interface Script {
  chunks: Chunk[]
  text: string
  reasoning: string
}

/** Streams as a correct sender writes them, without phases. */
export function anyScript(features: Partial<Features> = {}, length?: number): fc.Arbitrary<Script> {
  return fromTape(tape => readScript(tape, { ...everything, ...features }), length)
}

/** The chunks after the transform that gives texts their phase. */
export function throughCommentary(chunks: readonly Chunk[], policy: CommentaryPolicy = 'provisional'): Chunk[] {
  const out: Chunk[] = []
  const commentary = new Commentary(chunk => out.push(chunk), { policy })
  for (const chunk of chunks) commentary.push(chunk)
  commentary.end()
  return out
}

function readScript(tape: Tape, features: Features): Script {
  const messageId = tape.pick(['m1', '__proto__', 'm2'])
  const chunks: Chunk[] = [{ type: 'start', messageId, ...(tape.chance(4) && { messageMetadata: metadata(tape) }) }]
  /** What ends in a later step than it began: slow results of the provider's own tools. */
  let carried: Chunk[][] = []
  const steps = 1 + tape.below(3)
  for (let step = 0; step < steps; step++) {
    const last = step === steps - 1
    const lanes = readLanes(tape, features, step, last)
    const own = features.resets && tape.chance(8) ? [{ type: 'reset-step' } as const] : []
    if (own.length > 0) {
      const first = readLanes(tape, { ...features, sameIds: false }, step + 50, false)
      chunks.push({ type: 'start-step' }, ...interleave(tape, first.now), ...own)
    }
    if (own.length === 0 || tape.chance(2)) chunks.push({ type: 'start-step' })
    chunks.push(...interleave(tape, [...lanes.now, ...carried]))
    chunks.push({ type: 'finish-step' })
    carried = lanes.later
  }
  chunks.push(...carried.flat())
  const ended = end(tape, chunks, messageId, features)
  return { chunks: ended, text: said(ended, 'text-delta'), reasoning: said(ended, 'reasoning-delta') }
}

/** One lane for what is said, one for what is thought, one for each call. */
function readLanes(tape: Tape, features: Features, step: number, last: boolean): { now: Chunk[][]; later: Chunk[][] } {
  const now: Chunk[][] = [textLane(tape, features, step)]
  const later: Chunk[][] = []
  if (tape.chance(3)) now.push(reasoningLane(tape, step))
  for (let count = tape.below(4); count > 0; count--) {
    const again = features.sameIds && count === 1 && tape.chance(4)
    const lane = callLane(tape, again ? 'call' : `call-${step}-${count}`, last)
    now.push(again ? [...lane.now, ...lane.later] : lane.now)
    if (!again && lane.later.length > 0) later.push(lane.later)
  }
  if (tape.chance(4)) now.push(Array.from({ length: 1 + tape.below(3) }, () => plainChunk(tape)))
  return { now, later }
}

/** Takes from the front of the lanes in a random order. */
function interleave(tape: Tape, lanes: readonly Chunk[][]): Chunk[] {
  const rest = lanes.filter(lane => lane.length > 0).map(lane => ({ lane, at: 0 }))
  const chunks: Chunk[] = []
  while (rest.length > 0) {
    const index = tape.below(rest.length)
    const next = rest[index]!
    const run = 1 + tape.below(4)
    for (let i = 0; i < run && next.at < next.lane.length; i++) chunks.push(next.lane[next.at++]!)
    if (next.at === next.lane.length) rest.splice(index, 1)
  }
  return chunks
}

const texts = ['', 'I will look. ', 'Found 3. ', 'Grüße 👩‍👩‍👧 ', ' \n\n', '𝒳'] as const

function textLane(tape: Tape, features: Features, step: number): Chunk[] {
  const lane: Chunk[] = []
  for (let count = tape.below(4); count > 0; count--) {
    const id = features.sameIds && tape.chance(4) ? 'text' : `text-${step}-${count}`
    const providerMetadata = textMetadata(tape, features)
    lane.push({ type: 'text-start', id, ...(providerMetadata && { providerMetadata }) })
    for (const delta of tape.cut(tape.pick(texts), tape.below(3))) lane.push({ type: 'text-delta', id, delta })
    lane.push({ type: 'text-end', id, ...(tape.chance(6) && { providerMetadata: { openai: { itemId: id } } }) })
  }
  return lane
}

function textMetadata(tape: Tape, features: Features): Record<string, Record<string, unknown>> | undefined {
  switch (features.givenPhases ? tape.below(10) : 0) {
    case 7:
      return { openai: { phase: 'commentary' } }
    case 8:
      return { openai: { phase: 'final_answer', itemId: 'i' } }
    case 9:
      return features.remainders ? { argot: { phase: 'remainder' } } : { anthropic: { a: 1 } }
    default:
      return undefined
  }
}

function reasoningLane(tape: Tape, step: number): Chunk[] {
  const id = `reasoning-${step}`
  const lane: Chunk[] = [{ type: 'reasoning-start', id }]
  for (const delta of tape.cut('Let me think. ', tape.below(3))) lane.push({ type: 'reasoning-delta', id, delta })
  lane.push({
    type: 'reasoning-end',
    id,
    ...(tape.chance(2) && { providerMetadata: { anthropic: { signature: 's' } } }),
  })
  return lane
}

function plainChunk(tape: Tape): Chunk {
  const providerMetadata = tape.chance(3) ? { providerMetadata: { google: { rank: 1 } } } : {}
  switch (tape.below(8)) {
    case 0:
      return { type: 'source-url', sourceId: 's', url: 'https://a.example', ...providerMetadata }
    case 1:
      return { type: 'source-url', sourceId: 's2', url: 'https://b.example', title: 'B' }
    case 2:
      return { type: 'source-document', sourceId: 'd', mediaType: 'text/plain', title: 'D', ...providerMetadata }
    case 3:
      return { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', ...providerMetadata }
    case 4:
      return { type: 'data-progress', id: tape.pick(['p', 'q']), data: { percent: tape.below(100) } }
    case 5:
      return { type: 'data-note', data: tape.pick([null, 'note', [1]]) }
    case 6:
      return { type: 'data-ping', data: 1, transient: true }
    default: {
      const value = metadata(tape)
      return { type: 'message-metadata', messageMetadata: value, metadata: value }
    }
  }
}

function metadata(tape: Tape): Record<string, unknown> {
  return tape.pick([{ model: 'x' }, { usage: { input: 1 } }, { usage: { output: [2] }, model: null }])
}

/** Ends the stream in one of the legal ways; all but the first may cut it short. */
function end(tape: Tape, chunks: readonly Chunk[], messageId: string, features: Features): Chunk[] {
  const ending = tape.below(features.silence ? 6 : 5)
  const finishReason: FinishReason = tape.pick(finishReasons)
  if (ending < 2) {
    const parked = hasOpenCalls(chunks)
    return [...chunks, { type: 'finish', messageId, finishReason: parked ? 'tool-calls' : finishReason }]
  }
  const kept = chunks.slice(0, 1 + tape.below(chunks.length))
  if (ending === 5) return kept
  const open = new OpenParts()
  for (const chunk of kept) open.watch(chunk)
  if (ending === 2) return [...kept, ...open.end({ type: 'abort', ...(tape.chance(2) && { reason: 'Enough.' }) })]
  if (ending === 3) return [...kept, ...open.end({ type: 'error', errorText: 'Overloaded.' })]
  return [...kept, ...open.end({ type: 'finish', finishReason: 'length' })]
}

function hasOpenCalls(chunks: readonly Chunk[]): boolean {
  const open = new OpenParts()
  for (const chunk of chunks) open.watch(chunk)
  return open.end({ type: 'finish' }).some(chunk => chunk.type === 'tool-output-error')
}

/** The deltas of one kind that no reset took back. */
function said(chunks: readonly Chunk[], type: 'text-delta' | 'reasoning-delta'): string {
  let text = ''
  let before = ''
  for (const chunk of chunks) {
    if (chunk.type === 'start-step') before = text
    else if (chunk.type === 'reset-step') text = before
    else if (chunk.type === type) text += chunk.delta
  }
  return text
}
