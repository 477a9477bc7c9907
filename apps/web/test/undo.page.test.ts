import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

test('a turn that changed a file is reviewed and undone with keys alone, and says so after a reload', async () => {
  const { open, folder } = await serveSample({ run: { approve: 'all' } })
  const page = await open('#/welcome.chatmd')
  const todo = join(folder, 'notes/todo.md')
  const text = await readFile(todo, 'utf8')
  await page.getByRole('textbox', { name: 'Message' }).fill('Show me around.')
  await page.keyboard.press('Enter')
  const log = page.getByRole('log')
  await log.getByRole('button', { name: 'Undo turn' }).waitFor()
  expect(await readFile(todo, 'utf8')).not.toBe(text)
  expect(await log.getByRole('list', { name: 'Changed files' }).innerText()).toContain('todo.md')
  expect(await barriers(page)).toEqual([])
  await log.getByRole('button', { name: 'Review all' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').locator('.argot-diff').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Undo this turn?' })
  await question.getByText('notes/todo.md returns to its earlier content.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await log.getByText(/^Undone at/).waitFor()
  expect(await readFile(todo, 'utf8')).toBe(text)
  // The dialog's `close` event comes in a task of its own.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Review all')
  await page.reload()
  await log.getByText(/^Undone at/).waitFor()
  expect(await log.getByRole('button', { name: 'Undo turn' }).count()).toBe(0)
})
