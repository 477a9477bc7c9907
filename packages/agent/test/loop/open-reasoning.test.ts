import { join } from 'node:path'
import { type ApprovalRequest, createAgent, runDocument } from '@argot/agent'
import { hermes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { documentFolder, follow } from '../run/document-folder.ts'
import { finish, scriptedModel } from '../scripted-model.ts'
import { fakeTool } from './fake-tools.ts'

const source = hermes.format({ toolCallId: 'c1', toolName: 'look', input: { a: 'x' } })
const inText = `<think>I look.\n${source}\n`
const asField = [
  { type: 'reasoning-start', id: 'r' } as const,
  { type: 'reasoning-delta', id: 'r', delta: `I look.\n${source}\n` } as const,
  { type: 'reasoning-end', id: 'r' } as const,
  finish(),
]

const look = () => fakeTool('look', 'read', () => 'seen')

test.each([
  ['text', inText],
  ['a field', asField],
])('a call in open reasoning, sent as %s, is asked about under `ask` although it only reads', async (_, reply) => {
  const tool = look()
  const asked: ApprovalRequest[] = []
  const ask = async (request: ApprovalRequest) => {
    asked.push(request)
    return { approved: true }
  }
  const model = scriptedModel([reply, 'Done.'])
  const { chunks, result } = await follow(
    createAgent({ model, syntax: 'hermes', tools: [tool], env: {}, ask }).run('Look'),
  )
  expect(result).toMatchObject({ status: 'done', text: 'Done.' })
  expect(asked).toMatchObject([{ toolName: 'look', effect: 'read', inReasoning: true }])
  expect(tool.inputs).toEqual([{ a: 'x' }])
  expect(chunks).toContainEqual(
    expect.objectContaining({
      type: 'tool-approval-request',
      providerMetadata: {
        argot: expect.objectContaining({
          facts: expect.objectContaining({ note: "This call is written inside the model's reasoning." }),
        }),
      },
    }),
  )
})

test('a call outside of reasoning only reads and is not asked about', async () => {
  const tool = look()
  const ask = () => Promise.reject(new Error('must not be asked'))
  const model = scriptedModel([`<think>I look.</think>\n${source}\n`, 'Done.'])
  const run = createAgent({ model, syntax: 'hermes', tools: [tool], env: {}, ask }).run('Look')
  expect(await run.result).toMatchObject({ status: 'done' })
  expect(tool.inputs).toHaveLength(1)
})

test.each(['all', 'readonly'] as const)('under `%s` it runs without a question', async approve => {
  const tool = look()
  const model = scriptedModel([inText, 'Done.'])
  await createAgent({ model, syntax: 'hermes', tools: [tool], env: {}, approve }).run('Look').result
  expect(tool.inputs).toHaveLength(1)
})

test('where no one can be asked it is refused, and the model learns why', async () => {
  const tool = look()
  const model = scriptedModel([inText, 'Done.'])
  await createAgent({ model, syntax: 'hermes', tools: [tool], env: {} }).run('Look').result
  expect(tool.inputs).toEqual([])
  expect(JSON.stringify(model.asked[1]?.prompt)).toContain("it is written inside the model's reasoning, so it needs")
})

test('a run that waits for the answer asks again after a restart', async () => {
  const folder = await documentFolder({
    'chat.chatmd': '<config show_tool_call/>\n<tool name="look"/>\n<user>\nLook\n</user>\n',
  })
  const tool = look()
  const options = { cwd: folder, syntax: 'hermes', tools: [tool], env: {}, configFolder: join(folder, 'config') }
  const first = runDocument('chat.chatmd', { ...options, model: scriptedModel([inText]), ask: async () => undefined })
  expect((await follow(first)).result.status).toBe('parked')
  expect(tool.inputs).toEqual([])
  const asked: ApprovalRequest[] = []
  const again = runDocument('chat.chatmd', {
    ...options,
    model: scriptedModel(['Done.']),
    ask: async request => {
      asked.push(request)
      return { approved: true }
    },
  })
  expect((await follow(again)).result.status).toBe('done')
  expect(asked).toMatchObject([{ toolName: 'look', inReasoning: true }])
  expect(tool.inputs).toHaveLength(1)
})
