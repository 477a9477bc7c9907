import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FolderWatches } from '../../src/store/folder/folder-watches.ts'
import { followLines } from '../../src/store/folder/follow-log.ts'
import { LocalWriters } from '../../src/store/folder/local-writers.ts'

const context = { writers: new LocalWriters(), watches: new FolderWatches() }

test('half a line that is cut off and replaced while it is read is never part of another line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'argot-torn-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'log.jsonl')
  const fd = openSync(path, 'a')
  onTestFinished(() => closeSync(fd))
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const lines = followLines(async () => path, context, stop.signal)
  const wanted = Array.from({ length: 400 }, (_, index) => `line ${index} ${'x'.repeat(index % 50)}`)
  const seen: string[] = []
  const reading = (async () => {
    for await (const line of lines) if (seen.push(line) === wanted.length) return
  })()
  let size = 0
  for (const [index, line] of wanted.entries()) {
    // A process dies in the middle of a line; the next one takes that away and writes its own.
    writeSync(fd, 'torn and never ended'.slice(0, 3 + (index % 17)))
    for (let turn = 0; turn < index % 5; turn++) await new Promise(resolve => setImmediate(resolve))
    ftruncateSync(fd, size)
    size += writeSync(fd, `${line}\n`)
    if (index % 7 === 0) await new Promise(resolve => setImmediate(resolve))
  }
  await reading
  expect(seen).toEqual(wanted)
})

test('a line that is longer than what is read at a time is read whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'argot-long-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'log.jsonl')
  const fd = openSync(path, 'a')
  onTestFinished(() => closeSync(fd))
  const wanted = [10, 64 * 1024 - 1, 64 * 1024, 1_000_000, 3].map(length => 'ä'.repeat(length))
  writeSync(fd, wanted.map(line => `${line}\n`).join(''))
  const seen: string[] = []
  for await (const line of followLines(async () => path, context, new AbortController().signal)) {
    if (seen.push(line) === wanted.length) break
  }
  expect(seen).toEqual(wanted)
})
