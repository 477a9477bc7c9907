import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type RunOptions, runDocument } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { toolCalls } from '@argot/core'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

/** As `defineTool` of another copy of the package would make it: only the mark is shared. */
const otherCopy = `const defineTool = tool => Object.defineProperty({ effect: 'read', validate: input => ({ ok: true, input }), ...tool }, Symbol.for('argot.tool'), { value: true })\n`
const module = `${otherCopy}
globalThis.loadedByTest = (globalThis.loadedByTest ?? 0) + 1
export const weather = defineTool({ name: 'weather', description: 'Tells the weather.', inputSchema: { type: 'object' }, execute: async () => ({ output: 'rain' }) })
export default [weather, defineTool({ name: 'tide', description: 'Tells the tide.', inputSchema: { type: 'object' }, execute: async () => ({ output: 'high' }) })]
export const notATool = { name: 'evil', execute() {} }
`

const declared = '<tool module="./tools.mjs" name="weather"/>\n\n<user>\nGo.\n</user>\n'

async function run(source: string, toolName: string, options: RunOptions = {}) {
  const folder = await documentFolder({ 'chat.chatmd': source, 'tools.mjs': module })
  const model = scriptedModel([[...call('c1', toolName, {}), finish('tool-calls')], 'Done.'])
  const shared = { cwd: folder, configFolder: join(folder, 'config'), env: {}, model }
  const { result } = await follow(runDocument('chat.chatmd', { ...shared, ...options }))
  const outputs = toolCalls(result.message ?? { parts: [] }).map(one => one.output ?? one.errorText)
  return { folder, result, outputs, model, shared }
}

test('a document uses a tool that a file beside it exports, and no other tool of that file', async () => {
  const { outputs, model } = await run(declared, 'weather', { allowExec: true })
  expect(outputs).toEqual(['rain'])
  expect(model.asked[0]!.tools!.map(tool => tool.name)).toEqual(['weather'])
})

test('with toolModules all tools of a file are offered, those of lists too', async () => {
  const source = '<user>\nGo.\n</user>\n'
  const { outputs, model } = await run(source, 'tide', { allowExec: true, toolModules: ['tools.mjs'] })
  expect(outputs).toEqual(['high'])
  expect(model.asked[0]!.tools!.map(tool => tool.name)).toEqual(['weather', 'tide'])
})

test('a file is executed once the user has said yes to it as it is, and asked about again when it has changed', async () => {
  const asked: string[] = []
  const trust = async ({
    command,
    identity,
  }: {
    command: string
    identity?: { files: readonly object[] } | undefined
  }) => {
    asked.push(command)
    return identity?.files.length === 1
  }
  const { folder, outputs, shared } = await run(declared, 'weather', { trust })
  expect(asked).toEqual([`module:${join(folder, 'tools.mjs')}`])
  expect(outputs).toEqual(['rain'])
  await follow(runDocument('chat.chatmd', { ...shared, trust, input: 'Again.' }))
  expect(asked).toHaveLength(1)
  await writeFile(join(folder, 'tools.mjs'), `${module}\n// changed`)
  await follow(runDocument('chat.chatmd', { ...shared, trust, input: 'Again.' }))
  expect(asked).toHaveLength(2)
})

test('nothing of a file is executed without a yes, in a listing, or when it lies elsewhere', async () => {
  const counter = globalThis as { loadedByTest?: number }
  const before = counter.loadedByTest
  const refused = await run(declared, 'weather')
  expect(refused.result).toMatchObject({ status: 'failed', code: 'TOOL_NOT_TRUSTED' })
  const listed = await previewDocument(join(refused.folder, 'chat.chatmd'), {
    ...refused.shared,
    model: 'demo',
    allowExec: true,
    toolModules: ['tools.mjs'],
  })
  expect(listed.notices.join('\n')).toContain("listing doesn't execute anything")
  const elsewhere = await documentFolder({ 'tools.mjs': module })
  const outside = declared.replace('./tools.mjs', join(elsewhere, 'tools.mjs'))
  expect((await run(outside, 'weather', { allowExec: true })).result).toMatchObject({
    status: 'failed',
    code: 'TOOL_BAD_MODULE',
  })
  expect(counter.loadedByTest).toBe(before)
})

test.each([
  ['./missing.mjs', 'weather', 'There is no file `./missing.mjs`'],
  ['./tools.mjs', 'wether', 'exports no tool `wether`'],
  ['./tools.mjs', 'evil', 'exports no tool `evil`'],
  ['./broken.mjs', 'weather', 'cannot be loaded: the planned failure.'],
  ['./empty.mjs', 'weather', 'exports no tools'],
  ['./pipe.mjs', 'weather', 'is a pipe, not a file'],
  ['.', 'weather', 'is a folder'],
])('<tool module="%s" name="%s"/> says what is wrong, at its place', async (file, name, words) => {
  const source = `<tool module="${file}" name="${name}"/>\n\n<user>\nGo.\n</user>\n`
  const folder = await documentFolder({
    'chat.chatmd': source,
    'tools.mjs': module,
    'broken.mjs': 'throw new Error("the planned failure")',
    'empty.mjs': 'export const a = 1',
  })
  execFileSync('mkfifo', [join(folder, 'pipe.mjs')])
  const options = { cwd: folder, configFolder: join(folder, 'config'), env: {}, model: scriptedModel(['No.']) }
  const { result } = await follow(runDocument('chat.chatmd', { ...options, allowExec: true }))
  expect(result).toMatchObject({
    status: 'failed',
    code: 'TOOL_BAD_MODULE',
    diagnostics: [{ range: { start: { line: 1 } }, message: expect.stringContaining(words) }],
  })
})

test('what defineTool makes is known as a tool', async () => {
  const folder = await documentFolder({
    'chat.chatmd': declared,
    'tools.mjs': `import { defineTool } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href)}
export const weather = defineTool({ name: 'weather', description: 'Tells.', effect: 'read', inputSchema: { type: 'object' }, execute: () => 'sun' })`,
  })
  const model = scriptedModel([[...call('c1', 'weather', {}), finish('tool-calls')], 'Done.'])
  const options = { cwd: folder, configFolder: join(folder, 'config'), env: {}, model, allowExec: true }
  const { result } = await follow(runDocument('chat.chatmd', options))
  expect(toolCalls(result.message!)[0]!.output).toBe('sun')
})
