import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const source = '<config show_tool_call/>\n<tool name="look"/>\n\n<user>\nLook twice.\n</user>\n'
const twice = [...call('c1', 'look', { a: 'x' }), ...call('c2', 'look', { a: 'y' }), finish('tool-calls')]

async function answered(document = source) {
  const folder = await documentFolder({ 'chat.chatmd': document })
  const inputs: unknown[] = []
  const look = fakeTool('look', 'read', input => {
    inputs.push(input.a)
    return `${input.a} ${inputs.length}`
  })
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [look] }
  const first = await follow(runDocument('chat.chatmd', { ...options, model: scriptedModel([twice, 'Both seen.']) }))
  expect(first.result.status).toBe('done')
  const file = join(folder, 'chat.chatmd')
  return { folder, file, inputs, options, text: await readFile(file, 'utf8') }
}

test.each([
  [
    'a response that was deleted',
    (text: string) => text.replace(/<tool_response tool_call_id="c1"[\s\S]*?<\/tool_response>\n/, ''),
  ],
  ['a call with state="again"', (text: string) => text.replace('tool_call_id="c1"', 'tool_call_id="c1" state="again"')],
])('%s is made again, and no other call is', async (_, change) => {
  const { file, inputs, options, text: before } = await answered()
  const changed = change(before)
  expect(changed).not.toBe(before)
  await writeFile(file, changed)
  const model = scriptedModel(['Seen again.'])
  const ask = async () => ({ approved: true })
  const { result } = await follow(runDocument('chat.chatmd', { ...options, model, ask }))
  expect(result).toMatchObject({ status: 'done' })
  expect(inputs).toEqual(['x', 'y', 'x'])
  expect(JSON.stringify(model.asked[0]!.prompt)).toContain('x 3')
  const [message] = (await readMessages(file)).slice(-1)
  expect(toolCalls(message!).map(({ output }) => output)).toEqual(['x 3', 'y 2'])
  expect((await readFile(file, 'utf8')).startsWith(changed)).toBe(true)
})

test('a model is told the truth about a result that is not there', async () => {
  const { file, options, text: before } = await answered()
  const changed = before.replace(/<tool_response tool_call_id="c1"[\s\S]*?<\/tool_response>\n/, '')
  await writeFile(file, `${changed}\n<user>\nAnd?\n</user>\n`)
  const model = scriptedModel(['Well.'])
  await follow(runDocument('chat.chatmd', { ...options, model }))
  const prompt = JSON.stringify(model.asked[0]!.prompt)
  expect(prompt).toContain('is not in the transcript')
  expect(prompt).not.toContain("didn't run")
})

test('a call that a person wrote without the name of its message can wait, and is answered later', async () => {
  const folder = await documentFolder({
    'chat.chatmd': `${source}\n<tool_call tool_call_id="h1" function_name="look">\nRAW|\n{"a":"z"}\n|RAW\n</tool_call>\n`,
  })
  const look = fakeTool('look', 'read', ({ a }) => `${a} seen`)
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [look] }
  const parked = await follow(
    runDocument('chat.chatmd', { ...options, model: scriptedModel(['No.']), ask: async () => undefined }),
  )
  expect(parked.result.status).toBe('parked')
  const model = scriptedModel(['It is z.'])
  const { result } = await follow(
    runDocument('chat.chatmd', { ...options, model, ask: async () => ({ approved: true }) }),
  )
  expect(result).toMatchObject({ status: 'done', text: 'It is z.' })
  expect(JSON.stringify(model.asked[0]!.prompt)).toContain('z seen')
})

test('a document with CRLF gets CRLF, and what was said stays exact', async () => {
  const { text: after, file } = await answered(source.replaceAll('\n', '\r\n'))
  expect(after.replaceAll('\r\n', '')).not.toContain('\n')
  const messages = await readMessages(file)
  expect(messages.at(-1)!.parts.at(-1)).toMatchObject({ type: 'text', text: 'Both seen.' })
})

test('an output file that was deleted after a killed run does not bring that run back', async () => {
  const folder = await documentFolder({ 'chat.chatmd': source })
  const look = fakeTool('look', 'read', () => 'seen')
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [look], output: 'out.chatmd' }
  const run = runDocument('chat.chatmd', { ...options, id: 'old', model: scriptedModel([text('The old run.')]) })
  await follow(run)
  const log = join(folder, '.chatmd/runs/out.chatmd/old.jsonl')
  const lines = (await readFile(log, 'utf8')).split('\n')
  // A kill before the end of the step.
  await writeFile(log, `${lines.slice(0, 5).join('\n')}\n`)
  await rm(join(folder, 'out.chatmd'))
  const notices: string[] = []
  const model = scriptedModel(['The new run.'])
  const again = { ...options, id: 'new', model, notice: (said: string) => void notices.push(said) }
  const { result, chunks } = await follow(runDocument('chat.chatmd', again))
  expect(result).toMatchObject({ status: 'done', text: 'The new run.' })
  expect(chunks[0]).toMatchObject({ messageId: 'msg-new' })
  expect(notices.filter(said => said.includes('old'))).toEqual([])
})

test('details of a result are kept beside the document, once', async () => {
  const folder = await documentFolder({
    'chat.chatmd': '<config show_tool_call/>\n<tool name="write_file"/>\n<user>\nGo\n</user>\n',
  })
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), approve: 'all' } as const
  const model = scriptedModel([
    [...call('w1', 'write_file', { path: 'new.md', content: 'hello' }), finish('tool-calls')],
    'Done.',
  ])
  const { result } = await follow(runDocument('chat.chatmd', { ...options, model }))
  const file = join(folder, 'chat.chatmd')
  expect(await readFile(file, 'utf8')).not.toContain('details')
  const sidecar = await readFile(join(folder, '.chatmd/sidecars/chat.chatmd.jsonl'), 'utf8')
  expect(sidecar.match(/"details"/g)).toHaveLength(1)
  expect((await readMessages(file)).at(-1)).toEqual(result.message)
})
