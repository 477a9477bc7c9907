import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveSample } from './open-page.ts'

const guide = await readFile(new URL('../../../docs/page.md', import.meta.url), 'utf8')

test('the tour of the guide: an own document with an own tool and an MCP server, as it is written there', async () => {
  const [, document = ''] = /garden\.chatmd <<'END'\n([\s\S]*?) *END\n/.exec(guide) ?? []
  const [, message = ''] = /send: \*(.+?)\*/.exec(guide) ?? []
  const { open, folder } = await serveSample({ run: { allowExec: true } })
  const page = await open()
  await writeFile(join(folder, 'garden.chatmd'), document.replaceAll(/^ +/gm, ''))
  await page.getByRole('link', { name: /garden/ }).click()
  await page.getByRole('heading', { name: 'garden.chatmd' }).waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill(message)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Approve.*plants/ }).waitFor()
  // A document with a question needs somebody, whatever else its run does.
  await page.getByRole('link', { name: 'garden.chatmd needs you' }).waitFor()
  await page.getByRole('log').getByText('wc -w notes/todo.md').waitFor()
  for (const name of ['[Cc]ount words', 'plants']) {
    const button = page.getByRole('button', { name: new RegExp(`^Approve.*${name}`) }).first()
    await button.waitFor()
    await button.click()
  }
  await page.getByRole('log').getByText('Here is what the tools returned').waitFor()
  const text = await readFile(join(folder, 'garden.chatmd'), 'utf8')
  expect(text).toContain('notes/todo.md')
  expect(text).toContain('basil')
})
