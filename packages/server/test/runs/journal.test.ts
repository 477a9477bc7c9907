import { ftruncateSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Journal, type JournalDisk } from '../../src/runs/queue/journal.ts'
import { compactLines, type JournalLine } from '../../src/runs/queue/journal-line.ts'

async function journalPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-journal-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'runs.jsonl')
}

interface SmallDisk extends JournalDisk {
  room: number
  fails: boolean
}

function smallDisk(room = Number.POSITIVE_INFINITY): SmallDisk {
  return {
    room,
    fails: false,
    write(fd, bytes) {
      if (this.room === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      const count = writeSync(fd, bytes, 0, Math.min(bytes.length, this.room))
      this.room -= count
      return count
    },
    truncate: (fd, size) => ftruncateSync(fd, size),
    syncNow() {},
    async sync() {
      if (this.fails) throw Object.assign(new Error('EIO'), { code: 'EIO' })
    },
  }
}

const values = [{ a: 1 }, { b: 'ü' }, { c: [1, 2, 3] }]
const whole = values.map(value => `${JSON.stringify(value)}\n`).join('')

test('a rewrite with room for any number of bytes leaves the old journal, or makes the new one', async () => {
  const kept = `${JSON.stringify(values[1])}\n`
  for (let room = 0; room <= Buffer.byteLength(kept); room++) {
    const path = await journalPath()
    await writeFile(path, whole)
    const disk = smallDisk(room)
    const { journal } = Journal.open(path, { disk })
    const rewriting = journal.rewrite(all => [all[1]])
    const fits = room === Buffer.byteLength(kept)
    if (fits) await rewriting
    else await expect(rewriting).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(readFileSync(path, 'utf8')).toBe(fits ? kept : whole)
    expect(readdirSync(join(path, '..'))).toEqual(['runs.jsonl'])
    disk.room = 1000
    await journal.append({ d: 4 })
    await journal.close()
    expect(Journal.open(path).values).toEqual([...(fits ? [values[1]] : values), { d: 4 }])
  }
})

test('a rewrite waits for the appends before it, and those after it are in the new journal', async () => {
  const path = await journalPath()
  const { journal } = Journal.open<{ n: number }>(path)
  const works: Promise<void>[] = []
  for (let n = 0; n < 60; n++) {
    works.push(journal.append({ n }))
    if (n % 7 === 0) works.push(journal.rewrite<{ n: number }>(all => all.filter(one => one.n % 2 === 0)))
  }
  await Promise.all(works)
  await journal.rewrite<{ n: number }>(all => all.filter(one => one.n % 2 === 0))
  await journal.close()
  expect(Journal.open(path).values).toEqual(Array.from({ length: 30 }, (_, n) => ({ n: n * 2 })))
})

test('a value that the disk could not keep is not in the journal, and the next one is', async () => {
  const path = await journalPath()
  const disk = smallDisk()
  const { journal } = Journal.open(path, { disk })
  await journal.append({ n: 1 })
  disk.fails = true
  await expect(journal.append({ n: 2 })).rejects.toMatchObject({ code: 'EIO' })
  disk.fails = false
  await journal.append({ n: 3 })
  await journal.close()
  expect(Journal.open(path).values).toEqual([{ n: 1 }, { n: 3 }])
})

test('a process that has lost the journal does not put another in its place', async () => {
  const path = await journalPath()
  await writeFile(path, whole)
  const { journal } = Journal.open(path, {
    check: () => {
      throw new Error('lost')
    },
  })
  await expect(journal.rewrite(() => [])).rejects.toThrow('lost')
  expect(readFileSync(path, 'utf8')).toBe(whole)
  expect(readdirSync(join(path, '..'))).toEqual(['runs.jsonl'])
})

test('a journal in fewer lines is the same queue, and says nothing of what was sent to runs that are over', () => {
  const job = (run: string): JournalLine => ({
    type: 'job',
    epoch: 5,
    job: { run, document: 'a', at: 1, key: run, input: { id: run, role: 'user', status: 'sent', parts: [] } },
  })
  const lines: JournalLine[] = [
    ...[job('1'), job('2'), job('3')],
    { type: 'end', epoch: 5, run: '1' },
    { type: 'open', epoch: 6 },
    // A process that had lost the journal.
    { type: 'end', epoch: 5, run: '3' },
    { type: 'end', epoch: 6, run: '2', failure: { code: 'RUN_FAILED', message: 'No.' } },
    { type: 'job', epoch: 6, job: { run: '4', document: 'b', at: 2 } },
  ]
  expect(compactLines(lines, 7, 1)).toEqual([
    { type: 'job', epoch: 7, job: { run: '2', document: 'a', at: 1, key: '2' } },
    { type: 'end', epoch: 7, run: '2', failure: { code: 'RUN_FAILED', message: 'No.' } },
    { ...job('3'), epoch: 7 },
    { type: 'job', epoch: 7, job: { run: '4', document: 'b', at: 2 } },
  ])
})
