import { createAgent } from '@argot/agent'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { fakeTool } from './fake-tools.ts'

/** Runs the calls of one step with tools that note when they start and end. */
async function orderOf(...calls: readonly [tool: string, name: string][]): Promise<string[]> {
  const order: string[] = []
  const noted = async ({ a }: Record<string, unknown>): Promise<void> => {
    order.push(`${a} starts`)
    for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
    order.push(`${a} ends`)
  }
  const tools = [fakeTool('look', 'read', noted), fakeTool('change', 'write', noted), fakeTool('start', 'exec', noted)]
  const parts = calls.flatMap(([tool, name]) => call(name, tool, { a: name }))
  const model = scriptedModel([[...parts, finish('tool-calls')], 'Done.'])
  await createAgent({ model, tools, approve: 'all', env: {} }).run('Go').result
  return order
}

test.each(['change', 'start'])(
  'a call that reads after one that changes something (%s) sees what that did',
  async tool => {
    const order = await orderOf([tool, 'first'], ['look', 'second'])
    expect(order).toEqual(['first starts', 'first ends', 'second starts', 'second ends'])
  },
)

test('a call that reads before one that changes something does not wait for it', async () => {
  const order = await orderOf(['look', 'first'], ['change', 'second'], ['look', 'third'])
  expect(order.indexOf('first starts')).toBe(0)
  expect(order.indexOf('second ends')).toBeLessThan(order.indexOf('third starts'))
})

test('calls that read after the same change read at the same time', async () => {
  const order = await orderOf(['change', 'first'], ['look', 'second'], ['look', 'third'])
  expect(order.slice(2, 4)).toEqual(['second starts', 'third starts'])
})
