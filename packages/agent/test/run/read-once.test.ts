import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { checkDocument, previewDocument } from '@argot/agent/workshop'
import { parseChatMd } from '@argot/core/chatmd'
import { expect, test } from 'vitest'
import { countCalls } from '../count-calls.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder } from './document-folder.ts'

/*
 * The law: one run, check or preview reads the text of its document once, and makes what it needs from that once: the
 * built-in tools and their workspace.
 */

const source = '<config model="demo"/>\n<tool name="read_file"/>\n<tool name="write_file"/>\n<user>\nGo.\n</user>\n'
const read = [...call('c1', 'read_file', { path: 'x.txt' }), finish('tool-calls')]
const write = [...call('c2', 'write_file', { path: 'y.txt', content: 'y' }), finish('tool-calls')]

async function place(): Promise<{ folder: string; file: string; options: RunOptions }> {
  const folder = await documentFolder({ 'a.chatmd': source, 'x.txt': 'x' })
  const options: RunOptions = { cwd: folder, env: {}, configFolder: join(folder, '.config'), sandbox: 'off' }
  return { folder, file: join(folder, 'a.chatmd'), options }
}

async function expectOnce(
  work: () => Promise<unknown>,
  { lexed = 1, tools = 1 }: { lexed?: number; tools?: number } = {},
): Promise<void> {
  const counts = await countCalls(work)
  const names = ['lexer.ts Lexer', 'builtin-tools.ts createBuiltinTools', 'workspace.ts createWorkspace']
  expect(names.map(name => [name, counts.get(name) ?? 0])).toEqual(
    names.map(name => [name, name.startsWith('lexer') ? lexed : tools]),
  )
}

test('a run reads its document once and makes its tools once: new, with calls, continued, copied, parked and answered', async () => {
  const { folder, file, options } = await place()
  const run = async (steps: Parameters<typeof scriptedModel>[0], more: RunOptions, status = 'done') => {
    const { result } = runDocument(file, { ...options, model: scriptedModel(steps), ...more })
    expect(await result).toMatchObject({ status })
  }
  // What is called once is loaded by then: V8 counts what a module calls while it is loaded, too.
  await run(['Warm.'], { output: join(folder, 'warm.chatmd') })
  await expectOnce(() => run([read, 'Read.'], {}))
  await expectOnce(() => run(['Again.'], { input: 'Again.' }))
  await expectOnce(() => run(['Copied.'], { input: 'Copy.', output: join(folder, 'copy.chatmd') }))
  await expectOnce(() => run([write, 'Written.'], { input: 'Write.', ask: async () => undefined }, 'parked'))
  await expectOnce(() => run(['Written.'], { ask: async () => ({ approved: true }) }))
})

test('the next turn of a document reads its sidecar once', async () => {
  const { file, options } = await place()
  const run = (input: string) => runDocument(file, { ...options, model: scriptedModel(['Read.']), input }).result
  await run('Warm.')
  const counts = await countCalls(() => run('Again.'))
  expect(counts.get('sidecar-file.ts readSidecar')).toBe(1)
})

test('a document that is parsed already is not parsed again', async () => {
  const { folder, options } = await place()
  const { document } = parseChatMd(source, { file: join(folder, 'a.chatmd') })
  const run = () => runDocument(document, { ...options, model: scriptedModel([read, 'Read.']) }).result
  await expectOnce(run, { lexed: 0 })
})

test('a check makes no tools at all, and a preview makes them once; both read the document once', async () => {
  const { file, options } = await place()
  await expectOnce(() => checkDocument({ file, text: source }, options), { tools: 0 })
  await expectOnce(() => previewDocument(file, options))
})

test('a preview of a document with errors, or without a model that is there, reads it once too', async () => {
  const { folder, options } = await place()
  const bad = await documentFolder({ 'b.chatmd': '<user>\nGo.\n' })
  const counts = await countCalls(() => previewDocument(join(bad, 'b.chatmd'), { ...options, cwd: bad }))
  expect(counts.get('lexer.ts Lexer')).toBe(1)
  await expectOnce(() => previewDocument(join(folder, 'a.chatmd'), { ...options, model: 'openai:gpt-4o' }))
})
