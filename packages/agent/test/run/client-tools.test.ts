import { join } from 'node:path'
import { createAgent, defineTool, folderStore, runDocument } from '@argot/agent'
import { toolCalls, userMessage } from '@argot/core'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const source = '<config show_tool_call/>\n<tool name="ask_user"/>\n\n<user>\nPaint it.\n</user>\n'
const question = { question: 'Which colour?', options: ['red', 'blue'] }
const asks = [...call('c1', 'ask_user', question), finish('tool-calls')]

async function parked() {
  const folder = await documentFolder({ 'chat.chatmd': source })
  const options = {
    env: {},
    configFolder: join(folder, 'config'),
    store: folderStore(folder, { key: Buffer.alloc(32, 1) }),
  }
  const first = await follow(runDocument('chat.chatmd', { ...options, id: 'run-1', model: scriptedModel([asks]) }))
  return { folder, options, first }
}

test('a question to the user parks the run, and its answer through the inbox continues it', async () => {
  const { folder, options, first } = await parked()
  expect(first.result.status).toBe('parked')
  expect(await options.store.logs.find('run-1')).toMatchObject({ state: 'waiting' })
  await options.store.inbox.post('run-1', { id: 'o1', type: 'output', toolCallId: 'c1', output: 'blue' })
  await options.store.inbox.post('run-1', { id: 'o2', type: 'output', toolCallId: 'c1', output: 'red' })
  const model = scriptedModel(['Blue it is.'])
  const second = await follow(runDocument('chat.chatmd', { ...options, model }))
  expect(second.result).toMatchObject({ status: 'done', text: 'Blue it is.' })
  const [message] = (await readMessages(join(folder, 'chat.chatmd'))).slice(-1)
  expect(toolCalls(message!).map(({ output }) => output)).toEqual(['blue'])
  expect(await options.store.logs.find('run-1')).toMatchObject({ state: 'ended' })
})

test('why there is no answer is told to the model as the error of the call', async () => {
  const { options } = await parked()
  await options.store.inbox.post('run-1', { id: 'o1', type: 'output', toolCallId: 'c1', errorText: 'Skipped.' })
  const model = scriptedModel(['Then not.'])
  const { result } = await follow(runDocument('chat.chatmd', { ...options, model }))
  expect(result.status).toBe('done')
  expect(JSON.stringify(model.asked[0]!.prompt)).toContain('Skipped.')
})

test('a run that waits takes the output while it runs, the first one only', async () => {
  const pick = defineTool({ name: 'pick', description: 'Picks.', inputSchema: { type: 'object' }, effect: 'read' })
  const model = scriptedModel([[...call('c1', 'pick', {}), finish('tool-calls')], 'Picked.'])
  const run = createAgent({ model, tools: [pick], ask: 'wait', env: {} }).run('Go')
  let given: boolean[] = []
  for await (const chunk of run) {
    if (chunk.type !== 'tool-input-available') continue
    given = [run.giveOutput('c1', { errorText: 3 } as never), run.giveOutput('c1', { output: 7 })]
    given.push(run.giveOutput('c1', { output: 8 }))
  }
  expect(given).toEqual([false, true, false])
  expect(
    (await run.result).message?.parts.filter(part => part.type === 'dynamic-tool' || part.type === 'tool'),
  ).toMatchObject([{ toolInvocation: { output: 7 } }])
})

test('a function can run client tools where the run is', async () => {
  const model = scriptedModel([asks, 'Fine.'])
  const folder = await documentFolder({ 'chat.chatmd': source })
  const { result } = await follow(
    runDocument('chat.chatmd', {
      ...{ model, cwd: folder, env: {}, configFolder: join(folder, 'config') },
      runClientTool: async ({ input }) => ({ output: (input as typeof question).options[0] }),
    }),
  )
  expect(result.status).toBe('done')
  expect(JSON.stringify(model.asked[1]!.prompt)).toContain('red')
})

test('a process that leaves a run writes nothing more, and the next one continues the same run', async () => {
  const folder = await documentFolder({ 'chat.chatmd': '<user>\nTell.\n</user>\n' })
  const options = {
    env: {},
    configFolder: join(folder, 'config'),
    store: folderStore(folder, { key: Buffer.alloc(32, 1) }),
  }
  const leave = new AbortController()
  const model = scriptedModel(['One two three four.'], {
    before: part => (part.type === 'text-delta' && part.delta.startsWith('three') ? leave.abort() : undefined),
  })
  const left = await follow(runDocument('chat.chatmd', { ...options, id: 'run-1', model, leave: leave.signal }))
  expect(left.result).toMatchObject({ status: 'failed', code: 'RUN_LEFT' })
  expect(await options.store.logs.find('run-1')).toMatchObject({ state: 'interrupted' })
  const log = await options.store.logs.read('run-1')
  expect(log!.lines.map(line => line.chunk.type)).not.toContain('abort')
  const next = runDocument('chat.chatmd', { ...options, model: scriptedModel(['All of it.']) })
  const { result } = await follow(next)
  expect(next.id).toBe('run-1')
  expect(result).toMatchObject({ status: 'done', text: 'All of it.' })
})

test('a message that the document has already is not added again', async () => {
  const folder = await documentFolder({ 'chat.chatmd': '' })
  const options = { env: {}, configFolder: join(folder, 'config'), cwd: folder }
  const input = { ...userMessage('Hello.'), id: 'user-7' }
  const leave = new AbortController()
  const stopping = scriptedModel(['x'], { before: () => leave.abort() })
  await follow(runDocument('chat.chatmd', { ...options, input, model: stopping, leave: leave.signal }))
  const { result } = await follow(runDocument('chat.chatmd', { ...options, input, model: scriptedModel(['Hi.']) }))
  expect(result).toMatchObject({ status: 'done', text: 'Hi.' })
  expect((await readMessages(join(folder, 'chat.chatmd'))).map(({ role }) => role)).toEqual(['user', 'assistant'])
})
