import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { serveSample } from './open-page.ts'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What is wrong with the page for those who do not see it, or use no mouse. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axePath, 'utf8'))
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  })
}

const approve = /^Approve/

test('one click shows everything once, a reload in the middle keeps it, and the answer changes the file', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await page.getByText('does not exist').first().waitFor()
  await page.getByText('Needs you', { exact: true }).first().waitFor()
  expect(await barriers(page)).toEqual([])
  await page.reload()
  await page.getByRole('button', { name: approve }).first().waitFor()
  expect(await page.getByRole('log').getByText('I look at the folder').count()).toBe(1)
  // A card takes no answer in its first half second.
  await page.waitForTimeout(600)
  await page.getByRole('button', { name: approve }).first().click()
  await page.getByRole('log').getByText('That was everything once').waitFor()
  expect(await readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain('- [x] See a tool call')
  await page.reload()
  await page.getByRole('log').getByText('That was everything once').waitFor()
  expect(await page.getByRole('log').getByText('That was everything once').count()).toBe(1)
  expect(await barriers(page)).toEqual([])
})

test('a message in place of an answer denies the call, and the file stays as it is', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await page.getByRole('textbox', { name: /message/i }).fill('Leave it as it is')
  await page.keyboard.press('Enter')
  await page.getByText('You said no').first().waitFor()
  expect(await readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain('- [ ] See a tool call')
})

test('two tabs show the same run, and an answer in one is an answer in the other', async () => {
  const { open } = await serveSample()
  const first = await open()
  const second = await open()
  await first.getByRole('button', { name: 'Show me around.' }).click()
  await first.getByRole('button', { name: approve }).first().waitFor()
  await second.getByRole('button', { name: approve }).first().waitFor()
  await second.waitForTimeout(600)
  await second.getByRole('button', { name: approve }).first().click()
  await first.getByText('That was everything once').first().waitFor()
  await second.getByText('That was everything once').first().waitFor()
  expect(await first.getByRole('button', { name: approve }).count()).toBe(0)
})

test('a server that leaves and comes back is joined again, and what waited still waits', async () => {
  const { open, restart } = await serveSample()
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await restart()
  await page.waitForTimeout(600)
  const button = page.getByRole('button', { name: approve }).first()
  await button.waitFor()
  await button.click()
  await page.getByText('That was everything once').first().waitFor({ timeout: 60_000 })
})

test('documents are found by their words, appear when they are made, and can be changed', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await writeFile(join(folder, 'plan.chatmd'), '<user>\nPlan a trip to Bergen\n</user>\n')
  await page.getByRole('link', { name: /Plan a trip to Bergen/ }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('bergen')
  expect(await page.getByRole('navigation', { name: 'Documents' }).getByRole('link').count()).toBe(1)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'plan.chatmd' }).waitFor()
  const text = page.getByRole('textbox', { name: 'Text of plan.chatmd' })
  await text.fill('<usr>\nPlan a trip to Oslo\n</usr>\n')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('list', { name: 'What is wrong with it' }).getByRole('listitem').first().waitFor()
  expect(await readFile(join(folder, 'plan.chatmd'), 'utf8')).toContain('Oslo')
  await page.getByRole('tab', { name: 'What the model sees' }).click()
  await page.getByText('nothing is sent').waitFor()
  await page.getByRole('tab', { name: 'Source' }).click()
  await text.fill('<user>\nPlan a trip to Oslo\n</user>\n')
  await page.keyboard.press('Control+s')
  await page.getByRole('tab', { name: 'What the model sees' }).click()
  await page.getByText(/demo · native/).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('on a phone there is one pane, the documents are a sheet, and nothing scrolls sideways', async () => {
  const { open } = await serveSample()
  const page = await open('', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.getByRole('button', { name: 'Documents' }).click()
  await page.getByRole('link', { name: /Show me around/ }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a token opens the page once, and is gone from the address', async () => {
  const { open } = await serveSample({ token: 'a-long-token' })
  const page = await open('#token=a-long-token')
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  expect(page.url()).not.toContain('token')
  await page.reload()
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  const other = await open()
  await other.getByText(/token/i).first().waitFor()
})

test('a run can be seen as it was at any of its moments, and another one begun from before it', async () => {
  const { open, folder } = await serveSample({ run: { approve: 'all' } })
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('log').getByText('That was everything once').waitFor()
  await page.getByRole('button', { name: 'Replay' }).click()
  const slider = page.getByRole('slider', { name: 'Moment' })
  await page.getByRole('log').getByText('That was everything once').waitFor()
  await slider.focus()
  await page.keyboard.press('Home')
  await page.getByRole('log').getByText('That was everything once').waitFor({ state: 'hidden' })
  for (let count = 0; count < 12; count++) await page.keyboard.press('ArrowRight')
  expect(await slider.getAttribute('aria-valuetext')).toContain('Chunk 12 of')
  await page.getByRole('log').getByText('I look at').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('End')
  await page.getByRole('log').getByText('That was everything once').waitFor()
  await page.getByRole('button', { name: 'Fork here' }).click()
  await page.getByRole('heading', { name: 'welcome.1.chatmd' }).waitFor()
  const branch = await readFile(join(folder, 'welcome.1.chatmd'), 'utf8')
  expect(branch).toContain('Show me around.')
  expect(branch).not.toContain('That was everything once')
})
