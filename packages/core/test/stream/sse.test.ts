import { type Chunk, decodeSse, encodeSse } from '@argot/core'
import { sseDone, sseKeepAlive } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import { finish, start, text } from './chunks.ts'

function decode(...pieces: (string | Uint8Array)[]) {
  const decoder = decodeSse()
  const events = [...pieces.flatMap(piece => decoder.push(piece)), ...decoder.end()]
  return { events, decoder }
}

const chunks = [start(), ...text('t', 'é😀\n"quoted"'), finish()]
const wire = chunks.map((chunk, offset) => encodeSse(chunk, offset)).join('') + sseDone

test('one event per chunk, with its offset as id', () => {
  expect(encodeSse({ type: 'start-step' }, 7)).toBe('id: 7\ndata: {"type":"start-step"}\n\n')
  expect(encodeSse({ type: 'start-step' })).toBe('data: {"type":"start-step"}\n\n')
})

test('what was encoded is decoded', () => {
  const { events, decoder } = decode(wire)
  expect(events.map(event => event.chunk)).toEqual(chunks)
  expect(events.map(event => event.id)).toEqual(chunks.map((_, offset) => String(offset)))
  expect([decoder.done, decoder.lastEventId]).toEqual([true, String(chunks.length - 1)])
})

test('bytes may be cut anywhere, inside a character too', () => {
  const bytes = new TextEncoder().encode(wire)
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(
      decode(bytes.slice(0, cut), bytes.slice(cut)).events.map(event => event.chunk),
      `cut at ${cut}`,
    ).toEqual(chunks)
  }
  expect(decode(...Array.from(bytes, byte => Uint8Array.of(byte))).events.map(event => event.chunk)).toEqual(chunks)
})

describe('other writers', () => {
  const two: Chunk[] = [{ type: 'start-step' }, { type: 'finish-step' }]
  test.each([
    ['CRLF', 'data: {"type":"start-step"}\r\n\r\ndata: {"type":"finish-step"}\r\n\r\n'],
    ['CR', 'data: {"type":"start-step"}\r\rdata: {"type":"finish-step"}\r\r'],
    [
      'comments and unknown fields',
      `${sseKeepAlive}event: x\nretry: 5\ndata: {"type":"start-step"}\n\n:\n\ndata: {"type":"finish-step"}\n\n`,
    ],
    ['several data lines', 'data: {"type":\ndata: "start-step"}\n\ndata:{"type":"finish-step"}\n\n'],
    ['no blank line at the end', 'data: {"type":"start-step"}\n\ndata: {"type":"finish-step"}'],
    ['a byte order mark', '\ufeffdata: {"type":"start-step"}\n\ndata: {"type":"finish-step"}\n\n'],
    ['blank lines without an event', '\n\n\ndata: {"type":"start-step"}\n\n\n\ndata: {"type":"finish-step"}\n\n'],
  ])('%s', (_, source) => {
    expect(decode(source).events.map(event => event.chunk)).toEqual(two)
    expect(decode(...source).events.map(event => event.chunk)).toEqual(two)
    for (let cut = 0; cut <= source.length; cut++) {
      expect(decode(source.slice(0, cut), source.slice(cut)).events).toHaveLength(2)
    }
  })
})

test('what it does not know is ignored and counted, the rest is read', () => {
  const source = ['{bad json', '{"type":"brand-new"}', '{"type":"text-delta","id":5}', '42', '{"type":"start-step"}']
    .map(data => `data: ${data}\n\n`)
    .join('')
  const { events, decoder } = decode(source)
  expect(events.map(event => event.chunk)).toEqual([{ type: 'start-step' }])
  expect(Object.fromEntries(decoder.counts)).toEqual({
    STREAM_BAD_JSON: 1,
    STREAM_UNKNOWN_CHUNK: 2,
    STREAM_BAD_CHUNK: 1,
  })
})

test('envelopes pass as they are', () => {
  const envelope = { eventId: 'e', sequence: 3, chunk: { type: 'start-step' } as Chunk }
  expect(decode(encodeSse(envelope)).events).toEqual([{ chunk: envelope }])
})
