import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

test('a file that changes while its edit waits: the card says so, and denies it with the reason', async () => {
  const { open, folder } = await serveSample()
  const page = await open('#/welcome.chatmd')
  const todo = join(folder, 'notes/todo.md')
  const text = await readFile(todo, 'utf8')
  await page.getByRole('textbox', { name: 'Message' }).fill('Show me around.')
  await page.keyboard.press('Enter')
  const card = page.getByRole('log').locator('.argot-approval')
  await card.getByText(/^Still applies, checked \d\d:\d\d$/).waitFor()
  await writeFile(todo, '# Nothing to do\n')
  // As when one comes back from an editor. An answer of the server serves everyone for a moment, so one look may be too early.
  const lookFor = (shown: Locator): Promise<void> =>
    expect
      .poll(async () => {
        await page.evaluate(() => window.dispatchEvent(new Event('focus')))
        return shown.first().isVisible()
      })
      .toBe(true)
  await lookFor(card.getByText('This no longer applies. The text is not in `notes/todo.md`.'))
  expect(await barriers(page)).toEqual([])
  expect(await card.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
  await writeFile(todo, text)
  await lookFor(card.getByRole('button', { name: /^Approve/ }))
  await writeFile(todo, '# Nothing to do\n')
  const deny = card.getByRole('button', { name: /^Deny and ask for a new read/ })
  await lookFor(deny)
  // In the half second after it became another one, a press of a button counts for nothing.
  await page.waitForTimeout(600)
  await deny.click()
  await page.getByRole('log').getByText('You said no').waitFor()
  expect(await readFile(join(folder, 'welcome.chatmd'), 'utf8')).toContain('Read the file again.')
  expect(await readFile(todo, 'utf8')).toBe('# Nothing to do\n')
})
