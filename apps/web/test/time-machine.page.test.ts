import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { type Served, serveSample } from './open-page.ts'

const log = (page: Page): Locator => page.getByRole('log')
const moment = async (page: Page): Promise<string> =>
  (await page.getByRole('slider', { name: 'Moment' }).getAttribute('aria-valuetext')) ?? ''

/** The time machine on a whole run of the tour. */
async function openMachine(): Promise<{ page: Page; served: Served }> {
  const served = await serveSample({ run: { approve: 'all' } })
  const page = await served.open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  // The run is over, so its log does not grow any more.
  await log(page).getByRole('button', { name: 'Try again' }).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Replay' }).click()
  await page.getByRole('slider', { name: 'Moment' }).focus()
  await log(page).getByText('That was one of everything').waitFor()
  return { page, served }
}

test('a run is seen as it was at any of its chunks, call by call, with what was said before it', async () => {
  const { page } = await openMachine()
  const [, all] = /of ([\d\u202f]+)/.exec(await moment(page))!
  await expect.poll(() => moment(page)).toContain(`Chunk ${all} of ${all}`)
  await page.keyboard.press('Home')
  await expect.poll(() => moment(page)).toContain('Chunk 0 of')
  await log(page).getByText("I'll look at the folder").waitFor({ state: 'hidden' })
  await log(page).getByText('Show me around.').waitFor()
  await page.keyboard.press('PageDown')
  await expect
    .poll(() => page.getByRole('list', { name: 'Chunks' }).locator('[aria-current]').textContent())
    .toContain('tool-input-start')
  expect(await barriers(page)).toEqual([])
  const first = Number(/Chunk (\d+)/.exec(await moment(page))![1])
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => moment(page)).toContain(`Chunk ${first + 1} of`)
  for (const _ of [1, 2]) await page.keyboard.press('PageDown')
  await page.getByRole('combobox', { name: 'Chunk kinds' }).selectOption('Calls')
  await page.getByRole('button', { name: /tool-output-error/ }).click()
  await expect.poll(() => moment(page)).toContain('Could not read notes/list.md')
  await log(page).locator('.argot-under', { hasText: 'does not exist' }).first().waitFor()
  await log(page).getByText("That file doesn't exist").waitFor({ state: 'hidden' })
  await page.getByRole('combobox', { name: 'Speed' }).selectOption('16×')
  await page.getByRole('button', { name: 'Play' }).click()
  await log(page).getByText('That was one of everything').waitFor()
  await page.getByRole('button', { name: 'Play' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
})

test('a fork has what was said up to the moment, without calls that were not over, and can be continued', async () => {
  const { page, served } = await openMachine()
  await page.getByRole('combobox', { name: 'Chunk kinds' }).selectOption('Calls')
  await page.getByRole('button', { name: /tool-output-error/ }).click()
  await log(page).getByText("That file doesn't exist").waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Fork here' }).click()
  await page.getByRole('heading', { name: 'welcome.1.chatmd' }).waitFor()
  const fork = await readFile(join(served.folder, 'welcome.1.chatmd'), 'utf8')
  expect(fork).toContain('Show me around.')
  expect(fork).toContain('notes/list.md')
  expect(fork).toContain('does not exist')
  expect(fork).not.toContain('function_name="find_and_replace"')
  expect(fork).not.toContain('That was one of everything')
  await log(page).getByText("There's a line I could tick off").waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('And now?')
  await page.keyboard.press('Enter')
  await log(page).getByRole('article', { name: 'Assistant' }).nth(1).waitFor()
})

test('any run of a document can be chosen', async () => {
  const { page } = await openMachine()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
  await page.keyboard.press('Enter')
  await log(page)
    .getByRole('article', { name: 'Assistant' })
    .nth(1)
    .getByRole('button', { name: 'Try again' })
    .waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Replay' }).click()
  const runs = page.getByRole('combobox', { name: 'Run' })
  await runs.waitFor()
  await expect.poll(() => runs.getByRole('option').count()).toBe(2)
  await log(page).getByText('Hello', { exact: true }).waitFor()
  await runs.selectOption({ index: 1 })
  await log(page).getByText('Hello', { exact: true }).waitFor({ state: 'hidden' })
  await page.getByRole('slider', { name: 'Moment' }).focus()
  await expect.poll(() => moment(page)).toContain('The end')
})
