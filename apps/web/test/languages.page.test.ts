import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

test('the language is a setting of the page: words, direction and calls change at once, and a reload keeps them', async () => {
  const { open, folder } = await serveSample()
  await mkdir(join(folder, 'work'))
  await writeFile(join(folder, 'work/taxes.chatmd'), '')
  const page = await open('#/welcome.chatmd')
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  const root = (): Promise<[string, string]> =>
    page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])
  await page.keyboard.press('Control+/')
  await page.getByLabel('Language').selectOption('ar')
  await expect.poll(root).toEqual(['ar', 'rtl'])
  await page.keyboard.press('Escape')
  await page.reload()
  await expect.poll(root).toEqual(['ar', 'rtl'])
  await page.getByRole('complementary', { name: 'المصدر' }).waitFor()
  // Arrows are mirrored: a star is to the left of its item, and a closed folder points to the left.
  await page.getByRole('button', { name: /native/ }).press('ArrowDown')
  await page.getByRole('menuitemradio', { name: 'xml', exact: true }).focus()
  const role = (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.role)
  await page.keyboard.press('ArrowLeft')
  expect(await role()).toBe('menuitemcheckbox')
  await page.keyboard.press('ArrowRight')
  expect(await role()).toBe('menuitemradio')
  await page.keyboard.press('Escape')
  const work = page.getByRole('button', { name: 'work 1' })
  await work.press('ArrowRight')
  await expect.poll(() => work.getAttribute('aria-expanded')).toBe('false')
  await work.press('ArrowLeft')
  await expect.poll(() => work.getAttribute('aria-expanded')).toBe('true')
  await page.getByRole('textbox', { name: 'رسالة' }).fill('Show me around.')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^سماح: / }).waitFor()
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  expect(isWide).toBe(false)
  expect(await barriers(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 700 })
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
    .toBe(0)
})
