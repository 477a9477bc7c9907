import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore, runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

const source = '<config show_tool_call/>\n<tool name="save"/>\n\n<user>\nSave it.\n</user>\n'
const saves = [...call('c1', 'save', { a: 'x' }), finish('tool-calls')]

async function place(text = source) {
  const folder = await documentFolder({ 'chat.chatmd': text })
  let time = Date.UTC(2026, 0, 1)
  const pass = (ms: number): void => {
    time += ms
  }
  const save = fakeTool('save', 'write', () => {
    pass(40)
    return 'saved'
  })
  const options = {
    ...{ env: {}, cwd: folder, configFolder: join(folder, 'config'), tools: [save], now: () => time },
    store: folderStore(folder, { key: Buffer.alloc(32, 1) }),
  }
  const msOf = async (): Promise<string | undefined> =>
    /"ms":"(\d+)"/.exec(await readFile(join(folder, '.chatmd/sidecars/chat.chatmd.jsonl'), 'utf8'))?.[1]
  return { options, folder, pass, msOf }
}

test('`ms` of a result is the time of the tool: a person who thinks for an hour is not in it', async () => {
  const { options, pass, msOf } = await place()
  const ask = async (): Promise<{ approved: true }> => {
    pass(3_600_000)
    return { approved: true }
  }
  await follow(runDocument('chat.chatmd', { ...options, ask, model: scriptedModel([saves, 'Done.']) }))
  expect(await msOf()).toBe('40')
})

test('nor the days until the answer to a run that was parked, in another process', async () => {
  const { options, pass, msOf } = await place()
  const parked = await follow(
    runDocument('chat.chatmd', { ...options, ask: async () => undefined, model: scriptedModel([saves]) }),
  )
  expect(parked.result.status).toBe('parked')
  pass(200_000_000)
  const ask = async (): Promise<{ approved: true }> => ({ approved: true })
  await follow(runDocument('chat.chatmd', { ...options, ask, model: scriptedModel(['Done.']) }))
  expect(await msOf()).toBe('40')
})

const asks = [...call('c1', 'ask_user', { question: 'Which?' }), finish('tool-calls')]

test('nor the time until a person has answered a question of the model', async () => {
  const { options, pass, msOf } = await place(source.replace('save', 'ask_user'))
  const runClientTool = async (): Promise<{ output: string }> => {
    pass(3_600_000)
    return { output: 'this' }
  }
  const model = scriptedModel([asks, 'Done.'])
  await follow(runDocument('chat.chatmd', { ...options, tools: [], runClientTool, model }))
  expect(await msOf()).toBe('0')
})

test('nor the days until somebody answered it in another process', async () => {
  const { options, pass, msOf } = await place(source.replace('save', 'ask_user'))
  await follow(runDocument('chat.chatmd', { ...options, tools: [], model: scriptedModel([asks]) }))
  pass(200_000_000)
  const runClientTool = async (): Promise<{ output: string }> => ({ output: 'this' })
  await follow(runDocument('chat.chatmd', { ...options, tools: [], runClientTool, model: scriptedModel(['Done.']) }))
  expect(await msOf()).toBe('0')
})

test('nor the time until the calls before it are over', async () => {
  const { options, folder, pass } = await place()
  const save = fakeTool('save', 'write', () => {
    pass(5000)
    return 'saved'
  })
  const two = [...call('c1', 'save', { a: 'x' }), ...call('c2', 'save', { a: 'y' }), finish('tool-calls')]
  const model = scriptedModel([two, 'Done.'])
  await follow(runDocument('chat.chatmd', { ...options, tools: [save], approve: 'all', model }))
  const text = await readFile(join(folder, '.chatmd/sidecars/chat.chatmd.jsonl'), 'utf8')
  expect([...text.matchAll(/"ms":"(\d+)"/g)].map(([, ms]) => ms)).toEqual(['5000', '5000'])
})
