import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore, runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

const source = '<config show_tool_call/>\n<tool name="save"/>\n\n<user>\nSave it.\n</user>\n'
const saves = [...call('c1', 'save', { a: 'x' }), finish('tool-calls')]

async function place() {
  const folder = await documentFolder({ 'chat.chatmd': source })
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
    /<tool_response[^>]* ms="(\d+)"/.exec(await readFile(join(folder, 'chat.chatmd'), 'utf8'))?.[1]
  return { options, pass, msOf }
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
