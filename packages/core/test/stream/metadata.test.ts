import type { Message } from '@argot/core'
import { expect, test } from 'vitest'
import { folder } from './laws.ts'

/** The messages after each piece of metadata. */
function snapshots(pieces: readonly unknown[]): Message[] {
  const folding = folder()
  folding.push({ type: 'start', messageId: 'm' })
  return pieces.map(messageMetadata => {
    folding.push({ type: 'message-metadata', messageMetadata: messageMetadata as Record<string, unknown> })
    return folding.message!
  })
}

const pieces = [
  { usage: { input: 1 }, model: 'a' },
  { usage: { output: 2 }, tags: [1] },
  { usage: { input: 3 }, tags: [2], left: undefined },
  JSON.parse('{"__proto__":{"polluted":1},"usage":{"__proto__":4}}'),
  JSON.parse('{"__proto__":{"more":2},"model":null}'),
]

const shown = [
  '{"usage":{"input":1},"model":"a"}',
  '{"usage":{"input":1,"output":2},"model":"a","tags":[1]}',
  '{"usage":{"input":3,"output":2},"model":"a","tags":[2]}',
  '{"usage":{"input":3,"output":2,"__proto__":4},"model":"a","tags":[2],"__proto__":{"polluted":1}}',
  '{"usage":{"input":3,"output":2,"__proto__":4},"model":null,"tags":[2],"__proto__":{"polluted":1,"more":2}}',
]

test.each([
  ['when they are read in order', (messages: Message[]) => messages],
  ['when the newest is read first', (messages: Message[]) => messages.toReversed()],
  ['when some are never read', (messages: Message[]) => messages.filter((_, index) => index % 2 === 0)],
])('messages keep the metadata of their moment %s', (_, order) => {
  const messages = snapshots(pieces)
  for (const message of order(messages)) {
    expect(JSON.stringify(message.metadata)).toBe(shown[messages.indexOf(message)])
  }
  expect(messages.map(message => JSON.stringify(message.metadata))).toEqual(shown)
  expect({}).not.toHaveProperty('polluted')
  expect(pieces[0]).toEqual({ usage: { input: 1 }, model: 'a' })
})

test('metadata is an own property that spread, JSON and structuredClone see', () => {
  const message = snapshots(pieces.slice(0, 2)).at(-1)!
  for (const copy of [{ ...message }, JSON.parse(JSON.stringify(message)), structuredClone(message)]) {
    expect(copy.metadata).toEqual({ usage: { input: 1, output: 2 }, model: 'a', tags: [1] })
  }
  expect(message.metadata).toBe(message.metadata)
})

test('many keys, one at a time, are all there', () => {
  const many = Array.from({ length: 4_000 }, (_, index) => ({ nested: { [`key-${index}`]: index } }))
  const { metadata } = snapshots(many).at(-1)!
  expect(Object.keys(metadata!.nested as object)).toHaveLength(4_000)
})
