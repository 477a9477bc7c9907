import {
  type Accumulator,
  type Chunk,
  decodeSse,
  type ErrorCode,
  encodeSse,
  type ToolInvocation,
  toolCalls,
} from '@argot/core'
import { limits } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { folder } from './laws.ts'

const many = shareOf(1_000_000)
const start: Chunk = { type: 'start', messageId: 'm' }
const opened: Chunk = { type: 'tool-input-start', toolCallId: 'c', toolName: 'write' }

function delta(inputTextDelta: string): Chunk {
  return { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta }
}

function available(input: unknown): Chunk {
  return { type: 'tool-input-available', toolCallId: 'c', toolName: 'write', input }
}

function read(...chunks: readonly unknown[]): Accumulator {
  const folding = folder()
  for (const chunk of chunks) folding.push(chunk as Chunk)
  return folding
}

function onlyCall(folding: Accumulator): ToolInvocation {
  return toolCalls(folding.message!)[0]!
}

describe(`${many} chunks`, () => {
  const floods: readonly [name: string, code: ErrorCode, chunk: (i: number) => unknown][] = [
    ['of unknown type', 'STREAM_UNKNOWN_CHUNK', i => ({ type: `unknown-${i}` })],
    ['without their fields', 'STREAM_BAD_CHUNK', () => ({ type: 'text-delta' })],
    ['with ids that are too long', 'STREAM_BAD_CHUNK', () => ({ type: 'text-start', id: longId })],
    ['that are not objects', 'STREAM_UNKNOWN_CHUNK', i => [null, undefined, i, '', []][i % 5]],
    [
      'of results for calls that are not there',
      'STREAM_TOO_MANY_ORPHANS',
      i => ({ type: 'tool-output-available', toolCallId: `c${i}`, output: i }),
    ],
    [
      'with gaps between their sequence numbers',
      'STREAM_GAP',
      i => ({ sequence: i * 2, chunk: { type: 'finish-step' } }),
    ],
    ['that come backwards', 'STREAM_DUPLICATE', i => ({ sequence: many - i, chunk: { type: 'finish-step' } })],
    ['that come again and again', 'STREAM_DUPLICATE', () => ({ eventId: 'e', chunk: { type: 'finish-step' } })],
    [
      'with NaN as their sequence number',
      'STREAM_BAD_SEQUENCE',
      () => ({ sequence: Number.NaN, chunk: { type: 'finish-step' } }),
    ],
    [
      'for a call that is settled',
      'STREAM_SETTLED',
      i => (i === 0 ? available({}) : { type: 'tool-output-available', toolCallId: 'c', output: i }),
    ],
  ]
  const longId = 'x'.repeat(limits.idLength + 1)

  test.each(floods)('%s cost a number, not memory', (_, code, chunk) => {
    const folding = folder()
    folding.push(start)
    for (let i = 0; i < many; i++) folding.push(chunk(i) as Chunk)
    folding.end()
    expect(folding.counts.get(code)).toBeGreaterThan(many / 2 - limits.envelopeGap - limits.orphans)
    expect(folding.diagnostics.length).toBeLessThanOrEqual(60)
    expect(JSON.stringify(folding).length).toBeLessThan(100_000)
  })

  test('after the end of a message are counted, and the message stays as it was', () => {
    const folding = read(start, { type: 'finish', finishReason: 'stop' })
    const before = folding.message
    for (let i = 0; i < many; i++) folding.push({ type: 'text-delta', id: 't', delta: 'late' })
    expect(folding.message).toBe(before)
    expect(folding.counts.get('STREAM_LATE_CHUNK')).toBe(many)
  })

  test('of text are one part that has all of it', () => {
    const folding = read(start, { type: 'text-start', id: 't' })
    for (let i = 0; i < many; i++) folding.push({ type: 'text-delta', id: 't', delta: 'ab' })
    folding.end()
    expect(folding.message?.parts).toMatchObject([{ type: 'text', text: 'ab'.repeat(many) }])
  })

  test('of input are one call that has all of it', () => {
    const folding = read(start, opened, delta('{"content":"'))
    for (let i = 0; i < many; i++) folding.push(delta('\\n'))
    folding.push(delta('"}'))
    expect(onlyCall(folding).input).toEqual({ content: '\n'.repeat(many) })
  })

  test('that open and take back steps leave nothing behind', () => {
    const folding = read(start)
    const step: Chunk[] = [
      { type: 'start-step' },
      { type: 'text-delta', id: 't', delta: 'x' },
      opened,
      { type: 'reset-step' },
    ]
    for (let i = 0; i < many; i++) folding.push(step[i % step.length]!)
    folding.end()
    expect(folding.message?.parts).toEqual([{ type: 'step-start' }])
    expect(JSON.stringify(folding).length).toBeLessThan(100_000)
  })

  test('as server-sent events are read, and the broken ones among them counted', () => {
    const decoder = decodeSse()
    const piece =
      `${encodeSse({ type: 'start-step' }, 1)}data: {broken\n\n: comment\n\ndata: {"type":"unknown"}\n\n`.repeat(100)
    let chunks = 0
    const pushes = Math.ceil(many / 400)
    for (let i = 0; i < pushes; i++) chunks += decoder.push(piece).length
    expect(chunks).toBe(pushes * 100)
    expect(decoder.counts.get('STREAM_BAD_JSON')).toBe(chunks)
    expect(decoder.counts.get('STREAM_UNKNOWN_CHUNK')).toBe(chunks)
    expect(decoder.diagnostics.length).toBeLessThanOrEqual(40)
  })

  test('of calls under one id, then taken back, do not take for ever', () => {
    const folding = read(start, { type: 'start-step' })
    for (let i = 0; i < many; i++) folding.push(opened)
    folding.push({ type: 'reset-step' })
    folding.end()
    expect(folding.message?.parts).toEqual([{ type: 'step-start' }])
  })
})

describe('a limit', () => {
  test('of depth: a streamed input keeps its raw text', () => {
    const text = `${'['.repeat(limits.jsonDepth + 1)}1${']'.repeat(limits.jsonDepth + 1)}`
    const folding = read(start, opened, delta(text))
    folding.end()
    expect(folding.counts.get('STREAM_TOO_DEEP')).toBe(1)
    expect(onlyCall(folding)).toMatchObject({ state: 'output-error', rawInput: text })
  })

  test('of depth: an input and an output that are too deep are kept as JSON text', () => {
    const text = `${'['.repeat(limits.jsonDepth + 1)}${']'.repeat(limits.jsonDepth + 1)}`
    const deep: unknown = JSON.parse(text)
    const folding = read(start, available(deep), { type: 'tool-output-available', toolCallId: 'c', output: deep })
    expect(folding.counts.get('STREAM_TOO_DEEP')).toBe(2)
    expect(onlyCall(folding)).toMatchObject({ state: 'output-available', rawInput: text, output: text })
  })

  test('of depth: exactly as deep as allowed is fine', () => {
    const text = `${'['.repeat(limits.jsonDepth)}${']'.repeat(limits.jsonDepth)}`
    const folding = read(start, opened, delta(text), available(JSON.parse(text)))
    expect(folding.counts.size).toBe(0)
    expect(JSON.stringify(onlyCall(folding).input)).toBe(text)
  })

  test('of one call: a streamed input that is too long settles the call and keeps what there is', () => {
    const piece = 'x'.repeat(1024 * 1024)
    const folding = read(start, opened, delta('"'))
    for (let i = 0; i < 9; i++) folding.push(delta(piece))
    expect(folding.counts.get('STREAM_CALL_TOO_LONG')).toBe(1)
    expect(onlyCall(folding)).toMatchObject({ state: 'output-error', settledBy: 'limit', input: piece.repeat(7) })
  })

  test('of one call: a whole input that is too long settles the call', () => {
    const folding = read(start, available({ content: 'x'.repeat(limits.callLength) }))
    expect(folding.counts.get('STREAM_CALL_TOO_LONG')).toBe(1)
    expect(onlyCall(folding)).toMatchObject({ state: 'output-error', settledBy: 'limit' })
  })

  test('of a name: it is cut, and the call goes on', () => {
    const folding = read(start, { ...opened, toolName: 'n'.repeat(limits.nameLength + 1) }, available({}))
    expect(folding.counts.get('STREAM_NAME_TOO_LONG')).toBe(1)
    expect(read(start, { ...opened, toolName: 'n'.repeat(limits.nameLength) }).counts.size).toBe(0)
  })

  test('of parameters: a call with more settles, streamed or not, and one with just as many does not', () => {
    const withKeys = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])))
    const [most, tooMany] = [withKeys(limits.parameters), withKeys(limits.parameters + 1)]
    for (const folding of [read(start, opened, delta(tooMany)), read(start, available(JSON.parse(tooMany)))]) {
      expect(folding.counts.get('STREAM_TOO_MANY_PARAMETERS')).toBe(1)
      expect(onlyCall(folding)).toMatchObject({ state: 'output-error', settledBy: 'limit' })
    }
    expect(read(start, opened, delta(most), available(JSON.parse(most))).counts.size).toBe(0)
  })

  test('of a message: what is open is settled, what follows is ignored, and the message still ends', () => {
    const piece = 'x'.repeat(8 * 1024 * 1024)
    const folding = read(start, { type: 'text-start', id: 't' }, available({}))
    for (let i = 0; i < 9; i++) folding.push({ type: 'text-delta', id: 't', delta: piece })
    folding.push({ type: 'file', mediaType: 'text/plain', url: 'data:,x' })
    folding.push({ type: 'finish', finishReason: 'stop' })
    expect(folding.counts.get('STREAM_MESSAGE_TOO_LONG')).toBe(1)
    expect(folding.message).toMatchObject({ status: 'sent', finishReason: 'stop' })
    expect(onlyCall(folding)).toMatchObject({ state: 'output-error', settledBy: 'limit' })
    expect(folding.message?.parts.some(part => part.type === 'file')).toBe(false)
  })

  test('of orphans: the first thousand are bound, the rest is counted', () => {
    const folding = read(start)
    for (let i = 0; i < limits.orphans + 5; i++)
      folding.push({ type: 'tool-output-available', toolCallId: `c${i}`, output: i })
    expect(folding.counts.get('STREAM_TOO_MANY_ORPHANS')).toBe(5)
    folding.push({ ...available({}), toolCallId: `c${limits.orphans - 1}` } as Chunk)
    expect(onlyCall(folding)).toMatchObject({ state: 'output-available', output: limits.orphans - 1 })
    folding.end()
    expect(folding.counts.get('STREAM_ORPHAN')).toBe(limits.orphans - 1)
  })

  test('of a gap: what waited is read in order once a thousand wait', () => {
    const folding = folder()
    const chunks: Chunk[] = [
      start,
      ...Array.from(
        { length: limits.envelopeGap + 1 },
        (_, i): Chunk => ({ type: 'text-delta', id: 't', delta: `${i} ` }),
      ),
    ]
    const envelopes = chunks.map((chunk, sequence) => ({ sequence, chunk }))
    folding.push(envelopes[0]!)
    for (const envelope of envelopes.slice(2).reverse()) folding.push(envelope)
    expect(folding.message?.parts).toHaveLength(0)
    folding.push({ sequence: limits.envelopeGap + 2, chunk: { type: 'finish' } })
    expect(folding.counts.get('STREAM_GAP')).toBe(1)
    expect(folding.message).toMatchObject({ status: 'sent' })
    const text = folding.message?.parts.map(part => (part.type === 'text' ? part.text : '')).join('')
    expect(text).toBe(
      chunks
        .slice(2)
        .map(chunk => (chunk.type === 'text-delta' ? chunk.delta : ''))
        .join(''),
    )
  })
})
