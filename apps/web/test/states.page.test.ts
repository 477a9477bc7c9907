import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scriptedModel } from '../../../packages/agent/test/scripted-model.ts'
import { gate } from '../../../packages/server/test/clients/gate.ts'
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
  await page.keyboard.press('F6')
  await page.keyboard.type('drift')
  await page.getByText('1 of 2').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('2 documents').waitFor()
  await page.keyboard.press('ArrowDown')
  await expect.poll(focused).toBe('A')
  await page.getByRole('textbox', { name: 'Message' }).focus()
  await page.keyboard.press('F6')
  await expect.poll(focused).toBe('Text of welcome.chatmd')
  await page.keyboard.press('F6')
  await expect.poll(focused).toBe('Search documents')
  await page.keyboard.press('Control+/')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await keys.waitFor()
  expect(await barriers(page)).toEqual([])
  await keys.getByRole('checkbox').check()
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'hidden' })
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('One')
  await message.press('Enter')
  await expect.poll(() => message.inputValue()).toBe('One\n')
  await message.fill('')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('replay')
  await page.getByRole('option', { name: 'Replay in the time machine' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('This document has no run yet.').waitFor()
  await page.keyboard.press('Control+b')
  const documents = page.getByRole('navigation', { name: 'Documents' })
  await documents.waitFor({ state: 'hidden' })
  const source = page.getByRole('complementary', { name: 'Source' })
  const width = async (): Promise<number> => (await source.boundingBox())!.width
  const before = await width()
  await page.getByRole('separator', { name: 'Source width' }).press('ArrowLeft')
  await expect.poll(width).toBe(before + 16)
  expect(await barriers(page)).toEqual([])
  await page.reload()
  await expect.poll(width).toBe(before + 16)
  expect(await documents.isVisible()).toBe(false)
  await page.keyboard.press('Control+b')
  await documents.waitFor()
})

test('a server that is gone is said to be, with the time of what is shown, until it answers again', async () => {
  const { open, restart } = await serveSample()
  const page = await open('#/welcome.chatmd')
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  // Without a list of documents there is no time of what is shown.
  await page.getByText('1 document', { exact: true }).waitFor()
  await page.route('**/api/**', route => route.abort())
  await restart()
  await page.getByText(/The server is not answering\. You see everything up to \d\d:\d\d:\d\d\./).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.unroute('**/api/**')
  await page.getByText(/The server is not answering/).waitFor({ state: 'hidden' })
})

test('a conversation that somebody changes on disk says so, shows how, and is read again with what was half typed', async () => {
  const { open, folder } = await serveSample()
  const file = join(folder, 'plan.chatmd')
  await writeFile(file, '<user>\nOne\n</user>\n\n<assistant>\nTwo\n</assistant>\n')
  const page = await open('#/plan.chatmd')
  const log = page.getByRole('log')
  await log.getByText('Two', { exact: true }).waitFor()
  await page.getByText(/^Saved/).waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('Half')
  await writeFile(file, '<user>\nOne\n</user>\n\n<assistant>\nTwo and a half\n</assistant>\n')
  const bar = page.getByRole('status').filter({ hasText: 'This document changed on disk' })
  await bar.getByRole('button', { name: 'Show changes' }).click()
  await bar.getByText('Two and a half').waitFor()
  expect(await log.getByText('Two and a half').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await bar.getByRole('button', { name: 'Reload' }).click()
  await log.getByText('Two and a half').waitFor()
  await bar.waitFor({ state: 'hidden' })
  await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Half')
})

test('the key after Ctrl K belongs to the palette already, on a narrow page too', async () => {
  const { open } = await serveSample()
  for (const width of [1440, 390]) {
    const page = await open('#/welcome.chatmd', { viewport: { width, height: 800 } })
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    const focused = await page.evaluate(() => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))
      return document.activeElement?.getAttribute('aria-label')
    })
    expect(focused).toBe('Find documents, calls, commands and settings')
  }
})

test('what is said while the disk is asked does not count as a change on it', async () => {
  const middle = gate()
  const model = scriptedModel([() => 'Said.'], {
    before: part => (part.type === 'text-end' ? middle.wait() : undefined),
  })
  const { open, folder } = await serveSample({ run: { model } })
  const file = join(folder, 'plan.chatmd')
  const text = '<user>\nPlan a trip\n</user>\n\n<assistant>\nWhere to?\n</assistant>\n'
  await writeFile(file, text)
  const page = await open('#/plan.chatmd')
  await page.getByRole('log').getByText('Where to?').waitFor()
  let answer = (): void => {}
  const asked = new Promise<void>(resolve => {
    void page.route('**/plan.chatmd/messages*', async route => {
      if (route.request().url().includes('live=1')) return route.continue()
      const response = await route.fetch()
      resolve()
      await new Promise<void>(go => {
        answer = go
      })
      await route.fulfill({ response })
    })
  })
  // The same words in other bytes.
  await writeFile(file, `${text}\n`)
  await asked
  await page.getByRole('textbox', { name: 'Message' }).fill('To Oslo.')
  await page.keyboard.press('Enter')
  await middle.reached
  await page.getByRole('log').getByText('To Oslo.').waitFor()
  const told = page.waitForResponse(response => /plan.chatmd.messages(?!.*live=1)/.test(response.url()))
  answer()
  await (await told).finished()
  middle.open()
  await page.getByRole('log').getByText('Said.').waitFor()
  expect(await page.getByText('This document changed on disk').count()).toBe(0)
})
