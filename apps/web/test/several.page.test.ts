import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel, text } from '../../../packages/agent/test/scripted-model.ts'
import { gate } from '../../../packages/server/test/clients/gate.ts'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'
import { otherName } from './other-name.ts'

const names = ['one', 'two', 'three']
const writes = names.flatMap(name =>
  call(name, 'write_file', { path: `${name}.md`, content: `The text of ${name}.\n` }),
)
const document = '<config show_tool_call/>\n<tool name="write_file"/>\n'

test('input is seen while it streams; several calls that wait are reviewed in full, and approved at once only there', async () => {
  const middle = gate()
  const model = scriptedModel([[...text('I write three files.'), ...writes, finish('tool-calls')], 'All is written.'], {
    before: part => (part.type === 'tool-input-delta' && part.delta.includes('of one') ? middle.wait() : undefined),
  })
  const { open, folder } = await serveSample({ run: { model } })
  await writeFile(join(folder, 'several.chatmd'), document)
  const page = await open('#/several.chatmd', { viewport: { width: 320, height: 700 } })
  await page.getByRole('textbox', { name: 'Message' }).fill('Write three files.')
  await page.keyboard.press('Enter')
  await middle.reached
  const log = page.getByRole('log')
  await log.getByRole('button', { name: /^Writing one\.md/ }).waitFor()
  expect(await barriers(page)).toEqual([])
  middle.open()
  const bar = page.getByText('3 calls need you')
  await bar.waitFor()
  const all = page.getByRole('button', { name: /^Approve all/ })
  expect(await all.count()).toBe(0)
  await page.getByRole('button', { name: 'Review' }).click()
  const review = page.getByRole('dialog', { name: '3 calls need you' })
  for (const name of names) await review.getByText(`The text of ${name}.`, { exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  await all.click()
  await log.getByText('All is written.').waitFor()
  await bar.waitFor({ state: 'hidden' })
  for (const name of names) expect(await readFile(join(folder, `${name}.md`), 'utf8')).toBe(`The text of ${name}.\n`)
})

test('eight tabs at another name, where a page has no locks and no secure origin, show eight runs over six connections', async () => {
  const middle = gate()
  const model = scriptedModel([() => 'One two three.'], {
    before: part => (part.type === 'text-delta' && part.delta.startsWith('three') ? middle.wait() : undefined),
  })
  const { open, folder, url } = await serveSample({ run: { model }, hosts: [otherName] })
  const documents = Array.from({ length: 8 }, (_, index) => `count-${index}.chatmd`)
  for (const name of documents) await writeFile(join(folder, name), '<user>\nCount.\n</user>\n')
  const address = url.replace('127.0.0.1', otherName)
  const first = await open(`${address}#/${documents[0]}`)
  expect(await first.evaluate('isSecureContext')).toBe(false)
  const tabs = [first]
  for (const name of documents.slice(1)) {
    const tab = await first.context().newPage()
    await tab.goto(`${address}#/${name}`)
    tabs.push(tab)
  }
  for (const name of documents) {
    const body = JSON.stringify({ document: name })
    await fetch(`${url}api/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }
  for (const tab of tabs) await tab.getByRole('log').getByText('One two').waitFor()
  middle.open()
  for (const tab of tabs) await tab.getByRole('log').getByText('One two three.').waitFor()
  // What is typed is sent, and answered, also in the last one.
  const last = tabs.at(-1)!
  await last.getByRole('textbox', { name: 'Message' }).fill('Again.')
  await last.keyboard.press('Enter')
  await expect.poll(() => last.getByRole('log').getByText('One two three.').count()).toBe(2)
})
