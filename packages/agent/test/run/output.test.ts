import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { parseChatMd } from '@argot/core/chatmd'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder, filesBelow, follow } from './document-folder.ts'

const source = '<tool name="save"/>\n\n<user>\nSave it.\n</user>\n'

async function place(text = source) {
  const folder = await documentFolder({ 'chat.chatmd': text })
  const options = { env: {}, cwd: folder, configFolder: join(folder, 'config'), output: 'out/copy.chatmd' }
  return { folder, options, copy: join(folder, 'out/copy.chatmd') }
}

test('a run that is refused before it begins leaves no copy, so it can be started again', async () => {
  const { folder, options } = await place()
  const model = scriptedModel(['Done.'])
  const refused = await follow(runDocument('chat.chatmd', { ...options, model }))
  expect(refused.result).toMatchObject({ status: 'failed', code: 'TOOL_UNKNOWN' })
  expect((await filesBelow(folder)).filter(name => !name.startsWith('config/'))).toEqual(['chat.chatmd'])
  const tools = [fakeTool('save', 'write')]
  const again = await follow(runDocument('chat.chatmd', { ...options, model, tools }))
  expect(again.result).toMatchObject({ status: 'done', text: 'Done.' })
})

test('the copy of a run that was refused stays when there was something in it before', async () => {
  const { options, copy } = await place('<user>\nHi\n</user>\n')
  await follow(runDocument('chat.chatmd', { ...options, model: scriptedModel(['Hello.']) }))
  const { result } = await follow(runDocument('chat.chatmd', { ...options, model: scriptedModel(['Hello.']) }))
  expect(result).toMatchObject({ code: 'RUN_OUTPUT_EXISTS' })
  expect(await readFile(copy, 'utf8')).toContain('Hello.')
})

test.each(['a file', 'a parsed document'])('a transcript that was deleted does not come back: %s', async kind => {
  const { options, copy } = await place()
  const document = kind === 'a file' ? 'chat.chatmd' : parseChatMd(source).document
  const leave = new AbortController()
  const save = fakeTool('save', 'write', () => {
    leave.abort()
    return 'saved'
  })
  const steps = [[...call('c1', 'save', { a: 'x' }), finish('tool-calls')], 'Done.']
  const first = { ...options, tools: [save], approve: 'all', leave: leave.signal } as const
  await follow(runDocument(document, { ...first, model: scriptedModel(steps) }))
  expect(await readFile(copy, 'utf8')).toContain('<tool_call')
  await rm(copy)
  const { leave: _, ...rest } = first
  const { result } = await follow(runDocument(document, { ...rest, model: scriptedModel(['Anew.']) }))
  expect(result).toMatchObject({ status: 'done', text: 'Anew.' })
  const text = await readFile(copy, 'utf8')
  expect(text.startsWith(source)).toBe(true)
  expect(text).not.toContain('<tool_call')
})
