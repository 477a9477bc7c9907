import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveFolder } from './served-folder.ts'

interface Answer {
  hits: { path: string; title: string; message: number; role?: string; snippet: { text: string } }[]
  total: number
  hasAll: boolean
}

const files = {
  'a.chatmd': '<user>\nHow do I install it on Linux?\n</user>\n',
  'b/c.chatmd': '<user>\n全文検索\n</user>\n',
}

test('a search gives documents, messages and snippets, and what a run has just written', async () => {
  const { get, post, until } = await serveFolder(['Use the zypper command.'], { files })
  expect(await get<Answer>('/api/search?q=linux')).toEqual({
    hits: [
      {
        path: 'a.chatmd',
        title: 'How do I install it on Linux?',
        message: 1,
        id: expect.any(String),
        role: 'user',
        snippet: { text: 'How do I install it on Linux?', marks: [[23, 28]] },
      },
    ],
    total: 1,
    hasAll: true,
    skipped: 0,
  })
  expect((await get<Answer>(`/api/search?q=${encodeURIComponent('検索')}`)).hits[0]?.path).toBe('b/c.chatmd')
  expect((await get<Answer>('/api/search?q=zypper')).hits).toEqual([])
  const { id } = await post('/api/runs', { document: 'a.chatmd' })
  await until(id, 'done')
  expect((await get<Answer>('/api/search?q=zypper')).hits[0]).toMatchObject({ message: 2, role: 'assistant' })
})

test('a search needs words, a limit that can be kept, and the token', async () => {
  const { ask } = await serveFolder([], { files, token: 'secret-token-of-this-test' })
  const token = { authorization: 'Bearer secret-token-of-this-test' }
  for (const query of [
    '',
    '?q=',
    '?q=%21%21',
    `?q=${'x'.repeat(1001)}`,
    '?q=x&limit=0',
    '?q=x&limit=101',
    '?q=x&limit=x',
  ]) {
    const answer = await ask('GET', `/api/search${query}`, undefined, token)
    expect([query.slice(0, 20), answer.status]).toEqual([query.slice(0, 20), 400])
  }
  expect((await ask('GET', '/api/search?q=linux', undefined, token)).status).toBe(200)
  expect((await ask('GET', '/api/search?q=linux')).status).toBe(401)
})

test('no search leads out of the folder', async () => {
  const { folder, get } = await serveFolder([], { files })
  await writeFile(join(folder, '../secret.chatmd'), '<user>\ntreasure\n</user>\n')
  await symlink(join(folder, '../secret.chatmd'), join(folder, 'link.chatmd'))
  await symlink(join(folder, '..'), join(folder, 'up'))
  expect((await get<Answer>('/api/search?q=treasure')).hits).toEqual([])
})
