import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../../../packages/agent/test/scripted-model.ts'
import { barriers } from './barriers.ts'
import { look } from './look.ts'
import { serveSample } from './open-page.ts'

const write = (id: string) => [
  ...call(id, 'find_and_replace', { path: 'notes/todo.md', search: 'See a tool call', replace: 'See a tool call!' }),
  finish('tool-calls'),
]

test('a folder is allowed for an hour only where the server says so: with a mark, by keys, until Off', async () => {
  const model = scriptedModel([write('c1'), 'One.', write('c2'), 'Two.', write('c3'), 'Three.'])
  const { open } = await serveSample({ allowRelax: true, run: { model } })
  const page = await open('#/welcome.chatmd')
  const log = page.getByRole('log')
  const message = page.getByRole('textbox', { name: 'Message' })
  const approvals = page.getByRole('button', { name: 'Approvals: Ask before changes' })
  const send = async (text: string): Promise<void> => {
    await message.fill(text)
    await message.press('Enter')
  }
  await page.getByRole('button', { name: 'Source', exact: true }).click()
  await approvals.click()
  expect(await page.getByRole('menuitem', { name: /Allow everything/ }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await send('First')
  const approve = log.getByRole('button', { name: /^Approve/ }).first()
  await approve.waitFor()
  await approve.click()
  await log.getByText('One.').waitFor()
  await approvals.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: /^Allow everything in docs for 1 hour/ }).waitFor()
  expect(await barriers(page)).toEqual([])
  await look(page, 'relax-menu')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  const mark = page.getByRole('status').filter({ hasText: 'Calls in docs run without asking' })
  await mark.getByText(/until \d\d:\d\d/).waitFor()
  await send('Second')
  await log.getByText('Two.').waitFor()
  expect(await barriers(page)).toEqual([])
  await look(page, 'relax')
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    await look(page, `relax-${width}`)
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await barriers(page)).toEqual([])
  await mark.getByRole('button', { name: /^Off/ }).press('Enter')
  await mark.waitFor({ state: 'hidden' })
  await send('Third')
  await approve.waitFor()
  expect(await log.getByText('Three.').count()).toBe(0)
})
