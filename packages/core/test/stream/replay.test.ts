import { accumulate, type Chunk, replay } from '@argot/core'
import { type LogLine, messageToChunks } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import {
  answer,
  ask,
  available,
  denied,
  failure,
  finish,
  finishStep,
  inputDelta,
  inputStart,
  messageOf,
  output,
  start,
  startStep,
  text,
} from './chunks.ts'

async function collect(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

describe('a finished message', () => {
  test.each<[string, Chunk[]]>([
    ['with text', [startStep, ...text('t', 'Hello world, ', 'how are you?'), finishStep, finish('stop')]],
    [
      'with a call',
      [
        startStep,
        ...text('t', 'Look.'),
        inputStart(),
        available({ q: 'a b c' }),
        output({ n: 1 }),
        finishStep,
        startStep,
        ...text('t', 'Done.'),
        finishStep,
        finish(),
      ],
    ],
    [
      'with an edited input',
      [
        startStep,
        inputStart(),
        available(),
        ask('a1'),
        answer(true),
        available({ q: 'dogs' }),
        output(),
        finishStep,
        finish(),
      ],
    ],
    [
      'with a denial',
      [startStep, inputStart(), available(), ask('a1'), answer(false), denied('no'), finishStep, finish()],
    ],
    ['with an error', [startStep, inputStart(), available(), failure('no'), finishStep, finish()]],
    [
      'with input that could not be read',
      [
        startStep,
        inputStart(),
        { type: 'tool-input-error', toolCallId: 'c1', toolName: 'search', input: '<x', errorText: 'bad' },
        finishStep,
        finish(),
      ],
    ],
    [
      'that was stopped',
      [
        startStep,
        ...text('t', 'Look.'),
        inputStart(),
        inputDelta('{"q":"ca'),
        { type: 'abort', messageId: 'm1', reason: 'user' },
      ],
    ],
    [
      'that failed',
      [
        startStep,
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Ha' },
        { type: 'error', errorText: 'boom' },
        finishStep,
        finish(),
      ],
    ],
  ])('%s folds to itself again', (_, chunks) => {
    const message = messageOf([start(), ...chunks])
    expect(messageOf(messageToChunks(message))).toEqual(message)
  })

  test('comes piece by piece, with the tool’s own duration', async () => {
    let time = 0
    const accumulator = accumulate({ now: () => time })
    for (const chunk of [start(), startStep, inputStart(), available()]) accumulator.push(chunk)
    time = 900
    for (const chunk of [output(), finishStep, startStep, ...text('t', 'one two'), finishStep, finish()])
      accumulator.push(chunk)
    const waits: number[] = []
    const chunks = await collect(
      replay(accumulator.message!, { speed: 2, pause: async milliseconds => void waits.push(milliseconds) }),
    )
    expect(chunks.filter(chunk => chunk.type === 'text-delta')).toHaveLength(2)
    expect(Math.max(...waits)).toBe(450)
  })
})

describe('a log', () => {
  const line = (o: number, t: number, chunk: Chunk): LogLine => ({ o, t, chunk })

  test('is replayed in its own time, and no wait is longer than five seconds', async () => {
    const waits: number[] = []
    const log = [line(0, 0, start()), line(1, 100, startStep), line(2, 60_000, finishStep), line(3, 60_000, finish())]
    const chunks = await collect(replay(log, { pause: async milliseconds => void waits.push(milliseconds) }))
    expect(chunks).toEqual(log.map(entry => entry.chunk))
    expect(waits).toEqual([100, 5000])
  })

  test('leaves out steps that were reset', async () => {
    const log = [
      start(),
      startStep,
      ...text('a', 'gone'),
      { type: 'reset-step' } as Chunk,
      ...text('b', 'kept'),
      finishStep,
      finish(),
    ].map((chunk, o) => line(o, 0, chunk))
    const chunks = await collect(replay(log, { speed: Number.POSITIVE_INFINITY }))
    expect(chunks).toEqual([start(), startStep, ...text('b', 'kept'), finishStep, finish()])
  })

  test('stops when it is told to', async () => {
    const controller = new AbortController()
    const seen: Chunk[] = []
    for await (const chunk of replay([line(0, 0, start()), line(1, 4000, startStep)], { signal: controller.signal })) {
      seen.push(chunk)
      controller.abort()
    }
    expect(seen).toEqual([start()])
  })
})
