import { decodeSse } from '@argot/core'
import { limits } from '@argot/core/stream'
import { expect, test } from 'vitest'

const event = 'id: 1\ndata: {"type":"start-step"}\n\n'

test.each([
  ['its id only', 'id: 2\n'],
  ['half of its data', 'id: 2\ndata: {"type":'],
])('an event of which came %s is asked for again', (_, rest) => {
  const decoder = decodeSse()
  decoder.push(event + rest)
  expect(decoder.lastEventId).toBe('1')
  decoder.end()
  expect(decoder.lastEventId).toBe('1')
})

test('the id of a last event without its blank line counts once its data is whole', () => {
  const decoder = decodeSse()
  decoder.push(`${event}id: 2\ndata: {"type":"finish-step"}`)
  expect(decoder.end()).toEqual([{ id: '2', chunk: { type: 'finish-step' } }])
  expect(decoder.lastEventId).toBe('2')
})

test('only one byte order mark is taken away', () => {
  const decoder = decodeSse()
  decoder.push(new TextEncoder().encode(`\ufeff\ufeff${event}`))
  expect(decoder.lastEventId).toBeUndefined()
})

const mebibyte = 'x'.repeat(1024 * 1024)
const tooMany = limits.messageLength / mebibyte.length + 1

test('an event that never ends is not kept, and what follows it is read', () => {
  const decoder = decodeSse()
  for (let i = 0; i < tooMany; i++) decoder.push(`data: ${mebibyte}\n`)
  decoder.push('\n')
  expect(decoder.push(event)).toHaveLength(1)
  expect([...decoder.counts]).toEqual([['STREAM_MESSAGE_TOO_LONG', 1]])
})

test('an event with a line that is too long is ignored as a whole, however it is cut', () => {
  const line = `data: ${'x'.repeat(limits.messageLength)}`
  for (const pieces of [[line, '\ndata: {"type":"start-step"}\n\n'], [`${line}\ndata: {"type":"start-step"}\n\n`]]) {
    const decoder = decodeSse()
    expect(pieces.flatMap(piece => decoder.push(piece))).toEqual([])
    expect([...decoder.counts]).toEqual([['STREAM_MESSAGE_TOO_LONG', 1]])
  }
})

test('comments between events never add up to an event that is too long', () => {
  const decoder = decodeSse()
  for (let i = 0; i < tooMany; i++) decoder.push(`:${mebibyte}\n`)
  expect(decoder.push(event)).toHaveLength(1)
})
