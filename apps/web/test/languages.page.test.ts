import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

test('the language is a setting of the page: words, direction and calls change at once, and a reload keeps them', async () => {
  const { open } = await serveSample()
  const page = await open()
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
