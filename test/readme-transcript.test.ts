import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

test('the transcript in the README is one that a run has written', () => {
  const [, block] = /## A transcript\n[\s\S]*?```chatmd\n([\s\S]*?)\n```/.exec(read('README.md')) ?? []
  const files = JSON.parse(read('fixtures/versions/document-2.json')) as Record<string, string>
  expect(block?.length).toBeGreaterThan(100)
  expect(files['chat.chatmd']).toContain(block)
})
