import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore, type Store } from '@argot/agent'
import { DocumentSearch } from '@argot/agent/internal'
import { expect, test } from 'vitest'
import { folder } from '../files/folder.ts'

const state = Buffer.alloc(32, 3)
const key = async (): Promise<Uint8Array> => state

async function documents(files: Record<string, string>): Promise<{ root: string; store: Store; reads: string[] }> {
  const root = await folder(files)
  const store = folderStore(root, { key: state, configFolder: join(root, 'none') })
  const reads: string[] = []
  const counted = {
    ...store,
    documents: {
      ...store.documents,
      read: (path: string, options?: { most?: number | undefined }) => {
        reads.push(path)
        return store.documents.read(path, options)
      },
    },
  }
  return { root, store: counted, reads }
}

const chat = (question: string, answer = 'Fine.'): string =>
  `<system>\nBe kind.\n</system>\n\n<user>\n${question}\n</user>\n\n<assistant>\n${answer}\n</assistant>\n`

/** Does something an hour later: files that were just written are settled then, and not read again. */
async function later(work: () => Promise<unknown>): Promise<void> {
  const { now } = Date
  Date.now = () => now() + 3_600_000
  await work().finally(() => {
    Date.now = now
  })
}

async function paths(store: Store, query: string, options = {}): Promise<string[]> {
  const { hits } = await new DocumentSearch(store, { key, ...options }).search(query, 10)
  return hits.map(hit => hit.path)
}

test('a hit has the title, the document, the message and the words around the match', async () => {
  const { store } = await documents({
    'a.chatmd': chat('How do I install it?', 'Use the **package manager** of Linux.'),
    'b/c.chatmd': chat('Nothing.'),
  })
  const { hits, total } = await new DocumentSearch(store, { key }).search('linux package', 10)
  expect(total).toBe(1)
  expect(hits).toEqual([
    {
      path: 'a.chatmd',
      title: 'How do I install it?',
      message: 3,
      id: expect.any(String),
      role: 'assistant',
      snippet: {
        text: 'Use the **package manager** of Linux.',
        marks: [
          [10, 17],
          [31, 36],
        ],
      },
      score: expect.any(Number),
    },
  ])
})

test('words of calls and results are found, and so is a document by its name', async () => {
  const { store } = await documents({
    'deploy.chatmd': `<user>\nGo.\n</user>\n<tool_call function_name="git" tool_call_id="c1">RAW|{"arguments":["bisect"]}|RAW</tool_call>\n<tool_response tool_call_id="c1">RAW|culprit|RAW</tool_response>\n`,
  })
  expect([await paths(store, 'bisect'), await paths(store, 'culprit'), await paths(store, 'deploy')]).toEqual([
    ['deploy.chatmd'],
    ['deploy.chatmd'],
    ['deploy.chatmd'],
  ])
})

test('an element in a text is a word of it, and nothing that a document refers to is read', async () => {
  const { root, store } = await documents({
    'a.chatmd': '<user>\n<import src="secret.md"/> <doc src="secret.md" local/>\nhello\n</user>\n',
    'secret.md': 'treasure',
  })
  expect([await paths(store, 'treasure'), await paths(store, 'hello')]).toEqual([[], ['a.chatmd']])
  expect(await readFile(join(root, '.chatmd/search/documents.jsonl'), 'utf8')).not.toContain('treasure')
})

test('each search takes what was written, changed, renamed and removed since the last one', async () => {
  const { root, store } = await documents({ 'a.chatmd': chat('alpha'), 'b.chatmd': chat('beta') })
  const search = new DocumentSearch(store, { key })
  const found = async (query: string): Promise<string[]> => {
    const both = [(await search.search(query, 10)).hits.map(hit => hit.path), await paths(store, query)]
    expect(both[0]).toEqual(both[1])
    return both[0]!
  }
  expect(await found('alpha')).toEqual(['a.chatmd'])
  await appendFile(join(root, 'b.chatmd'), '\n<user>\nalpha too\n</user>\n')
  expect(await found('alpha')).toHaveLength(2)
  // The same length and, perhaps, the same moment.
  await writeFile(join(root, 'a.chatmd'), chat('gamma'))
  expect([await found('alpha'), await found('gamma')]).toEqual([['b.chatmd'], ['a.chatmd']])
  await rename(join(root, 'a.chatmd'), join(root, 'z.chatmd'))
  expect(await found('gamma')).toEqual(['z.chatmd'])
  await rm(join(root, 'z.chatmd'))
  expect(await found('gamma')).toEqual([])
  expect(await readFile(join(root, '.chatmd/search/documents.jsonl'), 'utf8')).not.toContain('gamma')
})

test('another process reads the index, and only the documents that it shows', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `${index}.chatmd`)
  const { store, reads } = await documents(Object.fromEntries(names.map(name => [name, chat(`word number ${name}`)])))
  await later(() => paths(store, 'nothing'))
  expect(reads.length).toBe(30)
  reads.length = 0
  await later(() => paths(store, '7'))
  expect(reads).toEqual(['7.chatmd'])
})

test('a document that was just written is read again by the next search, and a settled one is not', async () => {
  const { store, reads } = await documents({ 'a.chatmd': chat('alpha') })
  await paths(store, 'nothing')
  await paths(store, 'nothing')
  expect(reads).toHaveLength(2)
  await later(() => paths(store, 'nothing'))
  await later(() => paths(store, 'nothing'))
  expect(reads).toHaveLength(3)
})

test('the index is this user’s alone, is not in git, and leaves no draft', async () => {
  const { root, store } = await documents({ 'a.chatmd': chat('alpha') })
  await paths(store, 'alpha')
  expect(await readdir(join(root, '.chatmd'))).toEqual(['.gitignore', 'search'])
  expect(await readdir(join(root, '.chatmd/search'))).toEqual(['documents.jsonl'])
  expect(await readFile(join(root, '.chatmd/.gitignore'), 'utf8')).toContain('\n*\n')
})

test('a document that is erased leaves no word in the index', async () => {
  const { root, store } = await documents({ 'x/a.chatmd': chat('treasure'), 'b.chatmd': chat('beta') })
  await paths(store, 'treasure')
  const lease = await store.leases.take('x/a.chatmd')
  await store.documents.erase('x/a.chatmd', lease)
  await lease.release()
  expect(await readdir(root)).not.toContain('.chatmd')
  expect([await paths(store, 'treasure'), await paths(store, 'beta')]).toEqual([[], ['b.chatmd']])
})

test('an index that is torn, garbage, forged, of another folder or a link is made again', async () => {
  const { root, store } = await documents({ 'a.chatmd': chat('alpha'), 'b.chatmd': chat('beta') })
  const file = join(root, '.chatmd/search/documents.jsonl')
  await paths(store, 'alpha')
  const whole = await readFile(file, 'utf8')
  for (let length = 0; length < whole.length; length += 37) {
    await writeFile(file, whole)
    await truncate(file, length)
    expect(await paths(store, 'alpha')).toEqual(['a.chatmd'])
    expect(await readFile(file, 'utf8')).toHaveLength(whole.length)
  }
  // The stamps of a forged index fit: only the signature tells.
  await rm(file)
  await later(() => paths(store, 'alpha'))
  const forged = (await readFile(file, 'utf8')).replaceAll('alpha', 'aleph')
  const other = await documents({ 'a.chatmd': chat('alpha'), 'b.chatmd': chat('beta') })
  await mkdir(join(other.root, '.chatmd/search'), { recursive: true })
  for (const text of ['', '{}', 'null\nnull', `[${'['.repeat(100_000)}`, forged, `${forged}${forged}`]) {
    await writeFile(file, text)
    await later(async () =>
      expect([await paths(store, 'alpha'), await paths(store, 'aleph')]).toEqual([['a.chatmd'], []]),
    )
  }
  await copyFile(file, join(other.root, '.chatmd/search/documents.jsonl'))
  await writeFile(join(other.root, 'a.chatmd'), chat('other'))
  expect(await paths(other.store, 'alpha')).toEqual([])
  await rm(file)
  await writeFile(join(root, 'target'), 'mine')
  await symlink(join(root, 'target'), file)
  expect(await paths(store, 'alpha')).toEqual(['a.chatmd'])
  expect(await readFile(join(root, 'target'), 'utf8')).toBe('mine')
})

test('without a key, and where nothing can be written, a search works all the same', async () => {
  const { root, store } = await documents({ 'a.chatmd': chat('alpha') })
  expect(await paths(store, 'alpha', { key: undefined })).toEqual(['a.chatmd'])
  expect(await readdir(root)).not.toContain('.chatmd')
  await symlink('/nowhere', join(root, '.chatmd'))
  expect(await paths(store, 'alpha')).toEqual(['a.chatmd'])
})

test('links are not searched, nor is what takes the place of a document later', async () => {
  const outside = await folder({ 'secret.chatmd': chat('treasure'), 'in/deep.chatmd': chat('treasure') })
  const { root, store } = await documents({ 'a.chatmd': chat('treasure'), 'd/b.chatmd': chat('treasure') })
  await symlink(join(outside, 'secret.chatmd'), join(root, 'link.chatmd'))
  await symlink(join(outside, 'in'), join(root, 'linked'))
  const search = new DocumentSearch(store, { key })
  expect((await search.search('treasure', 10)).hits).toHaveLength(2)
  const list = store.documents.list
  // Listed as files, and links by the time that they are read.
  const racing = new DocumentSearch(
    {
      ...store,
      documents: {
        ...store.documents,
        async list() {
          const names = await list.call(store.documents)
          await rm(join(root, 'a.chatmd'), { force: true })
          await symlink(join(outside, 'secret.chatmd'), join(root, 'a.chatmd')).catch(() => {})
          await rm(join(root, 'd'), { recursive: true, force: true })
          await symlink(join(outside, 'in'), join(root, 'd')).catch(() => {})
          return [...names, 'd/deep.chatmd']
        },
      },
    },
    { key },
  )
  expect((await racing.search('treasure', 10)).hits).toEqual([])
})

test('documents that are too large, too many or unreadable are skipped and counted', async () => {
  const { root, store } = await documents({
    'a.chatmd': chat('alpha'),
    'b.chatmd': chat(`alpha ${'x '.repeat(5000)}`),
    'c.chatmd': '\xff\xfe alpha',
    'd.chatmd': chat('alpha'),
  })
  await writeFile(join(root, 'c.chatmd'), Buffer.from([0xff, 0xfe, 0x61]))
  await chmod(join(root, 'c.chatmd'), 0o600)
  const search = new DocumentSearch(store, { key, documentBytes: 1000, mostDocuments: 3 })
  const { hits, skipped } = await search.search('alpha', 10)
  expect([hits.map(hit => hit.path), skipped]).toEqual([['a.chatmd'], 3])
  expect((await search.search('alpha', 10)).skipped).toBe(3)
})

test('searches that come together read each document once, and one that is given up stops nothing', async () => {
  const { store, reads } = await documents({ 'a.chatmd': chat('alpha'), 'b.chatmd': chat('beta') })
  const search = new DocumentSearch(store, { key })
  const stop = new AbortController()
  const given = search.search('x', 1, stop.signal)
  await later(async () => {
    const others = [search.search('y', 1), search.search('alphabet', 1)]
    stop.abort(new Error('Enough.'))
    await expect(given).rejects.toThrow('Enough.')
    await Promise.all(others)
  })
  expect(reads.sort()).toEqual(['a.chatmd', 'b.chatmd'])
})
