import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderStore, type Store } from '@argot/agent'
import { pruneFolder } from '@argot/agent/internal'
import { expect, test } from 'vitest'
import { recordRun } from '../../src/testing/record-run.ts'
import { parkedRun, start, wholeRun } from '../../src/testing/scripted-chunks.ts'
import { documentFolder, filesBelow } from '../run/document-folder.ts'

const DAY = 24 * 60 * 60 * 1000
const key = Buffer.from('the key of the user of these tests')
const prompt = '<user>\nHello.\n</user>\n'

async function remove(store: Store, path: string): Promise<void> {
  const lease = await store.leases.take(path)
  await store.documents.remove(path, lease)
  await lease.release()
}

function age(folder: string, path: string, run: string, days: number): void {
  const seconds = Date.now() / 1000 - days * 24 * 60 * 60
  for (const kind of ['runs', 'inbox']) {
    const file = join(folder, '.chatmd', kind, path, `${run}.jsonl`)
    if (existsSync(file)) utimesSync(file, seconds, seconds)
  }
}

/** Every file with its text. */
async function contents(folder: string): Promise<Record<string, string>> {
  const names = await filesBelow(folder)
  return Object.fromEntries(names.map(name => [name, readFileSync(join(folder, name), 'utf8')]))
}

test('runs that ended long ago lose their logs and posts; open, parked and young ones and every document stay', async () => {
  const folder = await documentFolder({ 'a.chatmd': prompt, 'b.chatmd': prompt, 'c.chatmd': prompt })
  const store = folderStore(folder, { key })
  await recordRun(store, wholeRun, { path: 'a.chatmd', run: 'old' })
  await store.inbox.post('old', { id: 'p', type: 'stop' })
  await recordRun(store, wholeRun, { path: 'b.chatmd', run: 'young' })
  await recordRun(store, parkedRun, { path: 'b.chatmd', run: 'parked' })
  await recordRun(store, [start], { path: 'c.chatmd', run: 'open' })
  for (const [path, run] of [
    ['a', 'old'],
    ['b', 'parked'],
    ['c', 'open'],
  ])
    age(folder, `${path}.chatmd`, run!, 40)
  const before = await contents(folder)
  const dry = await pruneFolder(folder, { olderThanMs: 30 * DAY, dryRun: true })
  expect(await contents(folder)).toEqual(before)
  expect(dry.items).toEqual([{ kind: 'run', path: 'a.chatmd', run: 'old', bytes: expect.any(Number) }])
  const logs = Object.keys(before).filter(name => name.includes('old.jsonl'))
  expect(logs.length).toBe(2)
  expect(dry.items[0]!.bytes).toBe(logs.reduce((sum, name) => sum + Buffer.byteLength(before[name]!), 0))
  expect(await pruneFolder(folder, { olderThanMs: 30 * DAY })).toEqual(dry)
  const rest = Object.fromEntries(Object.entries(before).filter(([name]) => !logs.includes(name)))
  expect(await contents(folder)).toEqual(rest)
  expect(await pruneFolder(folder, { olderThanMs: 30 * DAY })).toEqual({ items: [], failures: [] })
  expect((await store.logs.list()).map(({ run, state }) => [run, state]).sort()).toEqual([
    ['open', 'interrupted'],
    ['parked', 'waiting'],
    ['young', 'ended'],
  ])
})

test('documents go from the trash by when they were removed, also of several of one name and in folders below', async () => {
  const folder = await documentFolder({ 'a.chatmd': 'one', 'x/y/a.chatmd': prompt })
  let now = Date.now() - 40 * DAY
  const store = folderStore(folder, { key, now: () => now })
  await recordRun(store, wholeRun, { path: 'x/y/a.chatmd', run: 'deep' })
  await remove(store, 'a.chatmd')
  await remove(store, 'x/y/a.chatmd')
  now = Date.now()
  await store.documents.write('a.chatmd', 'two', {})
  await remove(store, 'a.chatmd')
  await store.documents.write('a.chatmd', 'three', {})
  const { items } = await pruneFolder(folder, { olderThanMs: 30 * DAY })
  expect(items.map(({ kind, path }) => [kind, path]).sort()).toEqual([
    ['document', 'a.chatmd'],
    ['document', 'x/y/a.chatmd'],
  ])
  expect(items.every(({ bytes }) => bytes > 0)).toBe(true)
  const { '.chatmd/.gitignore': _, ...left } = await contents(folder)
  expect(Object.values(left).sort()).toEqual(['three', 'two'])
})

test('the log that a run of the first version goes on from stays as long as that run is not over', async () => {
  const folder = await documentFolder({ 'a.chatmd': prompt })
  const place = join(folder, '.chatmd/runs/a.chatmd')
  mkdirSync(place, { recursive: true })
  const line = (o: number, chunk: unknown): string => `${JSON.stringify({ o, t: 1, chunk })}\n`
  const header = '{"argot":"log","v":1}\n'
  const begin = (from?: string) => ({
    type: 'data-argot-begin',
    data: { run: 'x', payloads: 'inline', size: 0, digest: '', ...(from === undefined ? {} : { from }) },
  })
  const ended = { type: 'data-argot-recovered', data: {} }
  writeFileSync(join(place, 'first.jsonl'), header + line(0, begin()) + line(1, ended))
  writeFileSync(join(place, 'second.jsonl'), header + line(0, begin('first')) + line(1, ended))
  writeFileSync(join(place, 'third.jsonl'), header + line(0, begin('second')) + line(1, start))
  writeFileSync(join(place, 'other.jsonl'), header + line(0, begin()) + line(1, ended))
  for (const run of ['first', 'second', 'third', 'other']) age(folder, 'a.chatmd', run, 40)
  const { items } = await pruneFolder(folder, { olderThanMs: 30 * DAY })
  expect(items.map(({ run }) => run)).toEqual(['other'])
})

test('posts without a log, and logs whose document is gone, go when they are old', async () => {
  const folder = await documentFolder({ 'a.chatmd': prompt, '.chatmd/inbox/b.chatmd/lost.jsonl': '\n' })
  const store = folderStore(folder, { key })
  await recordRun(store, wholeRun, { path: 'a.chatmd', run: 'ended' })
  await import('node:fs').then(({ rmSync }) => rmSync(join(folder, 'a.chatmd')))
  expect((await pruneFolder(folder, { olderThanMs: DAY })).items).toEqual([])
  age(folder, 'a.chatmd', 'ended', 2)
  age(folder, 'b.chatmd', 'lost', 2)
  const { items } = await pruneFolder(folder, { olderThanMs: DAY })
  expect(items.map(({ path, run }) => [path, run])).toEqual([
    ['a.chatmd', 'ended'],
    ['b.chatmd', 'lost'],
  ])
})
