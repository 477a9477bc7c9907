import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { commands } from 'vitest/browser'
import { mountBox } from '../box/mount.tsx'

declare module 'vitest/browser' {
  interface BrowserCommands {
    startAgent: (key: string) => Promise<{ id: string; chunks: Chunk[] }>
    answerAgent: (id: string, approvalId: string, answer: object) => Promise<{ chunks: Chunk[]; file: string }>
  }
}

const key = 'sk-9f8e7d6c5b4a39281706f5e4d3c2b1a0'

test('a question of a real run shows what the call would do to the file, without its keys, and the answer runs it', async () => {
  const { adapter, store, find, host } = await mountBox()
  store.submit({ text: 'Five retries.' })
  const { id, chunks } = await commands.startAgent(key)
  expect(JSON.stringify(chunks)).not.toContain(key)
  adapter.say(...chunks)
  const card = await find('.argot-approval')
  await expect.poll(() => card.querySelector('.argot-diff-removed')).not.toBeNull()
  expect(card.querySelector('.argot-why')!.textContent).toBe('Needs you · changes files')
  expect(card.querySelector('.argot-title')!.textContent).toBe('Write config.ts?')
  const removed = [...card.querySelectorAll('.argot-diff-removed .argot-diff-text')].map(line => line.textContent)
  expect(removed).toEqual(['export const retries = 3', "export const key = '[redacted: API_KEY]'"])
  expect(card.querySelector('.argot-diff-added')!.textContent).toContain('retries = 5')

  // The fields of "Edit input" come from the schema of the tool.
  ;[...card.querySelectorAll('button')].find(one => one.textContent === 'Edit input')!.click()
  await expect
    .poll(() => [...card.querySelectorAll('label span')].map(one => one.textContent))
    .toEqual(['path', 'content'])
  expect(card.querySelector('[aria-description^="The whole new text"]')).not.toBeNull()
  ;[...card.querySelectorAll('button')].find(one => one.textContent === 'Cancel')!.click()

  await expect.poll(() => card.querySelector('[data-kind="primary"]')?.textContent).toBe('Approve')
  card.querySelector<HTMLButtonElement>('[data-kind="primary"]')!.click()
  await expect.poll(() => adapter.answers.length).toBe(1)
  const rest = await commands.answerAgent(id, adapter.answers[0]!.id, { approved: true })
  adapter.say(...rest.chunks)
  adapter.close()
  expect(rest.file).toBe('export const retries = 5\n')
  await expect.poll(() => host.textContent).toContain('Done.')
  await expect.poll(() => host.querySelector('.argot-row')!.getAttribute('aria-label')).toContain('Wrote config.ts')
  expect(host.querySelector('.argot-approval')).toBeNull()
  expect(JSON.stringify(store.conversation.messages())).not.toContain('"facts"')
})
