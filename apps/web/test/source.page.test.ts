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

test('the foot counts every warning, also those that are not listed', async () => {
  const { page, text } = await editPlan()
  await text.fill(`<config model="demo"${Array.from({ length: 230 }, (_, index) => ` a${index}="b"`).join('')}/>\n`)
  await page.getByText('230 warnings · Not saved').waitFor()
  await expect.poll(() => page.getByRole('list', { name: 'Problems' }).locator('li').count()).toBe(200)
})

test('a text is changed with the keyboard, checked while it is written, formatted and saved', async () => {
  const { open, folder } = await serveSample()
  const file = join(folder, 'plan.chatmd')
  await writeFile(file, '<user>\nPlan a trip\n</user>\n')
  const page = await open('#/plan.chatmd')
  await page.getByRole('group', { name: 'Text of plan.chatmd' }).press('Enter')
  const text = page.getByRole('textbox', { name: 'Text of plan.chatmd' })
  await text.fill('<usr>\nPlan a trip to Oslo\n</usr>\n')
  const list = page.getByRole('list', { name: 'Problems' })
  await page.getByText('1 error · Not saved').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Format' }).click()
  await page.getByText('A document with errors can’t be formatted.').waitFor()
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

test('a draft is checked with the tools and files of the folder before it is saved, and without a server on its own', async () => {
  const { file, page, text } = await editPlan()
  const list = page.getByRole('list', { name: 'Problems' })
  await text.fill('<tool name="raed_file"/>\n<user>\nPlan <doc src="trip.md"/>\n</user>\n')
  await list.getByText('but no such tool exists').waitFor()
  await page.locator('.source-edit [data-wrong="error"]').first().waitFor()
  expect((await page.locator('.source-edit [data-wrong]').allTextContents()).join('')).toContain('raed_file')
  await list.getByText('trip.md').first().waitFor()
  expect(await readFile(file, 'utf8')).toBe('<user>\nPlan a trip\n</user>\n')
  await text.fill('<tool name="read_file"/>\n<user>\nPlan\n</user>\n')
  await list.waitFor({ state: 'detached' })
  await page.route('**/check', route => route.abort())
  await text.fill('<usr>\nPlan\n</usr>\n')
  await list.getByText('usr').first().waitFor()
})

test('what is typed while a text is saved is kept', async () => {
  const { open, folder } = await serveSample()
  const file = join(folder, 'plan.chatmd')
  await writeFile(file, '<user>\nPlan a trip\n</user>\n')
  const page = await open('#/plan.chatmd')
  await page.getByRole('complementary', { name: 'Source' }).getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Text of plan.chatmd' })
  let answer = (): void => {}
  const held = new Promise<void>(resolve => {
    answer = resolve
  })
  await page.route('**/plan.chatmd', async route => {
    if (route.request().method() !== 'PUT') return route.continue()
    const response = await route.fetch()
    await held
    await route.fulfill({ response })
  })
  await text.fill('<user>\nOslo\n</user>\n')
  await text.press('Control+s')
  await expect.poll(() => readFile(file, 'utf8')).toContain('Oslo')
  await text.fill('<user>\nOslo and Bergen\n</user>\n')
  const answered = page.waitForResponse(response => response.request().method() === 'PUT')
  answer()
  await answered
  // Until the page has taken the answer, it is still saving.
  await expect
    .poll(async () => {
      await text.press('Control+s')
      return readFile(file, 'utf8')
    })
    .toContain('Bergen')
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

test('what is saved beside the conversation is shown in it, and nobody is told that the document changed', async () => {
  const { file, page, text } = await editPlan()
  await page.getByRole('textbox', { name: 'Message' }).fill('half typed')
  await text.fill('<user>\nPlan a trip to Oslo\n</user>\n')
  await text.press('Control+s')
  await expect.poll(() => readFile(file, 'utf8')).toContain('Oslo')
  await page.getByRole('log').getByText('Plan a trip to Oslo').waitFor()
  expect(await page.getByText('This document changed on disk').count()).toBe(0)
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half typed')
})

test('the source wraps, follows a run to its end, and does not warn about a call that waits', async () => {
  const { open, folder } = await serveSample()
  const long = `<user>\n${'A line that is longer than the pane is wide, and then some. '.repeat(8)}\n</user>\n`
  await writeFile(
    join(folder, 'long.chatmd'),
    `<config model="demo"/>\n<tool name="find_and_replace"/>\n<tool name="read_dir"/>\n<tool name="read_file"/>\n${long.repeat(20)}`,
  )
  const page = await open('#/long.chatmd')
  const view = page.getByRole('group', { name: 'Text of long.chatmd' })
  await view.getByText('A line that is longer').first().waitFor()
  expect(await view.evaluate(element => element.scrollWidth - element.clientWidth)).toBe(0)
  await page.getByRole('textbox', { name: 'Message' }).fill('Show me around.')
  await page.keyboard.press('Enter')
  await page.getByRole('log').locator('.argot-approval').waitFor()
  await view.getByText('find_and_replace').last().waitFor()
  await expect
    .poll(() => view.evaluate(element => element.scrollHeight - element.scrollTop - element.clientHeight < 200))
    .toBe(true)
  expect(await view.getByText('has no response').count()).toBe(0)
  await page
    .getByRole('button', { name: /^Approve/ })
    .first()
    .click()
  await page.getByText('That was one of everything').first().waitFor()
  // The last of it is read when the run is over.
  await expect
    .poll(() =>
      view.evaluate(element => [
        element.textContent?.includes('That was one of everything'),
        element.scrollHeight - element.scrollTop - element.clientHeight < 24,
      ]),
    )
    .toEqual([true, true])
})
