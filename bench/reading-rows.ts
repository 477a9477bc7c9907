import { type Accumulator, accumulate, type Chunk } from '@argot/core'
import { count, readChange, readPart } from './read-newest.ts'
import { captured, forJson, liveValue, readPartialJson, readStreamParser, river } from './reading-json.ts'
import { withAi, withAssistantStream, withMui } from './reading-peers.ts'
import type { ReadingTable, Row } from './reading-table.ts'
import { manyCalls, plainText, type StreamCase, structured } from './stream-cases.ts'

/** How many chunks come between two pictures of a page. */
const frame = 4

/** `every`: so many chunks come between two looks. */
function withChanges(stream: StreamCase, every: number): Row {
  const rhythm = every === 1 ? 'after every chunk' : `once per frame of ${every} chunks`
  return {
    name: `changes() ${rhythm}, everything read`,
    linear: stream !== structured,
    upTo: 100,
    prepare: size => {
      const chunks = stream.chunks(size)
      return () => {
        const accumulator = accumulate()
        const reader = accumulator.reader()
        let left = every
        for (const chunk of chunks) {
          accumulator.push(chunk)
          if (--left > 0) continue
          left = every
          for (const change of reader.changes()) readChange(change)
        }
      }
    },
  }
}

/** A page that takes a snapshot after every chunk and reads its newest part. */
function withMessage(stream: StreamCase, upTo: number): Row {
  return {
    name: 'message after every chunk, its newest part read',
    upTo,
    prepare: size => {
      const chunks = stream.chunks(size)
      return () => {
        const accumulator: Accumulator = accumulate()
        for (const chunk of chunks) {
          accumulator.push(chunk)
          const part = accumulator.message?.parts.at(-1)
          if (part !== undefined) readPart(part)
        }
      }
    },
  }
}

const manyKeys: StreamCase = {
  name: 'metadata',
  unit: 'deltas',
  chunks: size => [
    { type: 'start', messageId: 'message-1' },
    ...Array.from(
      { length: size },
      (_, index): Chunk => ({ type: 'message-metadata', messageMetadata: { [`key-${index}`]: index } }),
    ),
  ],
}

const metadataAtTheEnd: Row = {
  name: 'push, the metadata read at the end',
  linear: true,
  upTo: 100,
  prepare: size => {
    const chunks = manyKeys.chunks(size)
    return () => {
      const accumulator = accumulate()
      for (const chunk of chunks) accumulator.push(chunk)
      count(Object.keys(accumulator.message?.metadata ?? {}).length)
    }
  },
}

/** What a page may read, beside those who read the same. Every table begins with "everything read after every chunk". */
export const tables: readonly ReadingTable[] = [
  {
    name: 'Plain text',
    unit: 'deltas',
    base: 160,
    rows: [
      withChanges(plainText, 1),
      withChanges(plainText, frame),
      withMessage(plainText, 100),
      ...withAi(plainText, 100),
      withAssistantStream(plainText, 100),
      withMui(plainText, 100),
    ],
  },
  {
    name: 'A structured argument, JSON alone',
    unit: 'deltas',
    base: 160,
    rows: [
      liveValue,
      captured,
      river,
      forJson('@streamparser/json 0.0.26, live', 100, readStreamParser),
      forJson('partial-json 0.1.7, parsed again each time', 10, readPartialJson),
    ],
  },
  {
    name: 'A structured argument in a message',
    unit: 'deltas',
    base: 160,
    rows: [
      withChanges(structured, 1),
      withChanges(structured, frame),
      withMessage(structured, 100),
      ...withAi(structured, 10),
      withAssistantStream(structured, 10),
      // MUI X Chat drops input that is not whole.
    ],
  },
  {
    name: 'More and more calls',
    unit: 'calls',
    base: 160,
    rows: [
      withChanges(manyCalls, 1),
      withChanges(manyCalls, frame),
      withMessage(manyCalls, 10),
      ...withAi(manyCalls, 1),
      withAssistantStream(manyCalls, 10),
      withMui(manyCalls, 10, 'inputs once they are whole'),
    ],
  },
  {
    name: 'Plain text up to 1 MB',
    unit: 'deltas',
    base: 640,
    rows: [withChanges(plainText, 1), withChanges(plainText, frame)],
  },
  {
    name: 'More and more keys of metadata',
    unit: 'chunks',
    base: 40,
    rows: [withChanges(manyKeys, 1), metadataAtTheEnd, ...withAi(manyKeys, 10)],
  },
]
