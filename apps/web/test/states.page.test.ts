import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

test('a folder without documents says so, and makes an example that works; an address of nothing says so too', async () => {
  const { open, folder } = await serveSample()
  await rm(join(folder, 'welcome.chatmd'))
  const page = await open()
  await page.getByRole('heading', { name: 'This folder has no documents' }).waitFor()
  await page.getByText('0 documents').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Open the example' }).click()
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  expect(await readFile(join(folder, 'example.chatmd'), 'utf8')).toContain('<tool name="read_file"/>')
  await page.getByText('1 document', { exact: true }).waitFor()
  await page.goto(`${page.url().replace(/#.*$/, '')}#/%E0%A4%A`)
  await page.getByRole('heading', { name: 'There is no document “%E0%A4%A”' }).waitFor()
})

test('everything is reached with keys: search, list, panes, the list of keys', async () => {
  const { open, folder } = await serveSample()
  const long = 'why-the-index-drifts-after-rotation-of-the-log.chatmd'
  await writeFile(join(folder, long), '<user>\nWhy does it drift?\n</user>\n')
  const page = await open('#/welcome.chatmd')
  await page.getByRole('link', { name: long }).waitFor()
  const focused = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName ?? null)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('drift')
  await page.getByText('1 of 2').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('2 documents').waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('A')
  await page.getByRole('textbox', { name: 'Message' }).focus()
  await page.keyboard.press('F6')
  expect(await focused()).toBe('Text of welcome.chatmd')
  await page.keyboard.press('F6')
  expect(await focused()).toBe('Search documents')
  await page.keyboard.press('Control+/')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await keys.waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'hidden' })
})

test('a server that is gone is said to be, with the time of what is shown, until it answers again', async () => {
  const { open, restart } = await serveSample()
  const page = await open('#/welcome.chatmd')
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  await page.route('**/api/**', route => route.abort())
  await restart()
  await page.getByText(/The server is not answering\. What you see is up to \d\d:\d\d:\d\d\./).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.unroute('**/api/**')
  await page.getByText(/The server is not answering/).waitFor({ state: 'hidden' })
})
