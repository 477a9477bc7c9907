import { type Chunk, decodeSse, encodeSse, type Message } from '@argot/core'
import { sseDone, sseKeepAlive } from '@argot/core/stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { share, shareOf } from '../../../../test/share-of-cases.ts'
import { anyHostileStream, anyScript, throughCommentary } from './arbitrary.ts'
import { fixture } from './fixtures.ts'
import { cases, fold, same } from './laws.ts'

const encoder = new TextEncoder()

/** A stream as bytes, in one of the ways in which servers and proxies write it. */
type Style = (chunks: readonly Chunk[]) => string
const plain: Style = chunks => chunks.map((chunk, id) => encodeSse(chunk, id)).join('') + sseDone
const styles: Record<string, Style> = {
  plain,
  'with CRLF': chunks => plain(chunks).replaceAll('\n', '\r\n'),
  'with CR': chunks => plain(chunks).replaceAll('\n', '\r'),
  'with a byte order mark': chunks => `\ufeff${plain(chunks)}`,
  'with comments and foreign fields': chunks =>
    chunks.map((chunk, id) => `${sseKeepAlive}: note\nevent: message\nretry: 10\n${encodeSse(chunk, id)}`).join('') +
    sseDone,
  'with data on several lines': chunks =>
    chunks.map(chunk => JSON.stringify(chunk, null, 1).replace(/^/gm, 'data:').concat('\n\n')).join('') + sseDone,
  'without the last blank line': chunks => plain(chunks).replace(/\n+data: \[DONE\]\n\n$/, ''),
}

function read(pieces: Iterable<Uint8Array | string>): Chunk[] {
  const decoder = decodeSse()
  const chunks: Chunk[] = []
  for (const piece of pieces) for (const event of decoder.push(piece)) chunks.push(event.chunk as Chunk)
  for (const event of decoder.end()) chunks.push(event.chunk as Chunk)
  return chunks
}

function cutAt(whole: Uint8Array, places: readonly number[]): Uint8Array[]
function cutAt(whole: Uint8Array | string, places: readonly number[]): (Uint8Array | string)[]
function cutAt(whole: Uint8Array | string, places: readonly number[]): (Uint8Array | string)[] {
  const sorted = places.map(place => place % (whole.length + 1)).sort((a, b) => a - b)
  return [0, ...sorted].map((start, i) => whole.slice(start, sorted[i] ?? whole.length))
}

const anyPlaces = fc.array(fc.nat(1 << 16), { maxLength: 12 })

test('a stream gives the same message in every style and however its bytes or its text are cut', () => {
  const anyStyle = fc.constantFrom(...Object.values(styles))
  fc.assert(
    fc.property(anyScript({}, 64), anyStyle, fc.boolean(), anyPlaces, ({ chunks }, style, asText, places) => {
      const sent = throughCommentary(chunks)
      const written = style(sent)
      same(fold(read(cutAt(asText ? written : encoder.encode(written), places))), fold(sent))
    }),
    { numRuns: cases },
  )
})

/** What hostile bytes give: chunks, and what was ignored. */
function outcome(pieces: Iterable<Uint8Array>): unknown {
  const decoder = decodeSse()
  const events = [...pieces].flatMap(piece => decoder.push(piece))
  events.push(...decoder.end())
  return { events, counts: [...decoder.counts], id: decoder.lastEventId, done: decoder.done }
}

test('broken bytes are read the same however they are cut, and nothing throws', () => {
  const anyLine = fc.constantFrom(
    'data: {',
    'data:',
    'data',
    '"type":"finish"}',
    'id: 7',
    'id',
    ':',
    '\ufeff',
    '\0',
    '😀',
    'data: [DONE]',
  )
  const anyBreak = fc.constantFrom('\n', '\r', '\r\n', '\n\n')
  const anyBytes = fc
    .array(fc.oneof(anyLine, anyBreak, anyBreak), { maxLength: 20 })
    .map(lines => encoder.encode(lines.join('')))
  fc.assert(
    fc.property(anyBytes, fc.uint8Array({ maxLength: 4 }), anyPlaces, (bytes, noise, places) => {
      const broken = Uint8Array.from([...bytes, ...noise, ...bytes])
      same(outcome(cutAt(broken, places)), outcome([broken]))
    }),
    { numRuns: cases },
  )
})

test('what is not a chunk is ignored and counted, and the chunks around it are read', () => {
  fc.assert(
    fc.property(anyHostileStream({ json: true }), items => {
      const text = items.map(item => encodeSse(item)).join('')
      const decoder = decodeSse()
      const events = [...decoder.push(text), ...decoder.end()]
      const ignored = [...decoder.counts.values()].reduce((sum, count) => sum + count, 0)
      expect(events.length + ignored).toBe(items.length)
    }),
    { numRuns: shareOf(1000) },
  )
})

for (const name of ['three-steps', 'parallel-calls']) {
  test.each(Object.keys(styles))(`${name} reads the same with a cut at any byte and byte by byte, %s`, style => {
    const chunks = fixture(name)
    const bytes = encoder.encode(styles[style]!(chunks))
    const expected: readonly Message[] = fold(chunks)
    same(fold(read(Array.from(bytes, byte => Uint8Array.of(byte)))), expected)
    for (let at = 0; at <= bytes.length; at += 1 / share)
      same(read([bytes.subarray(0, at), bytes.subarray(at)]), chunks)
  })
}
