/** No route reads more of a document than `limits.documentBytes`, and the list reads 16 KB. */
import { appendFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveFolder } from '../served-folder.ts'

const text = '<user>\nThe title.\n</user>\n'

/** Everything that looks into a document. */
const looks: [method: string, path: string, body?: unknown, headers?: Record<string, string>][] = [
  ['GET', '/api/documents/big.chatmd'],
  ['GET', '/api/documents/big.chatmd/messages'],
  ['GET', '/api/documents/big.chatmd/check'],
  ['GET', '/api/documents/big.chatmd/preview'],
  ['GET', '/api/documents/big.chatmd/settings'],
  ['POST', '/api/documents/big.chatmd/branch', { at: 'x' }],
  ['POST', '/api/runs', { document: 'big.chatmd' }],
  ['POST', '/api/runs', { document: 'big.chatmd', input: 'More.' }],
  ['POST', '/api/chat', { id: 'big', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }],
  ['PUT', '/api/documents/big.chatmd', 'new', { 'if-match': '*' }],
  ['PUT', '/api/documents/big.chatmd', 'new', { 'if-match': '"some-version"' }],
]

test.each([
  ['a hole of 1.2 GB', 1_200_000_000, undefined],
  ['one byte more than the limit', 16 * 1024 * 1024 + 1, undefined],
  ['one byte more than a limit that is set', 2001, 2000],
])('a document with %s is listed by its first words, and nothing reads it', async (_, size, documentBytes) => {
  const { folder, ask, get } = await serveFolder(['Hi.'], {
    files: { 'big.chatmd': text, 'small.chatmd': text },
    ...(documentBytes !== undefined && { limits: { documentBytes } }),
  })
  await truncate(join(folder, 'big.chatmd'), size)
  const before = process.memoryUsage()
  expect(await get('/api/documents')).toMatchObject([
    { path: 'big.chatmd', title: 'The title.', state: 'idle' },
    { path: 'small.chatmd', title: 'The title.' },
  ])
  for (const [method, path, body, headers] of looks) {
    const answer = await ask(method, path, body, headers)
    const said = await answer.text()
    expect([path, answer.status, said.includes('CHATMD_SOURCE_TOO_LARGE')], `${method} ${said}`).toEqual([
      path,
      422,
      true,
    ])
  }
  const after = process.memoryUsage()
  expect(after.external - before.external).toBeLessThan(200 * 1024 * 1024)
  expect((await ask('POST', '/api/runs', { document: 'small.chatmd' })).status).toBe(201)
})

test('a document of just the limit is read by all of them', async () => {
  const { folder, ask, post, until } = await serveFolder(['Hi.', 'Ho.'], {
    files: { 'big.chatmd': text },
    limits: { documentBytes: 20_000 },
  })
  await appendFile(join(folder, 'big.chatmd'), ' '.repeat(20_000 - text.length))
  for (const [method, path] of looks.slice(0, 5)) expect((await ask(method, path)).status, path).toBe(200)
  const { id } = await post('/api/runs', { document: 'big.chatmd' })
  await until(id, 'done')
})

test('a title is found in the first 16 KB, also where they end within a character', async () => {
  const { folder, get } = await serveFolder([])
  await writeFile(join(folder, 'late.chatmd'), `<!-- ${'é'.repeat(9000)} -->\n${text}`)
  await writeFile(
    join(folder, 'long.chatmd'),
    `<user>\nA title.\n</user>\n\n<assistant>\nx${'é'.repeat(20_000)}\n</assistant>\n`,
  )
  expect(await get('/api/documents')).toMatchObject([
    { path: 'late.chatmd', title: 'late' },
    { path: 'long.chatmd', title: 'A title.' },
  ])
})
