import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { look } from './look.ts'
import { serveSample } from './open-page.ts'

test('every call and every chunk has an address that opens the time machine there; one that is gone says so', async () => {
  const { open, url } = await serveSample({ run: { approve: 'all' } })
  const page = await open('#/welcome.chatmd', { permissions: ['clipboard-read', 'clipboard-write'] })
  const log = page.getByRole('log')
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
  const moment = async (): Promise<string> =>
    (await page.getByRole('slider', { name: 'Moment' }).getAttribute('aria-valuetext')) ?? ''
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await log.getByRole('button', { name: 'Try again' }).waitFor()
  // By keys: Alt ↑ goes to the last call, Alt L copies its link.
  await page.getByRole('textbox', { name: 'Message' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('Alt+l')
  await expect.poll(copied).toMatch(/#\/welcome\.chatmd@[\w-]+\?call=/)
  const edit = await copied()
  // In an open call there is a button for it.
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('ArrowRight')
  await log.getByRole('button', { name: 'Copy link to this call' }).click()
  await log.getByText('Copied', { exact: true }).waitFor()
  const failed = await copied()
  expect(failed).not.toBe(edit)
  expect(await barriers(page)).toEqual([])
  await look(page, 'call-link')
  await log.getByRole('link', { name: 'See it in the time machine' }).click()
  await expect.poll(moment).toContain('Could not read notes/list.md')
  await log.getByText("That file doesn't exist").waitFor({ state: 'hidden' })
  await page.goto(edit)
  await expect.poll(moment).toContain('Edited notes/todo.md')
  await page.getByRole('slider', { name: 'Moment' }).focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  const here = /Chunk (\d+)/.exec(await moment())![1]
  await expect.poll(() => page.url()).toContain(`?chunk=${here}`)
  await page.getByRole('button', { name: 'Copy link', exact: true }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await copied()).toContain(`?chunk=${here}`)
  await page.reload()
  await expect.poll(moment).toContain(`Chunk ${here} of`)
  expect(await barriers(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 700 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await look(page, 'moment-320')
  await page.setViewportSize({ width: 1440, height: 900 })
  // What is gone says so.
  const run = /@([\w-]+)\?/.exec(edit)![1]
  await page.goto(`${url}#/welcome.chatmd@${run}?call=none`)
  await page.getByText('The link’s call is not in this run.').waitFor()
  await page.goto(`${url}#/welcome.chatmd@${run}?chunk=99999`)
  await page.getByText(/The run has only \d+ chunks/).waitFor()
  await look(page, 'moment-gone')
  await page.goto(`${url}#/welcome.chatmd@none?call=x`)
  await page.getByRole('alert').getByText('This run no longer exists').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Open the document' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.goto(`${url}#/gone.chatmd@${run}?chunk=3`)
  await page.getByRole('heading', { name: 'There is no document “gone.chatmd”' }).waitFor()
})
