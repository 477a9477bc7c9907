import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkSettings } from '../../src/settings/check-settings.ts'

test('the example of the page is a settings file without mistakes', () => {
  const page = readFileSync(new URL('../../../../docs/approvals-and-trust.md', import.meta.url), 'utf8')
  const [, example] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  expect(checkSettings(JSON.parse(example!), 'the page')).toMatchObject({ model: 'openai:gpt-4o', maxSteps: 20 })
})
