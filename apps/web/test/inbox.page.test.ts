import { copyFile, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
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
