import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveSample } from './open-page.ts'

test('a long list of documents is drawn as far as it is looked at, and searched as a whole', async () => {
  const { open, folder } = await serveSample()
  for (let index = 0; index < 250; index++) {
    await writeFile(join(folder, `plan-${String(index).padStart(3, '0')}.chatmd`), `<user>\nPlan ${index}\n</user>\n`)
  }
  const page = await open()
  const links = page.locator('.documents ul a')
  await page.getByText('251 documents').waitFor()
  await expect.poll(() => links.count()).toBe(100)
  await links.last().focus()
  await expect.poll(() => links.count()).toBe(200)
  await page.getByRole('searchbox').fill('plan-000')
  await page.getByRole('link', { name: /plan-000/ }).waitFor()
  await expect.poll(() => links.count()).toBe(1)
})

test('a busy page, which hears of several frames at once, draws more of the list all the same', async () => {
  const { open, folder } = await serveSample()
  for (let index = 0; index < 150; index++) {
    await writeFile(join(folder, `plan-${String(index).padStart(3, '0')}.chatmd`), `<user>\nPlan ${index}\n</user>\n`)
  }
  const page = await open()
  await page.addInitScript(() => {
    // Each time it hears of a frame before that too, in which nothing was in view.
    window.IntersectionObserver = class extends IntersectionObserver {
      constructor(listener: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        super((entries, observer) => {
          const before = entries.map(entry => {
            const { target, time, boundingClientRect, intersectionRect, rootBounds, intersectionRatio } = entry
            const places = { boundingClientRect, intersectionRect, rootBounds, intersectionRatio }
            return { target, time, ...places, isIntersecting: false } as IntersectionObserverEntry
          })
          listener([...before, ...entries], observer)
        }, options)
      }
    }
  })
  await page.reload()
  await page.getByText('151 documents').waitFor()
  const links = page.locator('.documents ul a')
  await links.nth(99).focus()
  await expect.poll(() => links.count()).toBe(151)
})

test('the settings of a document are not shown for the next one that is opened', async () => {
  const { open, folder } = await serveSample()
  await writeFile(join(folder, 'one.chatmd'), '<config model="openai:first"/>\n<user>\nOne\n</user>\n')
  await writeFile(join(folder, 'two.chatmd'), '<config model="openai:second"/>\n<user>\nTwo\n</user>\n')
  const page = await open('#/one.chatmd')
  const model = page.getByRole('button', { name: /^Model:/ })
  await expect.poll(() => model.getAttribute('aria-label')).toBe('Model: openai:first')
  let answer = (): void => {}
  const held = new Promise<void>(resolve => {
    answer = resolve
  })
  await page.route('**/two.chatmd/settings*', async route => {
    await held
    await route.continue()
  })
  await page.evaluate(() => {
    location.hash = '#/two.chatmd'
  })
  await page.getByRole('log').getByText('Two').waitFor()
  expect(await page.getByRole('button', { name: 'Model: openai:first' }).count()).toBe(0)
  answer()
  await expect.poll(() => model.getAttribute('aria-label')).toBe('Model: openai:second')
})
