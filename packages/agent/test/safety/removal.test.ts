import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool, folderStore, runDocument, type Store } from '@argot/agent'
import { pruneFolder } from '@argot/agent/internal'
import { branchDocument } from '@argot/agent/workshop'
import { expect, test } from 'vitest'
import { recordRun } from '../../src/testing/record-run.ts'
import { wholeRun } from '../../src/testing/scripted-chunks.ts'
import { documentFolder, filesBelow } from '../run/document-folder.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'

const key = Buffer.from('the key of the user of these tests')
const prompt = '<user>\nHello.\n</user>\n'

async function erase(store: Store, path: string): Promise<void> {
  const lease = await store.leases.take(path)
  try {
    await store.documents.erase(path, lease)
  } finally {
    await lease.release()
  }
}

test('of a document with calls, imports, agents and a torn end nothing is left, and of its neighbour everything', async () => {
  const text = (name: string): string =>
    [
      `<tool name="look"/>`,
      `<user>\n${name} says <import src="shared.txt"/> and <import src="${name}.txt"/>`,
      `<agent src="agent.chatmd" local>ask ${name}</agent>\n</user>\n`,
    ].join('\n\n')
  const folder = await documentFolder({
    'one.chatmd': text('one'),
    'two.chatmd': text('two'),
    'shared.txt': 'what both bring in',
    'one.txt': 'what one brings in',
    'two.txt': 'what two brings in',
    'agent.chatmd': '<system>\nAnswer.\n</system>\n',
  })
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    execute: async () => 'seen',
  })
  for (const name of ['one', 'two']) {
    const model = scriptedModel([
      `the answer of the agent of ${name}`,
      [...call('1', 'look', { name }), finish('tool-calls')],
      `I am ${name}.`,
    ])
    const run = runDocument(`${name}.chatmd`, {
      cwd: folder,
      configFolder: join(folder, '.config'),
      env: { ARGOT_STATE_KEY: 'k'.repeat(40) },
      model,
      tools: [look],
      approve: 'all',
    })
    for await (const _ of run);
    expect(await run.result).toMatchObject({ status: 'done' })
    mkdirSync(join(folder, `.chatmd/tails/${name}.chatmd`), { recursive: true })
    writeFileSync(join(folder, `.chatmd/tails/${name}.chatmd/0.txt`), `torn off ${name}`)
    mkdirSync(join(folder, '.chatmd/refined'), { recursive: true })
    writeFileSync(join(folder, `.chatmd/refined/${name}.chatmd`), `refined ${name}`)
    writeFileSync(join(folder, `${name}.chatmd.00000000-0000-0000-0000-000000000000.tmp`), `draft of ${name}`)
  }
  const state = async (): Promise<string[]> => (await filesBelow(folder)).filter(name => /chatmd[./]/.test(name)).sort()
  const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const before = await state()
  const kept = new Map(before.map(name => [name, textOf(name)]))
  expect(before.filter(name => name.includes('/cache/')).length).toBe(2)
  expect(before.filter(name => /\/sources\/[0-9a-f]{64}$/.test(name)).length).toBeGreaterThan(3)
  await erase(folderStore(folder, { key }), 'one.chatmd')
  const after = await state()
  for (const name of after) expect(textOf(name), name).toBe(kept.get(name))
  const left = after.filter(name => /\bone\b/.test(`${name} ${textOf(name)}`))
  expect(left).toEqual([])
  // What went is of `one` alone: nothing that `two` has, and the text that both bring in.
  for (const name of before.filter(one => !after.includes(one))) {
    expect(`${name} ${kept.get(name)}`).not.toMatch(/\btwo\b|what both bring in/)
  }
})

test('a document that names files of others, or no payloads at all, erases none of them', async () => {
  const hostile = ['..', 'runs', '../secret.json', '0.tool-call.a.json/../../secret.json', 'sources', 'state.json']
  const names = hostile.map(name => `<tool_call src="./.chatmd/${name}"/>`).join('\n')
  const folder = await documentFolder({
    'a.chatmd': `${prompt}${names}\n<x y="./.chatmd/7.tool-call.link.json"/>`,
    'b.chatmd': prompt,
    'secret.json': 'secret',
    '.chatmd/state.json': 'state',
    '.chatmd/sources/a.chatmd.json': `{"places":[{"hash":"${'a'.repeat(64)}"},{"hash":"../../secret.json"}]}`,
  })
  symlinkSync('../secret.json', join(folder, '.chatmd/7.tool-call.link.json'))
  const store = folderStore(folder, { key })
  await recordRun(store, wholeRun, { path: 'b.chatmd', run: 'b' })
  const files = (await filesBelow(folder)).filter(name => !/a\.chatmd/.test(name))
  await erase(store, 'a.chatmd')
  expect(await filesBelow(folder)).toEqual(files)
  expect(readFileSync(join(folder, 'secret.json'), 'utf8')).toBe('secret')
})

test('a payload that any other file beside it names is kept, whatever the file is called', async () => {
  const folder = await documentFolder({ 'a.chatmd': prompt })
  const store = folderStore(folder, { key })
  await recordRun(store, wholeRun, { path: 'a.chatmd', run: 'a' })
  const payloads = (await filesBelow(folder)).filter(name => /tool-call/.test(name))
  expect(payloads.length).toBeGreaterThan(2)
  // At every place of a long text: also where it is read in two pieces.
  const reference = `"./${payloads[0]}"`
  const text = ' '.repeat(1024 * 1024 - 20) + reference + ' '.repeat(1024 * 1024)
  writeFileSync(join(folder, 'copy of a.txt'), text)
  await erase(store, 'a.chatmd')
  expect((await filesBelow(folder)).filter(name => /tool-call/.test(name))).toEqual([payloads[0]])
})

test('links in place of our folders lead nowhere: nothing behind them is moved or removed', async () => {
  for (const part of ['runs', 'inbox', 'sources', 'trash', 'runs/a.chatmd']) {
    const outside = await documentFolder({ 'a.chatmd/run.jsonl': 'x', 'run.jsonl': 'x', 'a.chatmd.json': 'x' })
    const folder = await documentFolder({ 'a.chatmd': prompt })
    mkdirSync(join(folder, '.chatmd', ...(part.includes('/') ? ['runs'] : [])), { recursive: true })
    symlinkSync(outside, join(folder, '.chatmd', part))
    const before = await filesBelow(outside)
    utimesSync(join(outside, 'run.jsonl'), 1, 1)
    const store = folderStore(folder, { key })
    await erase(store, 'a.chatmd').catch(() => {})
    await pruneFolder(folder, { olderThanMs: 0 })
    expect(await filesBelow(outside), part).toEqual(before)
  }
})

test('ids that are no ids find nothing in the trash', async () => {
  const folder = await documentFolder({ 'a.chatmd': prompt, 'victim/document/a.chatmd': 'victim' })
  const store = folderStore(folder, { key })
  for (const id of ['', '.', '..', '../..', '../../victim', 'a/b', '2026-01-01T00-00-00-000Z-00000000/../../..']) {
    const entry = { path: 'a.chatmd', id, at: 0 }
    await expect(store.trash.restore(entry), id).rejects.toMatchObject({ code: 'RUN_NOT_IN_TRASH' })
    await store.trash.erase(entry)
  }
  expect((await filesBelow(folder)).sort()).toEqual(['a.chatmd', 'victim/document/a.chatmd'])
})

test('documents of any name come back: as long as a name can be, with any letters, like our own folders', async () => {
  for (const name of [
    `${'x'.repeat(200)}.chatmd`,
    'ü 🙂\n\t"<.chatmd',
    'runs',
    'document',
    'trash.lock',
    '-rf.chatmd',
  ]) {
    const folder = await documentFolder({ [name]: prompt })
    const store = folderStore(folder, { key })
    const lease = await store.leases.take(name)
    const entry = await store.documents.remove(name, lease)
    await lease.release()
    expect(entry.path).toBe(name)
    expect(await store.trash.list(name)).toEqual([entry])
    await store.trash.restore(entry)
    expect(await filesBelow(folder)).toEqual([name])
  }
})

test('two processes that remove, restore and erase at once lose no document and double none', async () => {
  const folder = await documentFolder({ 'a.chatmd': prompt })
  const stores = [1, 2, 3, 4].map(() => folderStore(folder, { key }))
  await Promise.all(
    stores.map(async store => {
      for (let turn = 0; turn < 12; turn++) {
        const lease = await store.leases.take('a.chatmd', { wait: true }).catch(() => undefined)
        if (lease !== undefined) {
          await store.documents.remove('a.chatmd', lease).catch(() => {})
          await lease.release()
        }
        const [entry] = await store.trash.list('a.chatmd')
        if (entry !== undefined) await store.trash.restore(entry).catch(() => {})
      }
    }),
  )
  const living = existsSync(join(folder, 'a.chatmd')) ? 1 : 0
  expect(living + (await stores[0]!.trash.list()).length).toBe(1)
})

test('a branch of a document that is being erased is whole, or is not made', async () => {
  for (let round = 0; round < 20; round++) {
    const folder = await documentFolder({ 'a.chatmd': prompt })
    const store = folderStore(folder, { key })
    await recordRun(store, wholeRun, { path: 'a.chatmd', run: 'a' })
    const branching = branchDocument(join(folder, 'a.chatmd'), 'msg-1', { including: true }).catch(() => undefined)
    for (let turn = 0; turn < round % 7; turn++) await Promise.resolve()
    await erase(store, 'a.chatmd')
    const branch = await branching
    if (branch === undefined) expect((await filesBelow(folder)).filter(name => name.endsWith('.chatmd'))).toEqual([])
    else {
      const named = [...readFileSync(branch, 'utf8').matchAll(/"\.\/(\.chatmd\/[\w.-]+)"/g)].map(([, name]) => name!)
      expect(named.length).toBeGreaterThan(0)
      expect(named.filter(name => !existsSync(join(folder, name)))).toEqual([])
    }
  }
})

test('a removal that a crash cut in two is completed when the document is erased, and undone when it is restored', async () => {
  for (const end of ['erase', 'restore'] as const) {
    const folder = await documentFolder({ 'a.chatmd': prompt })
    const store = folderStore(folder, { key })
    await recordRun(store, wholeRun, { path: 'a.chatmd', run: 'a' })
    const lease = await store.leases.take('a.chatmd')
    const entry = await store.documents.remove('a.chatmd', lease)
    await lease.release()
    mkdirSync(join(folder, '.chatmd/runs'), { recursive: true })
    renameSync(join(folder, '.chatmd/trash', entry.id, 'runs'), join(folder, '.chatmd/runs/a.chatmd'))
    await store.trash[end](entry)
    if (end === 'erase') expect(await filesBelow(folder)).toEqual([])
    else expect((await store.logs.list()).map(({ run }) => run)).toEqual(['a'])
  }
})
