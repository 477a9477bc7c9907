import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-missing-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'file'), '')
  return folder
}

test('a folder of documents that is missing is created, with those above it', async () => {
  const folder = await place()
  const server = createServer({ store: join(folder, 'a/b/documents'), stateFolder: join(folder, 'a/state') })
  onTestFinished(() => server.close())
  const listed = await server.fetch(new Request('http://127.0.0.1/api/documents'))
  expect([listed.status, await listed.json()]).toEqual([200, []])
  const made = await server.fetch(new Request('http://127.0.0.1/api/documents/x.chatmd', { method: 'PUT', body: '' }))
  expect(made.ok).toBe(true)
})

test.each([
  [
    'documents below a file',
    { store: 'file/documents', stateFolder: 'state' },
    'SERVER_BAD_FOLDER',
    /for documents\. Something with this name already exists: \S+file$/,
  ],
  [
    'documents that are a file',
    { store: 'file', stateFolder: 'state' },
    'SERVER_BAD_FOLDER',
    /for documents\. Something with this name already exists: \S+file$/,
  ],
  [
    'state below a file',
    { store: 'documents', stateFolder: 'file/state' },
    'SERVER_BAD_FOLDER',
    /for its state\. Something with this name already exists: \S+file$/,
  ],
])('%s: the error is a sentence with a code', async (_, { store, stateFolder }, code, message) => {
  const folder = await place()
  const create = () => createServer({ store: join(folder, store), stateFolder: join(folder, stateFolder) })
  expect(create).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }))
})

test.each([
  ['gone', /^There is no folder `\S+gone`\. Create it first\.$/],
  ['file/below', /^There is no folder/],
  ['file', /^`\S+file` is a file\. Documents are stored in a folder\.$/],
])('a store of %s is an error with a sentence', async (name, message) => {
  const folder = await place()
  const open = () => folderStore(join(folder, name))
  expect(open).toThrow(expect.objectContaining({ code: 'RUN_NO_FOLDER', message: expect.stringMatching(message) }))
})
