import { toolCalls } from '@argot/core'
import { expect, test } from 'vitest'
import { createAgent, mcp } from '../../src/index.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { stdioServer } from '../tool/source/odd-servers.ts'

const step = (name: string, input: object = {}) => [...call(`c-${name}`, name, input), finish('tool-calls')]

test('an agent calls the tools of an MCP server, and those that the server adds on the way', async () => {
  const model = scriptedModel([step('echo', { text: 'hi' }), step('grow'), step('grown'), 'Done.'])
  const agent = createAgent({ model, tools: [mcp(stdioServer())], approve: 'all' })
  const { status, message } = await agent.run('Go').result
  expect(status).toBe('done')
  expect(toolCalls(message!).map(one => one.output)).toEqual(['hi', 'grown', 'the new one'])
  const offered = model.asked.map(({ tools }) => tools!.some(tool => tool.name === 'grown'))
  expect(offered).toEqual([false, false, true, true])
})

test('calls of an MCP server are asked about, whatever the server says of itself', async () => {
  const asked: string[] = []
  const model = scriptedModel([step('echo', { text: 'hi' }), 'Done.'])
  const ask = async ({ toolName }: { toolName: string }) => {
    asked.push(toolName)
    return { approved: false as const, reason: 'not today' }
  }
  const agent = createAgent({ model, tools: [mcp(stdioServer())], ask })
  const { message } = await agent.run('Go').result
  expect(asked).toEqual(['echo'])
  expect(toolCalls(message!)[0]!.state).toBe('output-denied')
})

test('a server that is down ends the run with one sentence, before the model is asked', async () => {
  const model = scriptedModel(['Never said.'])
  const agent = createAgent({ model, tools: [mcp(stdioServer()), mcp(stdioServer('dies-at-once'))] })
  expect(await agent.run('Go').result).toMatchObject({
    status: 'failed',
    code: 'MCP_UNREACHABLE',
    error: expect.stringContaining('no licence found'),
  })
  expect(model.asked).toEqual([])
})
