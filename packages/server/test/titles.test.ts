import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { folderStore } from '@argot/agent'
import { expect, test, vi } from 'vitest'
import { type ScriptedStep, scriptedModel } from '../../agent/test/scripted-model.ts'
import { type ServedFolder, type ServeOptions, serveFolder } from './served-folder.ts'

const source = '<user>\nPlease sort my invoices.\n</user>\n'

async function serve(steps: readonly ScriptedStep[], options: ServeOptions = {}): Promise<ServedFolder> {
  const served = await serveFolder(steps, { files: { 'a.chatmd': source }, ...options })
  const config = join(dirname(served.folder), 'config')
  await mkdir(config, { recursive: true })
  await writeFile(join(config, 'argot.config.json'), '{ "titles": "model" }')
  return served
}

async function readTitle({ get }: ServedFolder): Promise<string> {
  return (await get<{ title: string }[]>('/api/documents'))[0]!.title
}

async function answer({ post, until }: ServedFolder): Promise<void> {
  const { id } = await post('/api/runs', { document: 'a.chatmd' })
  await until(id, 'done')
}

test('the list has the title that the model wrote, also if another process wrote it', async () => {
  const served = await serve(['Done.', 'Sorting the invoices'])
  expect(await readTitle(served)).toBe('Please sort my invoices.')
  await answer(served)
  await vi.waitFor(async () => expect(await readTitle(served)).toBe('Sorting the invoices'), 10_000)
  expect(served.model.asked).toHaveLength(2)
  const other = folderStore(served.folder, { key: Buffer.alloc(32, 7) })
  const { records } = await other.sidecars.read('a.chatmd')
  const written = records.map(({ value }) => value as { title?: string }).find(value => value.title !== undefined)!
  const lease = await other.leases.take('a.chatmd')
  const sidecar = await other.sidecars.open('a.chatmd', lease)
  sidecar.append({ ...written, title: 'From elsewhere' }, { isSigned: false })
  await sidecar.flush()
  await sidecar.close()
  await lease.release()
  await vi.waitFor(async () => expect(await readTitle(served)).toBe('From elsewhere'), 10_000)
})

test('a server whose model hangs over a title closes, and runs go on meanwhile', async () => {
  const before = { before: (_: unknown, step: number) => (step === 1 ? new Promise<void>(() => {}) : undefined) }
  const served = await serve(['Done.', 'Never', 'Yes.'], { before })
  await answer(served)
  await vi.waitFor(() => expect(served.model.asked).toHaveLength(2), 10_000)
  const { id } = await served.post('/api/runs', { document: 'a.chatmd', input: 'Really?' })
  await served.until(id, 'done')
  await served.server.close()
  expect(await served.read('a.chatmd')).toContain('Yes.')
})

test('without the setting the model is not asked', async () => {
  const model = scriptedModel(['Done.'])
  const served = await serveFolder(['No'], { files: { 'a.chatmd': source }, run: { model } })
  await answer(served)
  await answer(served).catch(() => {})
  await served.server.close()
  expect(model.asked).toHaveLength(1)
})
