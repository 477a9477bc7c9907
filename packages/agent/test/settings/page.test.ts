import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkSettings } from '../../src/settings/check-settings.ts'

test('the examples of the page are settings files without mistakes', () => {
  const page = readFileSync(new URL('../../../../docs/approvals-and-trust.md', import.meta.url), 'utf8')
  const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text!)
  expect(examples.map(text => checkSettings(JSON.parse(text), 'the page'))).toMatchObject([
    { rules: { deny: ['git(push **)', '*(secrets/**)'] } },
    { model: 'openai:gpt-4o', maxSteps: 20 },
  ])
})
