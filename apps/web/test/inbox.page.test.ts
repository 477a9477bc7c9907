import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../../../packages/agent/test/scripted-model.ts'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

const approve = /^Approve/

test('calls of all documents wait in one place, are counted, and are answered there', async () => {
  const { open, url, folder } = await serveSample()
  await copyFile(join(folder, 'welcome.chatmd'), join(folder, 'second.chatmd'))
  for (const document of ['welcome.chatmd', 'second.chatmd']) {
    const body = JSON.stringify({ document, input: 'Show me around.' })
    await fetch(`${url}api/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }
  const page = await open('#/second.chatmd')
  const link = page.getByRole('link', { name: 'Needs you 2 calls' })
  await link.waitFor()
  await expect.poll(() => page.title()).toMatch(/^● Needs you – second\.chatmd/)
  await link.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.title()).toBe('● Needs you – Argot')
  const inbox = page.getByRole('region', { name: 'Calls that need you' })
  const second = inbox.getByRole('region', { name: 'second.chatmd' })
  await inbox.getByRole('button', { name: approve }).nth(1).waitFor()
  expect(await barriers(page)).toEqual([])
  await second.getByRole('button', { name: /^Deny/ }).click()
  const why = second.getByRole('textbox', { name: 'Why not?' })
  await why.fill('Not this one')
  // In its first half second a card takes no key for an answer.
  await page.waitForTimeout(600)
  await why.press('Enter')
  await second.getByText('Not this one').first().waitFor()
  await page.getByRole('link', { name: 'Needs you 1 call' }).waitFor()
  expect(await readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain('- [ ] See a tool call')
  await inbox.getByRole('region', { name: 'welcome.chatmd' }).getByRole('button', { name: approve }).click()
  await page.getByRole('link', { name: 'Needs you', exact: true }).waitFor()
  await expect.poll(() => readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain('- [x] See a tool call')
  await second.getByRole('link', { name: 'second.chatmd' }).click()
  await page.getByRole('log').getByText('You said no').waitFor()
})

test('the key for the oldest question leads to those of other documents, and an empty inbox says so', async () => {
  const { open, url, folder } = await serveSample()
  const page = await open('#/needs-you')
  await page.getByRole('heading', { name: basename(folder), exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor()
  await expect.poll(() => page.title()).toBe('Nothing needs you – Argot')
  expect(await barriers(page)).toEqual([])
  const made = await fetch(`${url}api/documents/quiet.chatmd`, { method: 'PUT', body: '' })
  expect(made.status).toBe(201)
  await page.getByRole('link', { name: 'quiet.chatmd' }).click()
  await page.getByRole('heading', { name: 'quiet.chatmd' }).waitFor()
  const body = JSON.stringify({ document: 'welcome.chatmd', input: 'Show me around.' })
  await fetch(`${url}api/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await page.getByRole('link', { name: 'Needs you 1 call' }).waitFor()
  await page.getByRole('textbox', { name: 'Message' }).press('Control+Shift+Enter')
  await page.getByRole('region', { name: 'welcome.chatmd' }).getByRole('button', { name: approve }).waitFor()
})

test('the open inbox follows a document that another client renames, runs again, deletes and restores', async () => {
  const write = (path: string) => [...call(path, 'write_file', { path, content: path }), finish('tool-calls')]
  const model = scriptedModel([write('one.md'), 'The first is written.', write('two.md')])
  const { visit, folder, url } = await serveSample({ run: { model } })
  await writeFile(join(folder, 'trip.chatmd'), '<tool name="write_file"/>\n\n<user>\nWrite it.\n</user>\n')
  const send = (method: string, path: string, body: unknown): Promise<Response> => {
    const headers = { 'content-type': 'application/json' }
    return fetch(`${url}api/${path}`, { method, headers, body: JSON.stringify(body) })
  }
  const page = await visit('#/needs-you')
  const inbox = page.getByRole('region', { name: 'Calls that need you' })
  const names = (): Promise<(string | null)[]> =>
    inbox.locator('section').evaluateAll(sections => sections.map(({ ariaLabel }) => ariaLabel))
  const needsYou = (name: string) => page.getByRole('link', { name, exact: true }).waitFor()
  await send('POST', 'runs', { document: 'trip.chatmd' })
  await inbox.getByRole('button', { name: approve }).waitFor()
  expect((await send('POST', 'documents/trip.chatmd/rename', { to: 'bergen.chatmd' })).status).toBe(200)
  const bergen = inbox.getByRole('region', { name: 'bergen.chatmd' })
  await bergen.getByRole('button', { name: approve }).waitFor()
  expect(await names()).toEqual(['bergen.chatmd'])
  expect(await barriers(page)).toEqual([])
  await bergen.getByRole('button', { name: approve }).click()
  await expect.poll(() => readFile(join(folder, 'one.md'), 'utf8').catch(() => '')).toBe('one.md')
  await needsYou('Needs you')
  await send('POST', 'runs', { document: 'bergen.chatmd', input: 'And another.' })
  await needsYou('Needs you 1 call')
  await bergen.getByRole('button', { name: approve }).waitFor()
  expect(await names()).toEqual(['bergen.chatmd'])
  await expect.poll(async () => (await send('DELETE', 'documents/bergen.chatmd', {})).status).toBe(200)
  await needsYou('Needs you')
  await expect.poll(names).toEqual([])
  await inbox.getByRole('heading', { name: 'Nothing needs you' }).waitFor()
  expect((await send('POST', 'documents/bergen.chatmd/restore', {})).status).toBe(200)
  await needsYou('Needs you 1 call')
  await bergen.getByRole('button', { name: approve }).waitFor()
})
