import type { RunLogs } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { RunFeed } from '../../src/runs/live/run-feed.ts'

test('a reader comes to its end when lines follow the end of the run in the same piece', async () => {
  const feed = new RunFeed({} as RunLogs, 'run', 1000, () => 0)
  const chunks: Chunk[] = []
  const reading = (async () => {
    for await (const lines of feed.read(0, new AbortController().signal))
      chunks.push(...lines.map(({ chunk }) => chunk))
  })()
  // The reader waits.
  await new Promise(resolve => setImmediate(resolve))
  const finish: Chunk = { type: 'finish', messageId: 'm', finishReason: 'stop' }
  const written: Chunk = { type: 'data-argot-written', transient: true, data: {} }
  feed.add([finish, written].map((chunk, o) => ({ o, t: 0, chunk })))
  await reading
  expect(chunks).toEqual([finish])
})
