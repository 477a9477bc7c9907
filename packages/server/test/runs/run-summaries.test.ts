import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import type { Chunk } from '@argot/core'
import { stepMark } from '@argot/core/stream/internal'
import { expect, onTestFinished, test } from 'vitest'
import { RunSummaries } from '../../src/runs/run-summaries.ts'
import { SummaryFold } from '../../src/runs/run-summary.ts'

test('a log that is asked about again is read from where it was left, and says the same as when it is read at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'argot-summaries-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'a.chatmd'), '<user>\nHello.\n</user>\n')
  const store = folderStore(folder, { key: Buffer.alloc(32, 7) })
  const read: number[] = []
  const logs: typeof store.logs = {
    ...store.logs,
    async tail(run, from) {
      const lines = await store.logs.tail(run, from)
      read.push(lines.length)
      return lines
    },
  }
  const summaries = new RunSummaries(logs)
  expect(await summaries.of('r1')).toBeUndefined()
  const lease = await store.leases.take('a.chatmd')
  const log = await store.logs.open('a.chatmd', 'r1', lease)
  onTestFinished(async () => {
    await log.close()
    await lease.release()
  })
  const steps: Chunk[][] = [
    [{ type: 'start', messageId: 'm' }, { type: 'start-step' }],
    [{ type: 'tool-input-available', toolCallId: 'c1', toolName: 'save', input: { text: 'x' } }],
    [{ type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' }],
    [{ type: 'tool-approval-response', toolCallId: 'c1', approvalId: 'p1', approved: true }],
    [{ type: 'tool-output-available', toolCallId: 'c1', output: 'x'.repeat(100_000) }],
    [{ type: stepMark, transient: true, data: { usage: { totalTokens: 7 } } } as Chunk, { type: 'finish-step' }],
    [{ type: 'finish', messageId: 'm', finishReason: 'stop' }],
  ]
  for (const [index, chunks] of steps.entries()) {
    for (const chunk of chunks) log.append(chunk, 1000 + index)
    await log.flush()
    const said = await summaries.of('r1')
    expect(read.findLast(count => count > 0)).toBe(chunks.length)
    expect(said).toEqual(await new RunSummaries(store.logs).of('r1'))
    expect(said!.pending.map(({ approvalId }) => approvalId)).toEqual(index === 2 ? ['p1'] : [])
  }
  expect(await summaries.of('r1')).toMatchObject({ steps: 1, usage: { totalTokens: 7 }, isOver: true, endedAt: 1006 })
  expect(read.at(-1)).toBe(0)
})

test('a run has used what agents inside its calls used, and what it took to write an answer that was taken back', () => {
  const fold = new SummaryFold()
  const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7 }
  const inside = (chunk: Chunk) => ({ type: 'data-argot-sub', transient: true, data: { toolCallId: 'c1', chunk } })
  const chunks = [
    { type: 'start', messageId: 'm' },
    { type: stepMark, transient: true, data: { usage } },
    inside({ type: 'finish', messageId: 'n', finishReason: 'stop', messageMetadata: { usage, steps: 2 } }),
    inside({ type: 'message-metadata', messageMetadata: { usage }, metadata: { usage } }),
    { type: 'data-argot-taken-back', transient: true, data: { usage } },
    { type: 'reset-step' },
    { type: stepMark, transient: true, data: { usage } },
    // Says it all again.
    { type: 'finish', messageId: 'm', finishReason: 'stop', messageMetadata: { usage: { totalTokens: 35 }, steps: 3 } },
  ] as Chunk[]
  chunks.forEach((chunk, o) => {
    fold.push({ o, t: o, chunk, isSigned: true })
  })
  expect(fold.result()).toMatchObject({ steps: 3, usage: { inputTokens: 25, outputTokens: 10, totalTokens: 35 } })
})

test('the state of a run is that of its last attempt', () => {
  const fold = new SummaryFold()
  const push = (...chunks: object[]): void => {
    for (const chunk of chunks) fold.push({ o: fold.next, t: 1, chunk: chunk as Chunk, isSigned: true })
  }
  push({ type: 'start', messageId: 'm' }, { type: 'error', errorText: 'The disk is full.' })
  push({ type: 'finish', finishReason: 'error' })
  expect(fold.result()).toMatchObject({ error: 'The disk is full.', finishReason: 'error' })
  push({ type: 'start', messageId: 'm' }, { type: 'start-step' }, { type: 'finish-step' })
  push({ type: 'finish', finishReason: 'stop' })
  expect(fold.result()).toMatchObject({ finishReason: 'stop', ending: 'finish' })
  expect(fold.result().error).toBe(undefined)
})
