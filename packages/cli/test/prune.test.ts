import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer } from '@argot/server'
import { expect, test } from 'vitest'
import { serverStateFolder } from '../src/documents/folder-paths.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

const prompt = '<user>\nHello.\n</user>\n'

/** A folder with an answered document, and one that was removed 40 days ago after a server had run it. */
async function oldFolder(): Promise<{ folder: string; state: string }> {
  const folder = await realpath(await folderWith({}))
  const docs = join(folder, 'docs')
  await mkdir(docs)
  for (const name of ['living.chatmd', 'gone.chatmd']) await writeFile(join(docs, name), prompt)
  const state = serverStateFolder(join(folder, '.config/argot'), docs)
  const now = () => Date.now() - 40 * 24 * 60 * 60 * 1000
  const store = folderStore(docs, { key: Buffer.alloc(32, 7), now })
  const server = createServer({
    store,
    stateFolder: state,
    run: { model: 'demo', cwd: docs, env: {}, configFolder: folder },
  })
  const ask = async (path: string, init: RequestInit): Promise<{ id: string; state: string }> =>
    (await server.fetch(new Request(`http://127.0.0.1${path}`, init))).json()
  for (const document of ['living.chatmd', 'gone.chatmd']) {
    const body = JSON.stringify({ document })
    const { id } = await ask('/api/runs', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    await expect.poll(async () => (await ask(`/api/runs/${id}`, {})).state).toBe('done')
  }
  await ask('/api/documents/gone.chatmd', { method: 'DELETE' })
  await server.close()
  return { folder, state }
}

test('argot prune lists what would go, and erases it with what the journal of the server says of it', async () => {
  const { folder, state } = await oldFolder()
  const options = { cwd: folder, env: { HOME: folder } }
  const journal = (): string => readFileSync(join(state, 'runs.jsonl'), 'utf8')
  const dry = await inProcess(['prune', 'docs', '--dry-run'], options)
  expect(dry).toMatchObject({ status: 0, stderr: expect.stringMatching(/^One item, .* would be removed\.\n$/) })
  expect(dry.stdout).toMatch(/^trash {2}gone\.chatmd {2}[\d.]+ (?:bytes|KiB)\n$/)
  expect(journal()).toContain('gone.chatmd')
  const young = await inProcess(['prune', 'docs', '--older-than', '6w', '--json'], options)
  expect(JSON.parse(young.stdout)).toEqual({ dryRun: false, items: [], bytes: 0 })
  const done = await inProcess(['prune', 'docs', '--json'], options)
  expect(JSON.parse(done.stdout)).toMatchObject({ dryRun: false, items: [{ kind: 'document', path: 'gone.chatmd' }] })
  expect(journal()).not.toContain('gone.chatmd')
  expect(journal()).toContain('living.chatmd')
  expect(existsSync(join(folder, 'docs/.chatmd/trash'))).toBe(false)
  expect(readdirSync(join(folder, 'docs/.chatmd/runs/living.chatmd')).length).toBe(1)
  const again = await inProcess(['prune', 'docs'], options)
  expect(again).toEqual({ status: 0, stdout: '', stderr: '0 items, 0 bytes removed.\n' })
})

test('argot prune beside a server that runs leaves its journal alone, and says so', async () => {
  const { folder, state } = await oldFolder()
  const server = createServer({ store: join(folder, 'docs'), stateFolder: state })
  const pruned = await inProcess(['prune', 'docs'], { cwd: folder, env: { HOME: folder } })
  expect(pruned).toMatchObject({ status: 0, stderr: expect.stringContaining('A server is using this folder.') })
  expect(existsSync(join(folder, 'docs/.chatmd/trash'))).toBe(false)
  await server.close()
})

test.each(['30', 'd', '30 days', '-1d', '1m', ''])('argot prune --older-than %j is wrong usage', async time => {
  const folder = await folderWith({ 'a.chatmd': prompt })
  const { status, stderr } = await inProcess(['prune', `--older-than=${time}`], { cwd: folder })
  expect([status, stderr]).toEqual([2, expect.stringContaining('12h, 30d or 4w')])
})

test('argot serve reads the retention setting, and says what is wrong with it', async () => {
  const folder = await folderWith({ 'a.chatmd': prompt })
  await mkdir(join(folder, 'docs'))
  await writeFile(join(folder, 'argot.config.json'), '{ "retention": "soon" }')
  const { status, stderr } = await inProcess(['serve', 'docs', '--port', '0'], { cwd: folder })
  expect([status, stderr]).toEqual([1, expect.stringContaining('`retention` must be a number of hours, days or weeks')])
})
