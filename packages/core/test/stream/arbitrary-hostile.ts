import type { Chunk } from '@argot/core'
import type fc from 'fast-check'
import { fromTape, type Tape } from './tape.ts'

/** What is pushed: anything at all, whatever the types say. */
export type Hostile = Chunk

/** Chunks in any order and of any make: what a broken or malicious sender may write. */
export function anyHostileStream(options: { json?: boolean; length?: number } = {}): fc.Arbitrary<Hostile[]> {
  return fromTape(tape => {
    const items: Hostile[] = []
    while (!tape.over) items.push(readItem(tape, options.json === true))
    return items
  }, options.length)
}

const ids = ['a', 'b', '__proto__', 'constructor', '', 'a#2', '\ud800', 'x'.repeat(5000)] as const

function anyId(tape: Tape): string {
  return tape.chance(3) ? tape.pick(ids) : tape.pick(['a', 'b'])
}

function readItem(tape: Tape, json: boolean): Hostile {
  switch (tape.below(16)) {
    case 0:
      return tape.pick(json ? jsonGarbage : garbage) as Hostile
    case 1:
    case 2:
      return readEnvelope(tape, json) as unknown as Hostile
    case 3:
    case 4:
    case 5:
      return spoil(tape, readChunk(tape), json)
    default:
      return readChunk(tape)
  }
}

function readEnvelope(tape: Tape, json: boolean): object {
  const chunk = tape.chance(6) ? tape.pick(json ? jsonGarbage : garbage) : readChunk(tape)
  const sequence = tape.pick<unknown>([0, 1, 2, 3, 4, 5, undefined, null, -1, 2 ** 53 - 1, 1.5, '1', Number.NaN])
  return { chunk, ...(tape.chance(2) && { eventId: anyId(tape) }), sequence }
}

/** A chunk with the right fields, at the wrong time as likely as not. */
function readChunk(tape: Tape): Hostile {
  const id = anyId(tape)
  const toolCallId = id
  const metadata = tape.chance(6) ? { providerMetadata: tape.pick(metadatas) } : {}
  const make = tape.pick(makers)
  return { ...make(tape, id, toolCallId), ...metadata } as Hostile
}

const deltas = [
  '',
  '{',
  '{"a":',
  '"x',
  '"',
  '}',
  '[1,',
  ']',
  '\\u12',
  '\ud83d',
  '\ude00',
  'tru',
  'e',
  '-',
  '\u0000',
] as const

const makers: readonly ((tape: Tape, id: string, toolCallId: string) => object)[] = [
  (_, id) => ({ type: 'text-start', id }),
  (tape, id) => ({ type: 'text-delta', id, delta: tape.pick(deltas) }),
  (_, id) => ({ type: 'text-end', id }),
  (_, id) => ({ type: 'reasoning-start', id }),
  (tape, id) => ({ type: 'reasoning-delta', id, delta: tape.pick(deltas) }),
  (_, id) => ({ type: 'reasoning-end', id }),
  (tape, _, toolCallId) => ({ type: 'tool-input-start', toolCallId, toolName: anyName(tape), ...flags(tape) }),
  (tape, _, toolCallId) => ({ type: 'tool-input-delta', toolCallId, inputTextDelta: tape.pick(deltas) }),
  (tape, _, toolCallId) => ({ type: 'tool-input-delta', toolCallId, inputTextDelta: tape.pick(deltas) }),
  (tape, _, toolCallId) => ({
    type: 'tool-input-available',
    toolCallId,
    toolName: anyName(tape),
    ...flags(tape),
    input: tape.pick(values),
  }),
  (tape, _, toolCallId) => ({
    type: 'tool-input-error',
    toolCallId,
    toolName: 't',
    input: tape.pick(values),
    errorText: 'e',
  }),
  (tape, id, toolCallId) => ({ type: 'tool-approval-request', toolCallId, ...(tape.chance(2) && { approvalId: id }) }),
  (tape, id, toolCallId) => ({ type: 'tool-approval-response', toolCallId, approvalId: id, approved: tape.chance(2) }),
  (tape, _, toolCallId) => ({
    type: 'tool-output-available',
    toolCallId,
    output: tape.pick(values),
    preliminary: tape.chance(3),
  }),
  (_, __, toolCallId) => ({ type: 'tool-output-error', toolCallId, errorText: 'e\ud800' }),
  (tape, _, toolCallId) => ({ type: 'tool-output-denied', toolCallId, reason: tape.pick(['no', null]) }),
  () => ({ type: 'start-step' }),
  () => ({ type: 'finish-step' }),
  tape => (tape.chance(2) ? { type: 'reset-step' } : { type: 'start-step' }),
  (tape, id) =>
    tape.chance(2) ? { type: 'start', messageId: id, messageMetadata: tape.pick(metadatas) } : { type: 'start' },
  tape =>
    tape.chance(2)
      ? { type: 'finish', finishReason: tape.pick(['stop', 'tool-calls', 'whatever']) }
      : { type: 'finish-step' },
  tape => (tape.chance(3) ? { type: 'abort', reason: tape.pick(['r', null]) } : { type: 'start-step' }),
  tape => (tape.chance(3) ? { type: 'error', errorText: '\udc00' } : { type: 'finish-step' }),
  tape => ({ type: 'message-metadata', messageMetadata: tape.pick(metadatas) }),
  (tape, id) => ({
    type: tape.pick(['data-x', 'data-__proto__', 'data-']),
    data: tape.pick(values),
    ...(tape.chance(2) && { id }),
  }),
  (_, id) => ({ type: 'source-url', sourceId: id, url: 'u' }),
  (_, id) => ({ type: 'file', mediaType: 'm', url: id }),
]

function anyName(tape: Tape): string {
  return tape.pick(['search', '', '__proto__', 'n'.repeat(200), '\udfff'])
}

function flags(tape: Tape): object {
  return {
    ...(tape.chance(3) && { dynamic: true }),
    ...(tape.chance(4) && { providerExecuted: tape.chance(2) }),
    ...(tape.chance(6) && { inputEncoding: 'text' }),
    ...(tape.chance(6) && { toolMetadata: tape.pick(metadatas) }),
  }
}

/** Takes a field away, gives one a wrong value, or adds a foreign one. */
function spoil(tape: Tape, chunk: Hostile, json: boolean): Hostile {
  const fields = Object.entries(chunk)
  const index = tape.below(fields.length)
  const value = tape.pick(json ? jsonGarbage : garbage)
  switch (tape.below(4)) {
    case 0:
      fields.splice(index, 1)
      break
    case 1:
      fields[index] = [fields[index]![0], value]
      break
    case 2:
      fields.push([tape.pick(['__proto__', 'constructor', 'foreign', 'dynamic', 'reason']), value])
      break
    default:
      fields.push([tape.pick(['providerMetadata', 'toolMetadata', 'messageMetadata', 'title', 'id']), value])
  }
  return Object.fromEntries(fields) as unknown as Hostile
}

function deep(levels: number): unknown {
  let value: unknown = 'bottom'
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { down: value }
  return value
}

function cyclic(): object {
  const self: Record<string, unknown> = { name: 'self' }
  self.again = [self]
  return self
}

const jsonGarbage: readonly unknown[] = [
  null,
  [],
  'text',
  7,
  true,
  {},
  { type: 'unknown-type' },
  { type: '__proto__' },
  { type: 5 },
  { type: null, chunk: null },
  { chunk: { chunk: 1 } },
  JSON.parse('{"__proto__":{"polluted":true},"type":"text-delta"}'),
  deep(40),
  '\ud800',
]
const garbage: readonly unknown[] = [...jsonGarbage, undefined, Number.NaN, cyclic(), deep(600), 10n, [cyclic()]]
const values: readonly unknown[] = [
  {},
  { a: 1 },
  'x',
  null,
  [1],
  '\ud83d',
  JSON.parse('{"__proto__":1,"constructor":{}}'),
  { '\udc00': '\ud800' },
  undefined,
]
const metadatas: readonly unknown[] = [
  { argot: { phase: 'commentary', toolCallId: 'a' } },
  { argot: { phase: 'final' } },
  { argot: { state: 'aborted' } },
  { argot: { phase: 7, state: 8, toolCallId: 9, settledBy: 'x', by: 1, details: { a: 1 } } },
  { argot: null },
  { argot: 'text' },
  { openai: { phase: 'commentary' } },
  { openai: null },
  JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}'),
  { a: { b: '\ud800' } },
]
