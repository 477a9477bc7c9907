import { join } from 'node:path'
import { type Run, runDocument } from '@argot/agent'
import { branchDocument } from '@argot/agent/workshop'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const source = '<config show_tool_call/>\n<tool name="look"/>\n\n<user>\nLook.\n</user>\n'
const looks: ScriptedStep = [...text('I look. '), ...call('c', 'look', { a: 'x' }), finish('tool-calls')]

/** Two runs of a document. A message joins the first one while it works. */
async function conversation(): Promise<string> {
  const folder = await documentFolder({ 'chat.chatmd': source })
  let run: Run | undefined
  let looked = 0
  const look = fakeTool('look', 'read', () => {
    if (looked++ === 0) void run!.steer('Be short.')
    return 'seen'
  })
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [look] }
  run = runDocument('chat.chatmd', { ...options, model: scriptedModel([looks, looks, 'It is x.']) })
  await follow(run)
  run = runDocument('chat.chatmd', { ...options, model: scriptedModel([looks, looks, 'Still x.']), input: 'And now?' })
  await follow(run)
  return join(folder, 'chat.chatmd')
}

test('a branch at each message has the messages before it to the last field, and no end of another', async () => {
  const file = await conversation()
  const messages = await readMessages(file)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant'])
  for (let number = 1; number <= messages.length; number++) {
    for (const including of [false, true]) {
      const branch = await branchDocument(file, String(number), { including })
      expect(await readMessages(branch)).toEqual(messages.slice(0, including ? number : number - 1))
    }
  }
})
