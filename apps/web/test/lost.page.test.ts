import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { look } from './look.ts'
import { serveSample } from './open-page.ts'

test('a message that could not be sent says so right below itself, is kept over a reload, and is sent again', async () => {
  const { open, restart } = await serveSample()
  const page = await open('#/welcome.chatmd')
  const message = page.getByRole('textbox', { name: 'Message' })
  const log = page.getByRole('log')
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  await page.getByText('1 document', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Source', exact: true }).click()
  await page.route('**/api/**', route => route.abort())
  await message.fill('Show me around.')
  await message.press('Enter')
  const alert = log.getByRole('alert')
  await alert.getByText('Not sent: the server is not answering.').waitFor()
  const bubble = log.getByRole('article', { name: 'You' }).locator('.argot-bubble')
  const [above, below] = [(await bubble.boundingBox())!, (await alert.boundingBox())!]
  expect(below.y - (above.y + above.height)).toBeLessThan(32)
  expect(await barriers(page)).toEqual([])
  await look(page, 'unsent')
  // The list of documents hears of it too, and says what becomes of what is typed.
  await restart()
  await message.fill('Half')
  await page.getByText(/You see everything up to \d\d:\d\d:\d\d\. Your text is kept in this browser\./).waitFor()
  await message.fill('')
  await look(page, 'lost')
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
  await look(page, 'lost-320')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.unroute('**/api/**')
  await page.reload()
  await expect.poll(() => message.inputValue()).toBe('Show me around.')
  // What is half typed is kept for this document, until it is sent.
  await message.press('Enter')
  await page
    .getByRole('button', { name: /^Approve/ })
    .first()
    .waitFor()
  await page.reload()
  await page
    .getByRole('button', { name: /^Approve/ })
    .first()
    .waitFor()
  expect(await message.inputValue()).toBe('')
})
