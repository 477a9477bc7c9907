import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore, type Store } from '@argot/agent'
import { type PostgresStore, postgresStore } from '@argot/postgres'
import { copyIn, copyOut } from '@argot/postgres/internal'
import { expect, test } from 'vitest'
import { beginRun, pushAll, recordRun, resumeRun } from '../../agent/src/testing/record-run.ts'
import { answeredRun, parkedRun, start, startStep, wholeRun } from '../../agent/src/testing/scripted-chunks.ts'
import { takeSchema } from './schemas.ts'

const key = Buffer.alloc(32, 5)
const text = '<user>\r\nTu es — naïve 🙂.\r\n</user>'

/** A folder with one of everything. */
async function furnish(): Promise<{ root: string; folder: Store }> {
  const root = mkdtempSync(join(tmpdir(), 'argot-copy-'))
  mkdirSync(join(root, 'below'))
  for (const path of ['chat.chatmd', 'whole.chatmd', 'below/plain.chatmd']) writeFileSync(join(root, path), text)
  const folder = folderStore(root, { key, configFolder: join(root, '../none') })
  await recordRun(folder, parkedRun)
  await folder.inbox.post('run-1', { id: 'p', type: 'message', message: 'Hello' })
  await folder.files('chat.chatmd').write(
    'attachments',
    'A b.png',
    Uint8Array.from({ length: 300 }, (_, index) => index % 256),
  )
  await recordRun(folder, wholeRun, { path: 'whole.chatmd', run: 'run-2', payloads: 'external' })
  const lease = await folder.leases.take('whole.chatmd')
  const sidecar = await folder.sidecars.open('whole.chatmd', lease)
  sidecar.append({ element: 1 })
  sidecar.append('a claim', { isSigned: false })
  await sidecar.sync()
  await sidecar.close()
  await lease.release()
  return { root, folder }
}

/** Every file by its path, apart from locks. */
function readAll(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true }) as string[]
  const files = names.filter(name => !name.includes('/locks') && statSync(join(root, name)).isFile())
  return Object.fromEntries(files.sort().map(name => [name, readFileSync(join(root, name)).toString('latin1')]))
}

async function inDatabase(work: (store: PostgresStore) => Promise<void>): Promise<void> {
  const { schema, pool, giveBack } = await takeSchema()
  const store = postgresStore(pool, { schema })
  try {
    await work(store)
  } finally {
    await store.close()
    await giveBack()
  }
}

function options(root: string, own: Uint8Array = key) {
  return { root, key: own, configFolder: join(root, '../none'), waitMs: 100 }
}

test('a folder comes back from a database byte by byte, and both copies can be repeated', () =>
  inDatabase(async store => {
    const { root } = await furnish()
    const before = readAll(root)
    expect((await copyIn(store, options(root))).map(({ result }) => result)).toEqual(['copied', 'copied', 'copied'])
    expect((await copyIn(store, options(root))).map(({ result }) => result)).toEqual(['already', 'already', 'already'])
    expect(await store.logs.find('run-1')).toMatchObject({ path: 'chat.chatmd', state: 'waiting' })
    const back = mkdtempSync(join(tmpdir(), 'argot-copy-'))
    expect((await copyOut(store, options(back))).map(({ result }) => result)).toEqual(['copied', 'copied', 'copied'])
    expect(readAll(back)).toEqual(before)
    expect((await copyOut(store, options(back))).map(({ result }) => result)).toEqual(['already', 'already', 'already'])
    expect(readAll(back)).toEqual(before)
  }))

test('a run that was continued in the database is believed in the folder, and so is one that began there', () =>
  inDatabase(async store => {
    const { root, folder } = await furnish()
    rmSync(join(root, 'whole.chatmd'))
    await copyIn(store, options(root))
    await resumeRun(store, answeredRun)
    await store.documents.write('new.chatmd', text, {})
    await recordRun(store, wholeRun, { path: 'new.chatmd', run: 'run-3' })
    const back = mkdtempSync(join(tmpdir(), 'argot-copy-'))
    await copyOut(store, options(back))
    const target = folderStore(back, { key, configFolder: join(back, '../none') })
    for (const run of ['run-1', 'run-3']) {
      const log = (await target.logs.read(run))!
      expect(log.believed).toBe(log.lines.length)
      const visible = (lines: readonly { chunk: { type: string } }[]) =>
        lines.map(({ chunk }) => chunk).filter(({ type }) => type !== 'data-argot-resume')
      expect(visible(log.lines)).toEqual(visible((await store.logs.read(run))!.lines))
      expect((await target.logs.find(run))?.state).toBe('ended')
    }
    expect(await target.inbox.read('run-1')).toEqual(await folder.inbox.read('run-1'))
  }))

test('a document whose path a folder would hide is left out, with this reason', () =>
  inDatabase(async store => {
    const paths = ['.x/a.chatmd', 'a/.b.chatmd', 'a.chatmd', 'node_modules/a.chatmd', `${'é'.repeat(130)}.chatmd`]
    for (const path of paths) await store.documents.write(path, text, {})
    const root = mkdtempSync(join(tmpdir(), 'argot-copy-'))
    const results = await copyOut(store, options(root))
    expect(Object.fromEntries(results.map(({ path, result }) => [path, result]))).toEqual(
      Object.fromEntries(paths.map(path => [path, path === 'a.chatmd' ? 'copied' : 'unfit'])),
    )
    expect(await folderStore(root).documents.list()).toEqual(['a.chatmd'])
  }))

test('a document whose name is too long for the lock beside it is left out, before anything is written', () =>
  inDatabase(async store => {
    const long = `${'x'.repeat(203)}.chatmd`
    const longest = long.slice(1)
    for (const path of [longest, long]) {
      await store.documents.write(path, text, {})
      const lease = await store.leases.take(path)
      const sidecar = await store.sidecars.open(path, lease)
      sidecar.append({ kind: 'test' })
      await sidecar.sync()
      await sidecar.close()
      await lease.release()
    }
    const root = mkdtempSync(join(tmpdir(), 'argot-copy-'))
    const results = await copyOut(store, options(root))
    expect(results.map(({ path, result }) => [path, result]).sort()).toEqual([
      [longest, 'copied'],
      [long, 'unfit'],
    ])
    expect(await folderStore(root).documents.list()).toEqual([longest])
  }))

test('a running run keeps its document where it is, and another document is not replaced', () =>
  inDatabase(async store => {
    const { root, folder } = await furnish()
    await store.documents.write('below/plain.chatmd', 'another', {})
    const running = await beginRun(folder, { path: 'whole.chatmd', run: 'run-9' })
    await pushAll(running, [start, startStep])
    const results = await copyIn(store, options(root))
    await running.close()
    expect(Object.fromEntries(results.map(({ path, result }) => [path, result]))).toEqual({
      'below/plain.chatmd': 'taken',
      'chat.chatmd': 'copied',
      'whole.chatmd': 'running',
    })
    expect((await store.documents.read('below/plain.chatmd')).text).toBe('another')
  }))

test('a document that another process holds is skipped, and the others are copied', () =>
  inDatabase(async store => {
    const { root, folder } = await furnish()
    const lease = await folder.leases.take('whole.chatmd')
    const resultsIn = await copyIn(store, options(root))
    await lease.release()
    expect(resultsIn.map(({ result }) => result)).toEqual(['copied', 'copied', 'running'])
    const target = mkdtempSync(join(tmpdir(), 'argot-copy-'))
    const held = await store.leases.take('below/plain.chatmd')
    const resultsOut = await copyOut(store, options(target))
    await held.release()
    expect(resultsOut.map(({ path, result }) => [path, result])).toEqual([
      ['below/plain.chatmd', 'running'],
      ['chat.chatmd', 'copied'],
    ])
  }))

test('a document whose copy is killed before its last byte is copied again, and no draft stays', () =>
  inDatabase(async store => {
    const { root } = await furnish()
    const before = readAll(root)
    await copyIn(store, options(root))
    const target = mkdtempSync(join(tmpdir(), 'argot-copy-'))
    await copyOut(store, options(target))
    const names = Object.keys(before).filter(name => /\.chatmd$|sidecars|tails|inbox/.test(name))
    expect(names.length).toBeGreaterThan(4)
    for (const name of names) {
      renameSync(join(target, name), join(target, `${name}.copy`))
      truncateSync(join(target, `${name}.copy`), 1)
    }
    await copyOut(store, options(target))
    expect(readAll(target)).toEqual(before)
  }))

test('with another key in the database, parked questions are named and not believed', async () => {
  const { schema, pool, query, giveBack } = await takeSchema()
  await query(`update ${schema}.meta set key_print = 'another'`)
  const store = postgresStore(pool, { schema })
  const { root } = await furnish()
  const results = await copyIn(store, options(root))
  expect(results.flatMap(({ askedAgain }) => askedAgain)).toEqual(['run-1'])
  expect((await store.logs.read('run-1'))?.believed).toBe(0)
  await store.close()
  await giveBack()
  expect(existsSync(root)).toBe(true)
})
