import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

const wrong = `<config model="demo" temprature="0.2"/>
<tool name="read_file"/>

<user>
Plan a trip
</user>
`

/** The source of a document with one message, in its editor. */
async function editPlan(): Promise<{ file: string; page: Page; source: Locator; text: Locator }> {
  const { open, folder } = await serveSample()
  const file = join(folder, 'plan.chatmd')
  await writeFile(file, '<user>\nPlan a trip\n</user>\n')
  const page = await open('#/plan.chatmd')
  const source = page.getByRole('complementary', { name: 'Source' })
  await source.getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Text of plan.chatmd' })
  return { file, page, source, text }
}

test('the source is read with receding markup, what is wrong stands at its line, and a press repairs it', async () => {
  const { open, folder } = await serveSample()
  const file = join(folder, 'plan.chatmd')
  await writeFile(file, wrong)
  const page = await open('#/plan.chatmd')
  const view = page.getByRole('group', { name: 'Text of plan.chatmd' })
  await view.getByText('config', { exact: true }).first().waitFor()
  const colours = await view
    .locator('[data-kind]')
    .evaluateAll(all => [...new Set(all.map(one => getComputedStyle(one).color))].length)
  expect(colours).toBe(2)
  await expect.poll(() => view.locator('[data-wrong]').allTextContents()).toEqual(['temprature', '=', '"0.2"'])
  const items = await view.locator('li').allTextContents()
  expect(items[1]).toContain('Did you mean temperature?')
  await page.getByText(/^1 warning · Saved \d\d:\d\d:\d\d/).waitFor()
  expect(await barriers(page)).toEqual([])
  await view.getByRole('button', { name: 'Fix' }).click()
  await expect.poll(() => readFile(file, 'utf8')).toContain('temperature="0.2"')
  await page.getByText(/^Saved \d\d:\d\d:\d\d/).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => readFile(file, 'utf8')).toBe(wrong)
})

test('a text is changed with the keyboard, checked while it is written, formatted and saved', async () => {
  const { open, folder } = await serveSample()
  const file = join(folder, 'plan.chatmd')
  await writeFile(file, '<user>\nPlan a trip\n</user>\n')
  const page = await open('#/plan.chatmd')
  await page.getByRole('group', { name: 'Text of plan.chatmd' }).press('Enter')
  const text = page.getByRole('textbox', { name: 'Text of plan.chatmd' })
  await text.fill('<usr>\nPlan a trip to Oslo\n</usr>\n')
  const list = page.getByRole('list', { name: 'What is wrong with it' })
  await page.getByText('1 error · Not saved').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Format' }).click()
  await page.getByText('A text with errors is not formatted.').waitFor()
  await page.reload()
  await expect.poll(() => text.inputValue()).toContain('<usr>')
  await list.getByRole('button', { name: 'Line 1' }).click()
  await expect.poll(() => text.evaluate(element => element === document.activeElement)).toBe(true)
  await list.getByRole('button', { name: 'Fix' }).click()
  await expect.poll(() => text.inputValue()).toBe('<user>\nPlan a trip to Oslo\n</user>\n')
  await text.fill('<config   model="demo"/>\n\n\n\n<user>\nPlan a trip to Oslo\n</user>\n')
  await page.getByRole('button', { name: 'Format' }).click()
  await expect.poll(() => text.inputValue()).toContain('<config model="demo"/>')
  await text.press('Control+s')
  await expect.poll(() => readFile(file, 'utf8')).toContain('<config model="demo"/>')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('group', { name: 'Text of plan.chatmd' }).waitFor()
})

test('what is typed while a text is saved is kept', async () => {
  const { open, folder } = await serveSample()
  const file = join(folder, 'plan.chatmd')
  await writeFile(file, '<user>\nPlan a trip\n</user>\n')
  const page = await open('#/plan.chatmd')
  await page.getByRole('complementary', { name: 'Source' }).getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Text of plan.chatmd' })
  let answer = (): void => {}
  await page.route('**/plan.chatmd', async route => {
    if (route.request().method() !== 'PUT') return route.continue()
    const response = await route.fetch()
    await new Promise<void>(resolve => {
      answer = resolve
    })
    await route.fulfill({ response })
  })
  await text.fill('<user>\nOslo\n</user>\n')
  await text.press('Control+s')
  await expect.poll(() => readFile(file, 'utf8')).toContain('Oslo')
  await text.fill('<user>\nOslo and Bergen\n</user>\n')
  answer()
  await text.press('Control+s')
  await expect.poll(() => readFile(file, 'utf8').then(saved => [saved.includes('Bergen'), answer()][0])).toBe(true)
  await page.getByText(/^Saved/).waitFor()
})

test('what is typed while a text is saved is kept, also where the document changed on disk', async () => {
  const { file, page, source, text } = await editPlan()
  let answer = (): void => {}
  const asked = new Promise<void>(resolve => {
    void page.route('**/plan.chatmd', async route => {
      if (route.request().method() !== 'PUT') return route.continue()
      await writeFile(file, '<user>\nBergen\n</user>\n')
      const response = await route.fetch()
      resolve()
      await new Promise<void>(go => {
        answer = go
      })
      await route.fulfill({ response })
    })
  })
  await text.fill('<user>\nOslo\n</user>\n')
  await text.press('Control+s')
  await asked
  await text.fill('<user>\nOslo and Tromsø\n</user>\n')
  const told = page.waitForResponse(response => response.request().method() === 'PUT')
  answer()
  expect((await told).status()).toBe(412)
  await source.getByText('This document changed on disk').waitFor()
  // The text on the disk is read again after the answer; then all of it is shown.
  await source.getByRole('button', { name: 'Show changes' }).click()
  await source.getByText('Bergen').last().waitFor()
  expect(await text.inputValue()).toContain('Oslo and Tromsø')
  expect(await readFile(file, 'utf8')).toContain('Bergen')
})

test('what changed on disk meanwhile is not written over unasked, and can be seen', async () => {
  const { file, page, source, text } = await editPlan()
  await text.fill('<user>\nPlan a trip to Oslo\n</user>\n')
  await writeFile(file, '<user>\nPlan a trip to Bergen\n</user>\n')
  await source.getByText('This document changed on disk').waitFor()
  await text.press('Control+s')
  await source.getByRole('button', { name: 'Show changes' }).click()
  await source.getByText('Plan a trip to Bergen').last().waitFor()
  expect(await readFile(file, 'utf8')).toContain('Bergen')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(() => readFile(file, 'utf8')).toContain('Oslo')
  await text.fill('<user>\nNowhere\n</user>\n')
  await writeFile(file, '<user>\nPlan a trip to Tromsø\n</user>\n')
  await source.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('group', { name: 'Text of plan.chatmd' }).getByText('Tromsø').waitFor()
})
