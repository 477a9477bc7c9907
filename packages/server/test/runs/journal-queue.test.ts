import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JournalQueue } from '@argot/server'
import { testQueue } from '@argot/server/testing'
import { expect, onTestFinished, test } from 'vitest'

testQueue({
  name: 'JournalQueue',
  test,
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'argot-queue-'))
    return { open: async () => new JournalQueue(folder), remove: () => rm(folder, { recursive: true, force: true }) }
  },
})

test('a line that a crash has cut off is taken away, and what comes after it is kept', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'argot-queue-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const first = new JournalQueue(folder)
  await first.enqueue({ run: '1', document: 'a.chatmd', at: 1 })
  await appendFile(join(folder, 'runs.jsonl'), '{"type":"job","job":{"run":"2","docu')
  const second = new JournalQueue(folder)
  await second.enqueue({ run: '3', document: 'b.chatmd', at: 1 })
  const third = new JournalQueue(folder)
  expect((await third.list()).map(({ job }) => job.run)).toEqual(['1', '3'])
})
