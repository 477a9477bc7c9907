import { createAgent } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { expect, test } from 'vitest'
import { scriptedModel } from '../scripted-model.ts'
import { fakeTool } from './fake-tools.ts'

test('a message of caret blocks has exactly one call, and what follows it is kept and not run', async () => {
  const look = fakeTool('look', 'read')
  const block = (a: string) => `^^^look\na: ${a}\n^^^\n`
  const model = scriptedModel([`${block('one')}${block('two')}And more.`, 'Done.'])
  const { result } = createAgent({ model, syntax: 'caret', tools: [look], env: {} }).run('Go')
  const { status, text, message } = await result
  expect([status, text, look.inputs]).toEqual(['done', 'Done.', [{ a: 'one' }]])
  expect(toolCalls(message!)).toHaveLength(1)
  expect(JSON.stringify(model.asked[1]?.prompt)).not.toContain('two')
})
