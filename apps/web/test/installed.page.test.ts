import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../../../packages/agent/test/scripted-model.ts'
import { gate } from '../../../packages/server/test/clients/gate.ts'
import { serveSample } from './open-page.ts'

const write = [
  ...call('c1', 'find_and_replace', { path: 'notes/todo.md', search: 'See a tool call', replace: 'x' }),
  finish('tool-calls'),
]

test('the page can be installed, also where a token is needed, and its title and notifications say what happens', async () => {
  const middle = gate()
  const model = scriptedModel(['Said.', write, 'Done.'], {
    before: part => (part.type === 'text-end' ? middle.wait() : undefined),
  })
  const { open, url } = await serveSample({ token: 'a secret token', run: { model } })
  const page = await open('#token=a%20secret%20token', { permissions: ['notifications'] }, () => {
    const shown: string[] = []
    Object.assign(window, { shown })
    class Fake {
      static permission = 'default'
      static async requestPermission(): Promise<string> {
        Fake.permission = 'granted'
        return 'granted'
      }
      onclick: unknown
      constructor(title: string) {
        shown.push(title)
      }
      close(): void {}
    }
    Object.assign(window, { Notification: Fake })
    Object.defineProperty(document, 'hidden', { get: () => (window as { isAway?: boolean }).isAway === true })
  })
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  // What a browser needs to install it comes without the token, with the right types.
  const address = await page.locator('link[rel="manifest"]').evaluate(link => (link as HTMLLinkElement).href)
  const answer = await fetch(address)
  expect(answer.headers.get('content-type')).toContain('application/manifest+json')
  const manifest = (await answer.json()) as {
    start_url: string
    icons: { src: string; sizes: string; type: string; purpose?: string }[]
  }
  expect(new URL(manifest.start_url, address).href).toBe(url)
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await fetch(new URL(src, address))
    expect(icon.headers.get('content-type')).toBe(type)
    const bytes = Buffer.from(await icon.arrayBuffer())
    if (type === 'image/png') expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes)
  }
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
  const session = await page.context().newCDPSession(page)
  const { errors } = (await session.send('Page.getAppManifest')) as { errors: { message: string }[] }
  expect(errors).toEqual([])
  // It starts there without the token in the address.
  await page.goto(url)
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  // The title: working, then done for somebody who was away.
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Hello')
  await message.press('Enter')
  await expect.poll(() => page.title()).toBe('… Working – welcome.chatmd – Argot')
  await page.evaluate(() => Object.assign(window, { isAway: true }))
  middle.open()
  await expect.poll(() => page.title()).toBe('✓ Done – welcome.chatmd – Argot')
  await page.evaluate(() => {
    Object.assign(window, { isAway: false })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect.poll(() => page.title()).toBe('welcome.chatmd – Argot')
  // Off until somebody turns it on, with one button; remembered; and off again.
  await page.goto(`${url}#/needs-you`)
  const button = page.getByRole('button', { name: 'Notify me when a call needs me' })
  await button.press('Enter')
  const on = page.getByRole('button', { name: 'Notifications are on', pressed: true })
  await on.waitFor()
  expect(await page.evaluate(() => localStorage.getItem('argot page notify'))).toBe('true')
  // A call that needs somebody who is away.
  await page.goto(`${url}#/welcome.chatmd`)
  await page.evaluate(() => Object.assign(window, { isAway: true }))
  await message.fill('Change it')
  await message.press('Enter')
  const shown = (): Promise<string[]> => page.evaluate(() => (window as unknown as { shown: string[] }).shown)
  await expect.poll(shown).toEqual(['A call needs you'])
  await expect.poll(() => page.title()).toMatch(/^● Needs you/)
  await page.goto(`${url}#/needs-you`)
  await on.press('Enter')
  await button.waitFor()
  expect(await page.evaluate(() => localStorage.getItem('argot page notify'))).toBe('false')
  expect(await shown()).toHaveLength(1)
})
