import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

const log = (page: Page): Locator => page.getByRole('log')
const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor()

async function say(page: Page, text: string): Promise<void> {
  const answers = await log(page).getByRole('article', { name: 'Assistant' }).count()
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
  await log(page)
    .getByRole('article', { name: 'Assistant' })
    .nth(answers)
    .getByRole('button', { name: 'Try again' })
    .waitFor()
}

test('an earlier message that is edited is said in a branch, and the document that it was in is kept', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await say(page, 'Hello')
  await say(page, 'And then?')
  const before = await readFile(join(folder, 'welcome.chatmd'), 'utf8')
  const first = log(page).getByRole('article', { name: 'You' }).first()
  await first.hover()
  await first.getByRole('button', { name: 'Edit' }).click()
  const field = page.getByRole('textbox', { name: 'Message' })
  await expect.poll(() => field.inputValue()).toBe('Hello')
  await page.getByText('Editing an earlier message').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByText('Editing an earlier message').waitFor({ state: 'hidden' })
  await expect.poll(() => field.inputValue()).toBe('')
  await first.hover()
  await first.getByRole('button', { name: 'Edit' }).click()
  await field.fill('Good morning')
  await page.keyboard.press('Enter')
  await heading(page, 'welcome.1.chatmd')
  await log(page).getByRole('button', { name: 'Try again' }).waitFor()
  await expect.poll(() => log(page).getByText('Good morning', { exact: true }).count()).toBe(1)
  await expect.poll(() => log(page).getByText('Hello', { exact: true }).count()).toBe(0)
  await expect.poll(() => log(page).getByText('And then?').count()).toBe(0)
  expect(await readFile(join(folder, 'welcome.chatmd'), 'utf8')).toBe(before)
  expect(await readFile(join(folder, 'welcome.1.chatmd'), 'utf8')).toContain('Good morning')
  await expect.poll(() => field.inputValue()).toBe('')
  await page.reload()
  const branch = log(page).getByRole('article', { name: 'You' }).getByRole('group', { name: 'Answer 2 of 2' })
  await branch.getByRole('button', { name: 'Previous answer' }).click()
  await heading(page, 'welcome.chatmd')
})

test('an answer can be had again: the question is asked in a branch, after a reload too', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await say(page, 'Hello')
  await page.reload()
  const answer = log(page).getByRole('article', { name: 'Assistant' })
  await answer.hover()
  await answer.getByRole('button', { name: 'Try again' }).click()
  await heading(page, 'welcome.1.chatmd')
  await log(page).getByRole('button', { name: 'Try again' }).waitFor()
  await expect.poll(() => log(page).getByText('Hello', { exact: true }).count()).toBe(1)
  const lastId = async (name: string): Promise<string | undefined> => {
    const sidecar = await readFile(join(folder, '.chatmd/sidecars', `${name}.jsonl`), 'utf8')
    return [...sidecar.matchAll(/"message":"([^"]+)"/g)].at(-1)?.[1]
  }
  const [old, made] = [await lastId('welcome.chatmd'), await lastId('welcome.1.chatmd')]
  expect(old).toBeDefined()
  expect(made).toBeDefined()
  expect(made).not.toBe(old)
  // From one answer to the other, and what is thought of them.
  const bar = log(page).getByRole('toolbar', { name: 'Actions on this answer' })
  await bar.getByRole('group', { name: 'Answer 2 of 2' }).waitFor()
  await bar.getByRole('button', { name: 'Bad' }).click()
  await expect.poll(() => readFile(join(folder, '.chatmd/sidecars/welcome.1.chatmd.jsonl'), 'utf8')).toContain('"bad"')
  await bar.getByRole('button', { name: 'Previous answer' }).click()
  await heading(page, 'welcome.chatmd')
  await bar.getByRole('group', { name: 'Answer 1 of 2' }).waitFor()
  expect(await bar.getByRole('button', { name: 'Bad' }).getAttribute('aria-pressed')).toBe('false')
  await bar.getByRole('button', { name: 'Next answer' }).click()
  await heading(page, 'welcome.1.chatmd')
  await page.reload()
  await expect.poll(() => bar.getByRole('button', { name: 'Bad' }).getAttribute('aria-pressed')).toBe('true')
  // Another try in another syntax, from the menu, is what the branch continues with.
  await bar.getByRole('button', { name: 'Other model or syntax' }).click()
  await page.getByRole('menu').getByRole('menuitem', { name: 'caret' }).click()
  await heading(page, 'welcome.2.chatmd')
  await bar.getByRole('group', { name: 'Answer 3 of 3' }).waitFor()
  expect(await page.evaluate(() => localStorage.getItem('argot wishes welcome.2.chatmd'))).toBe('{"syntax":"caret"}')
  expect(await barriers(page)).toEqual([])
})

test('a branch that cannot be made says so, and what was typed is still there', async () => {
  const { open } = await serveSample()
  const page = await open()
  await say(page, 'Hello')
  const message = log(page).getByRole('article', { name: 'You' })
  await message.hover()
  await message.getByRole('button', { name: 'Edit' }).click()
  await page.route('**/branch', route => route.fulfill({ status: 422, json: { message: 'The folder is locked.' } }))
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('Good evening')
  await page.keyboard.press('Enter')
  await page.getByText('The folder is locked.').first().waitFor()
  await expect.poll(() => field.inputValue()).toBe('Good evening')
})
