import { ftruncateSync, writeSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testQueue } from '@argot/server/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { JournalDisk } from '../../src/runs/queue/journal.ts'
import { JournalQueue, type JournalQueueOptions } from '../../src/runs/queue/journal-queue.ts'

testQueue({
  name: 'JournalQueue',
  test,
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'argot-queue-'))
    return {
      open: () => takeOver(folder, { disk: smallDisk(Number.POSITIVE_INFINITY) }),
      openFull: room => takeOver(folder, { disk: smallDisk(room), remembered: 0 }),
      remove: () => rm(folder, { recursive: true, force: true }),
    }
  },
})

/** A disk with room for so many more bytes: the write that does not fit takes what does. */
function smallDisk(room: number): JournalDisk {
  let left = room
  return {
    write(fd, bytes) {
      if (left === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      const count = writeSync(fd, bytes, 0, Math.min(bytes.length, left))
      left -= count
      return count
    },
    truncate: (fd, size) => ftruncateSync(fd, size),
    sync: async () => {},
    syncNow: () => {},
  }
}

/** The queue as it is after the process that had it is thought gone. */
async function takeOver(folder: string, options: JournalQueueOptions = {}): Promise<JournalQueue> {
  await rm(join(folder, 'server.lock'), { force: true })
  return new JournalQueue(folder, options)
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-queue-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('two servers cannot have one queue, and the next may have it when the first is closed', async () => {
  const folder = await emptyFolder()
  const first = new JournalQueue(folder)
  expect(() => new JournalQueue(folder)).toThrow(
    expect.objectContaining({ code: 'SERVER_LOCKED', message: expect.stringContaining(`process ${process.pid}`) }),
  )
  await first.close()
  await new JournalQueue(folder).close()
})

test('who was thought gone and comes back is refused, and what it had in hand is not taken for written', async () => {
  const folder = await emptyFolder()
  const zombie = new JournalQueue(folder)
  await zombie.enqueue({ run: '1', document: 'a.chatmd', at: 1 })
  const late = `${(await readFile(join(folder, 'runs.jsonl'), 'utf8')).split('\n')[1]!.replace('"run":"1"', '"run":"9"')}\n`
  const next = await takeOver(folder)
  await next.enqueue({ run: '2', document: 'b.chatmd', at: 1 })
  const refused = expect.objectContaining({ code: 'SERVER_LOCK_LOST' })
  await expect(zombie.enqueue({ run: '3', document: 'c.chatmd', at: 1 })).rejects.toEqual(refused)
  await expect(zombie.finish('1')).rejects.toEqual(refused)
  expect(await zombie.take(new AbortController().signal)).toBe(undefined)
  expect(await zombie.renew('1')).toBe(false)
  expect(zombie.lost.aborted).toBe(true)
  await zombie.close()
  // A write that was under way when the lock was lost.
  await appendFile(join(folder, 'runs.jsonl'), late)
  await next.enqueue({ run: '4', document: 'd.chatmd', at: 1 })
  const third = await takeOver(folder)
  expect((await third.list()).map(({ job }) => job.run)).toEqual(['1', '2', '4'])
  await third.close()
})

test('a line that a crash has cut off is taken away, and what comes after it is kept', async () => {
  const folder = await emptyFolder()
  const first = new JournalQueue(folder)
  await first.enqueue({ run: '1', document: 'a.chatmd', at: 1 })
  await appendFile(join(folder, 'runs.jsonl'), '{"type":"job","job":{"run":"2","docu')
  const second = await takeOver(folder)
  await second.enqueue({ run: '3', document: 'b.chatmd', at: 1 })
  const third = await takeOver(folder)
  expect((await third.list()).map(({ job }) => job.run)).toEqual(['1', '3'])
})

test('the journal is bounded by what it remembers, however many runs it has accepted, and keeps what is not over', async () => {
  const folder = await emptyFolder()
  const [remembered, leastGrowth] = [20, 10_000]
  const queue = new JournalQueue(folder, { remembered, leastGrowth })
  const input = {
    id: 'm',
    role: 'user',
    parts: [{ type: 'text', id: '0', text: 'private '.repeat(100), state: 'done' }],
  }
  await queue.enqueue({ run: 'open', document: 'open.chatmd', at: 1, input: input as never })
  const sizes: number[] = []
  for (let index = 0; index < 600; index++) {
    const run = `run-${index}`
    await queue.enqueue({ run, document: `${index}.chatmd`, key: run, digest: 'd', at: index, input: input as never })
    await queue.finish(run)
    sizes.push((await stat(join(folder, 'runs.jsonl'))).size)
  }
  // What is remembered, twice, and one growth with the line that reached it.
  const bound = 2 * (2 * 200 * (remembered + 100)) + leastGrowth + 1000
  expect(Math.max(...sizes)).toBeLessThan(bound)
  expect(Math.max(...sizes.slice(300))).toBeLessThanOrEqual(Math.max(...sizes.slice(0, 300)) + 1000)
  for (const one of [queue, await takeOver(folder)]) {
    expect((await one.list()).map(({ job }) => [job.run, job.input?.id])).toEqual([['open', 'm']])
    expect((await one.list({ key: 'run-599' }))[0]?.state).toBe('finished')
  }
})

test('of a message that was forgotten the journal has not a word', async () => {
  const folder = await emptyFolder()
  const queue = new JournalQueue(folder)
  const input = { id: 'm', role: 'user', parts: [{ type: 'text', id: '0', text: 'a secret', state: 'done' }] }
  await queue.enqueue({ run: '1', document: 'a.chatmd', at: 1, key: 'the key', input: input as never })
  await queue.finish('1')
  const path = join(folder, 'runs.jsonl')
  expect(await readFile(path, 'utf8')).toContain('a secret')
  await queue.forget(({ document }) => document === 'a.chatmd')
  expect(await readFile(path, 'utf8')).not.toMatch(/secret|the key|a\.chatmd/)
  await queue.close()
})

test('a server that was taken over does not write the journal of the next one again', async () => {
  const folder = await emptyFolder()
  const zombie = new JournalQueue(folder)
  await zombie.enqueue({ run: '1', document: 'a.chatmd', at: 1 })
  const next = await takeOver(folder)
  await next.enqueue({ run: '2', document: 'b.chatmd', at: 1 })
  await expect(zombie.forget(() => true)).rejects.toMatchObject({ code: 'SERVER_LOCK_LOST' })
  await zombie.close()
  expect((await takeOver(folder)).lost.aborted).toBe(false)
  expect(await readFile(join(folder, 'runs.jsonl'), 'utf8')).toContain('"run":"2"')
})
