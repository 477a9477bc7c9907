import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import type { Chunk } from '@argot/core'
import { stepMark } from '@argot/core/stream/internal'
import { expect, onTestFinished, test } from 'vitest'
import { LiveRun } from '../../src/runs/live/live-run.ts'
import { SummaryFold } from '../../src/runs/log-summary.ts'

test('a live run says after every flush what its log says when it is read as a whole, and reads nothing twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'argot-live-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'a.chatmd'), '<user>\nHello.\n</user>\n')
  const store = folderStore(folder, { key: Buffer.alloc(32, 7) })
  const seen: number[] = []
  const watch: typeof store.logs.watch = async function* (run, from, signal) {
    for await (const news of store.logs.watch(run, from, signal)) {
      seen.push(...news.lines.map(({ o }) => o))
      yield news
    }
  }
  const news: (string | undefined)[] = []
  const live: LiveRun = new LiveRun({ ...store, logs: { ...store.logs, watch } }, 'r1', 1e6, () =>
    news.push(live.state),
  )
  onTestFinished(() => live.close())
  await live.open()
  expect(live.hasLog).toBe(false)
  const lease = await store.leases.take('a.chatmd')
  const log = await store.logs.open('a.chatmd', 'r1', lease)
  await log.flush()
  await live.open()
  const steps: Chunk[][] = [
    [{ type: 'start', messageId: 'm' }, { type: 'start-step' }],
    [{ type: 'tool-input-available', toolCallId: 'c1', toolName: 'save', input: { text: 'x' } }],
    [{ type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' }],
    [{ type: 'tool-approval-response', toolCallId: 'c1', approvalId: 'p1', approved: true }],
    [{ type: 'tool-output-available', toolCallId: 'c1', output: 'x'.repeat(100_000) }],
    [{ type: stepMark, transient: true, data: { usage: { totalTokens: 7 } } } as Chunk, { type: 'finish-step' }],
    [{ type: 'finish', messageId: 'm', finishReason: 'stop' }],
  ]
  let count = 0
  for (const [index, chunks] of steps.entries()) {
    for (const chunk of chunks) log.append(chunk, 1000 + index)
    await log.flush()
    count += chunks.length
    await live.until(({ summary }) => summary.offset === count)
    const whole = new SummaryFold()
    for (const line of await store.logs.tail('r1', 0)) whole.push(line)
    expect(live.summary).toEqual(whole.result())
    expect(live.summary.pending.map(({ approvalId }) => approvalId)).toEqual(index === 2 ? ['p1'] : [])
  }
  expect(live.summary).toMatchObject({ steps: 1, usage: { totalTokens: 7 }, isOver: true, endedAt: 1006 })
  expect(seen).toEqual(Array.from({ length: count }, (_, o) => o))
  expect(live.state).toBe('running')
  await log.close()
  await lease.release()
  await live.until(({ state }) => state === 'interrupted')
  // It has begun, asked, been answered, and its process has left.
  expect(news).toEqual(['running', 'running', 'running', 'interrupted'])
})

test('who waits for a run waits no longer when the run is given up', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'argot-live-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const live = new LiveRun(folderStore(folder, { key: Buffer.alloc(32, 7) }), 'r1', 1e6, () => {})
  const left = new AbortController()
  const waits = [live.until(() => false), live.until(() => false, left.signal)]
  left.abort()
  await waits[1]
  expect(live.isInUse).toBe(true)
  live.close()
  await waits[0]
  expect(live.isInUse).toBe(false)
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
