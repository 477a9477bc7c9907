import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { call, mountBox } from './mount.tsx'

const long = Array.from({ length: 300 }, (_, index) => `line ${index + 1} of a.ts`).join('\n')

test('a long output opens in a pane of its own, with a search over all of it', async () => {
  const { adapter, store, find, host } = await mountBox()
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...call('c', 'read_file', { path: 'a.ts' }, long), { type: 'finish' })
  adapter.close()
  const row = await find('[data-argot-call="a/c"] .argot-row')
  if (row.getAttribute('aria-expanded') === 'false') row.click()
  await expect.poll(() => [...host.querySelectorAll('button')].some(one => one.textContent === 'Open')).toBe(true)
  ;[...host.querySelectorAll('button')].find(one => one.textContent === 'Open')!.click()
  const dialog = await find('dialog.argot-source[open]')
  await expect.poll(() => dialog.textContent).toContain('line 300 of a.ts')
  await page.elementLocator(dialog.querySelector('input')!).fill('line 29')
  await expect.poll(() => dialog.querySelector('output')!.textContent).toBe('1 of 11')
  ;[...dialog.querySelectorAll('button')].find(one => one.textContent === 'Close')!.click()
  await expect.poll(() => host.querySelector('dialog.argot-source')).toBeNull()
})

test('a page that has a pane of its own is given what is opened', async () => {
  const onOpenSource = vi.fn()
  const { adapter, store, find, host } = await mountBox({ onOpenSource })
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...call('c', 'read_file', { path: 'a.ts' }, long), { type: 'finish' })
  const row = await find('[data-argot-call="a/c"] .argot-row')
  if (row.getAttribute('aria-expanded') === 'false') row.click()
  await expect.poll(() => [...host.querySelectorAll('button')].some(one => one.textContent === 'Open')).toBe(true)
  ;[...host.querySelectorAll('button')].find(one => one.textContent === 'Open')!.click()
  expect(onOpenSource).toHaveBeenCalledWith({ kind: 'text', name: 'a.ts', text: long })
  expect(host.querySelector('dialog')).toBeNull()
})
