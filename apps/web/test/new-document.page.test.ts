import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

test('a new document can read the folder, says so, and answers the first suggestion with calls', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await page.getByRole('button', { name: 'New document' }).first().click()
  await page.getByText("The model's tools: read_dir, read_file, glob, grep.").waitFor()
  const [name] = await readdir(join(folder, 'chats'))
  const text = await readFile(join(folder, 'chats', name!), 'utf8')
  expect(text).toMatch(/^<!-- The model can read this folder\./)
  expect(text.match(/<tool name="\w+"\/>$/gm)).toHaveLength(4)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await expect
    .poll(() => readFile(join(folder, 'chats', name!), 'utf8'), { timeout: 20_000 })
    .toContain('I am the demo model')
  const after = await readFile(join(folder, 'chats', name!), 'utf8')
  expect(after).toContain('<tool_call')
  expect(after).not.toContain('state="output-error"')
  await page.getByRole('log').getByText('I am the demo model').first().waitFor()
  expect(await page.getByRole('log').textContent()).not.toMatch(/no tools? to call|nothing to call/i)
})
