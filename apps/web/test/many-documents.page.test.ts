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
