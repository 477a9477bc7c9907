import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { checkDocument, previewDocument } from '@argot/agent/workshop'
import type { Diagnostic } from '@argot/core'
import { expect, test } from 'vitest'
import { scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

const user = '\n<user>\nGo.\n</user>\n'

async function open(files: Record<string, string>, options: RunOptions = {}) {
  const folder = await documentFolder(files)
  const shared: RunOptions = { cwd: folder, configFolder: join(folder, 'config'), env: {}, ...options }
  const path = join(folder, 'chat.chatmd')
  const check = async () => checkDocument({ file: path, text: await readFile(path, 'utf8') }, shared)
  const run = (more: RunOptions = {}) => follow(runDocument('chat.chatmd', { ...shared, ...more }))
  return { folder, path, check, run }
}

const places = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ code, range }) => `${code} ${range?.start.line}:${range?.start.column}`)

/** What a run refuses before it asks a model: the source, and what is said where. */
const refused: [what: string, source: string, said: string[]][] = [
  ['an unknown tool', `<tool name="read_fle"/>${user}`, ['TOOL_UNKNOWN 1:1']],
  ['a tool that takes the name of another', `<tool name="grep" command="rg"/>${user}`, ['TOOL_NAME_TAKEN 1:1']],
  ['an unknown syntax', `<config tool_syntax="yaml"/>${user}`, ['SYNTAX_UNKNOWN 1:9']],
  ['an unknown api', `<config model="m" api="nobody"/>${user}`, ['MODEL_UNKNOWN_PROVIDER 1:19']],
  ['a model of nobody', `<config model="nobody:x"/>${user}`, ['MODEL_UNKNOWN_PROVIDER 1:9']],
  ['a provider without a model', `<config model="ollama:"/>${user}`, ['MODEL_MISSING_NAME 1:9']],
  ['a recording that is not there', `<config model="replay:gone.jsonl"/>${user}`, ['CHATMD_FILE_NOT_FOUND 1:9']],
  ['an empty effort', `<config reasoning_effort=""/>${user}`, ['CHATMD_BAD_VALUE 1:9']],
  ['an effort of several words', `<config reasoning_effort="a lot"/>${user}`, ['CHATMD_BAD_VALUE 1:9']],
  ['too many steps', `<config max_steps="5000"/>${user}`, ['SETTINGS_BAD_VALUE 1:9']],
  ['an agent that is not there', `<tool name="a" agent="gone.chatmd" local/>${user}`, ['CHATMD_FILE_NOT_FOUND 1:1']],
  ['an agent without local', `<tool name="a" agent="a.chatmd"/>${user}`, ['CHATMD_BAD_ADDRESS 1:1']],
  [
    'an agent in a private network',
    `<tool name="a" agent="http://10.1.1.1/a"/>${user}`,
    ['CHATMD_PRIVATE_ADDRESS 1:1'],
  ],
  [
    'an agent that is not a document',
    `<tool name="a" agent="broken.chatmd" local/>${user}`,
    ['CHATMD_AGENT_FAILED 1:1'],
  ],
  [
    'an agent that could not run, as a tool',
    `<tool name="a" agent="sub.chatmd" local/>${user}`,
    ['CHATMD_AGENT_FAILED 1:1'],
  ],
  [
    'an agent that imports what is not there, as a tool',
    `<tool name="a" agent="imports.chatmd" local/>${user}`,
    ['CHATMD_AGENT_FAILED 1:1'],
  ],
  [
    'an agent of an agent that could not run, as tools',
    `<tool name="a" agent="outer.chatmd" local/>${user}`,
    ['CHATMD_AGENT_FAILED 1:1'],
  ],
  [
    'a variable that is not for servers',
    `<tool mcp_server="https://a.example/" token_env="HOME"/>${user}`,
    ['SETTINGS_ENV_NOT_ALLOWED 1:1'],
  ],
  ['an agent with a name that no provider takes', `<tool name="a b" agent="a" local/>${user}`, ['TOOL_BAD_NAME 1:1']],
  ['a command that does not end', `<tool name="a" command='rg "x'/>${user}`, ['TOOL_BAD_COMMAND 1:1']],
  ['a module that is not there', `<tool name="a" module="./gone.mjs"/>${user}`, ['TOOL_BAD_MODULE 1:1']],
  ['a server that is none', `<tool mcp_server="ftp://a.example"/>${user}`, ['MCP_BAD_SERVER 1:1']],
  ['a server in a private network', `<tool mcp_server="http://127.0.0.1:9/"/>${user}`, ['CHATMD_PRIVATE_ADDRESS 1:1']],
  ['a local name of a server', `<tool mcp_server="http://localhost/"/>${user}`, ['CHATMD_PRIVATE_ADDRESS 1:1']],
  ['a file that is not there', '<user>\n<doc src="gone.md" local/>\n</user>\n', ['CHATMD_FILE_NOT_FOUND 2:1']],
  ['a file without local', '<user>\n<doc src="notes.md"/>\n</user>\n', ['CHATMD_BAD_ADDRESS 2:1']],
  ['a private page', '<user>\n<doc src="http://192.168.1.1/"/>\n</user>\n', ['CHATMD_PRIVATE_ADDRESS 2:1']],
  ['a private image', '<user>\n<img src="http://[::1]/a.png"/>\n</user>\n', ['CHATMD_PRIVATE_ADDRESS 2:1']],
  ['an image that is not there', '<user>\n<img src="gone.png" local/>\n</user>\n', ['CHATMD_FILE_NOT_FOUND 2:1']],
  [
    'an agent in the text that is not there',
    '<user>\n<agent src="gone.chatmd" local>x</agent>\n</user>\n',
    ['CHATMD_FILE_NOT_FOUND 2:1'],
  ],
  [
    'an agent in the text that could not run',
    '<user>\n<agent src="sub.chatmd" local>x</agent>\n</user>\n',
    ['CHATMD_AGENT_FAILED 2:1'],
  ],
  [
    'several things at once',
    `<config tool_syntax="yaml"/>\n<tool name="nope"/>${user}<user><doc src="x"/></user>\n`,
    ['SYNTAX_UNKNOWN 1:9', 'TOOL_UNKNOWN 2:1', 'CHATMD_BAD_ADDRESS 6:7'],
  ],
]

test.each(refused)(
  '%s is said by check and refused by run, with the same code at the same place',
  async (_, source, said) => {
    const files = {
      'broken.chatmd': '<user>\nHi',
      'sub.chatmd': `<tool name="nope"/>${user}`,
      'imports.chatmd': '<user>\n<import src="gone.md"/>\n</user>\n',
      'outer.chatmd': `<tool name="inner" agent="sub.chatmd" local/>${user}`,
    }
    const { check, run } = await open({ 'chat.chatmd': source, ...files })
    const { diagnostics } = await check()
    expect(places(diagnostics)).toEqual(said)
    expect(diagnostics.every(({ severity, cure }) => severity === 'error' && cure !== undefined)).toBe(true)
    const { result } = await run()
    expect(result.status).toBe('failed')
    const told = result.status === 'failed' ? (result.diagnostics ?? []) : []
    expect(places(told)).toEqual(said)
    expect(told.map(({ message }) => message)).toEqual(diagnostics.map(({ message }) => message))
  },
)

test('a document that a run takes has nothing to fix, whatever keys and servers this machine has', async () => {
  const { check } = await open({
    'chat.chatmd': `<config model="llama3:8b" api="ollama" reasoning_effort="low"/>
<tool name="read_file"/>
<tool name="rg" command="rg --json"/>
<tool name="helper" agent="sub.chatmd" local/>
<tool name="far" agent="https://example.org/a.chatmd"/>
<tool mcp_server="https://example.org/mcp"/>
<tool mcp_server="stdio:no-such-program 'a b'"/>

<user>
<doc src="https://example.org/page"/> <img src="https://example.org/a.png"/> <agent src="sub.chatmd" local>x</agent>
</user>
`,
    'sub.chatmd': '<system>\nHelp.\n</system>\n',
  })
  expect((await check()).diagnostics).toEqual([])
})

test('agents that are tools of each other, and one whose parameters come with the call, have nothing to fix', async () => {
  const { check } = await open({
    'chat.chatmd': `<tool name="a" agent="a.chatmd" local/>\n<tool name="b" agent="b.chatmd" local/>${user}`,
    'a.chatmd': `<tool name="b" agent="b.chatmd" local/>\n<tool name="self" agent="a.chatmd" local/>${user}`,
    'b.chatmd': `<config params="topic"/>\n<tool name="a" agent="a.chatmd" local/>\n<user>\n{{topic}}\n</user>\n`,
  })
  expect((await check()).diagnostics).toEqual([])
})

test('a variable that the user allows is not asked about', async () => {
  const source = `<tool mcp_server="https://a.example/" token_env="MY_TOKEN"/>${user}`
  const { check } = await open({ 'chat.chatmd': source }, { allowEnv: ['MY_TOKEN'] })
  expect((await check()).diagnostics).toEqual([])
})

test('a tool of a module that is given for the run, and of a program, is not unknown', async () => {
  const source = `<tool name="mine"/>${user}`
  const withModule = await open({ 'chat.chatmd': source, 'tools.mjs': '' }, { toolModules: ['tools.mjs'] })
  expect((await withModule.check()).diagnostics).toEqual([])
  const without = await open({ 'chat.chatmd': source })
  expect(places((await without.check()).diagnostics)).toEqual(['TOOL_UNKNOWN 1:1'])
})

test('agents that lead to each other end, and each file is looked at once', async () => {
  const files: Record<string, string> = {}
  const calls = (from: number) =>
    Array.from({ length: 10 }, () => `<agent src="${from}.chatmd" local>x</agent>`).join('\n')
  for (let i = 0; i < 6; i++) files[`${i}.chatmd`] = `<user>\n${i === 5 ? 'Hi.' : calls(i + 1)}\n</user>\n`
  const { check } = await open({ 'chat.chatmd': `<user>\n${calls(0)}\n</user>\n`, ...files })
  expect((await check()).diagnostics).toEqual([])
  const circle = await open({
    'chat.chatmd': '<user>\n<agent src="a.chatmd" local>x</agent>\n</user>\n',
    'a.chatmd': '<user>\n<agent src="chat.chatmd" local>x</agent>\n</user>\n',
  })
  expect(places((await circle.check()).diagnostics)).toEqual(['CHATMD_AGENT_FAILED 2:1'])
})

test('what a settings file says wrong is said without a place', async () => {
  const { check } = await open({ 'chat.chatmd': user, 'argot.config.json': '{ "modle": "demo" }' })
  expect((await check()).diagnostics).toMatchObject([{ code: 'SETTINGS_UNKNOWN_KEY', severity: 'error' }])
})

test('a source of an answered turn that has changed is a hint at its element, and the run keeps what was sent', async () => {
  const source = '<user>\nRead <doc src="notes.md" local/> and <doc src="more.md" local/>.\n</user>\n'
  const { folder, check, run } = await open({ 'chat.chatmd': source, 'notes.md': 'old', 'more.md': 'old' })
  await run({ model: scriptedModel(['Read.']) })
  expect((await check()).diagnostics).toEqual([])
  await writeFile(join(folder, 'notes.md'), 'new')
  await rm(join(folder, 'more.md'))
  expect((await check()).diagnostics).toMatchObject([
    {
      code: 'CHATMD_SOURCE_CHANGED',
      severity: 'info',
      message: '`notes.md` changed after it was sent.',
    },
    {
      code: 'CHATMD_SOURCE_CHANGED',
      severity: 'info',
      message: '`more.md` was removed after it was sent.',
    },
  ])
  expect(places((await check()).diagnostics)).toEqual(['CHATMD_SOURCE_CHANGED 2:6', 'CHATMD_SOURCE_CHANGED 2:38'])
})

test('a run says what check warns about, once and before it asks the model', async () => {
  const { run } = await open({
    'chat.chatmd': '<config model="m" colour="red"/>\n<tool name="grep"/>\n<tool name="grep"/>\n<user>\nGo.\n</user>\n',
  })
  const warned: string[][] = []
  const model = scriptedModel(['Done.'])
  const { result } = await run({
    model,
    warn: (warnings, sources) => {
      expect(model.asked).toEqual([])
      expect([...sources.values()].join('')).toContain('colour')
      warned.push(places(warnings))
    },
  })
  expect(result.status).toBe('done')
  expect(warned).toEqual([['CHATMD_UNKNOWN_ATTRIBUTE 1:19', 'CHATMD_DUPLICATE_TOOL 3:1']])
})

test('an empty document is not wrong, and a hint says that it has nothing to answer', async () => {
  const { check } = await open({ 'chat.chatmd': '\n' })
  expect((await check()).diagnostics).toEqual([
    expect.objectContaining({ code: 'RUN_NOTHING_TO_ANSWER', severity: 'info', cure: 'Write a `<user>`.' }),
  ])
})

test('an effort that is not known is a warning, and the model gets it', async () => {
  const source = `<config model="ollama:gpt-oss" reasoning_effort="ultra"/>${user}`
  const folder = await documentFolder({ 'chat.chatmd': source })
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config') }
  const { diagnostics } = await checkDocument({ file: 'chat.chatmd', text: source }, shared)
  expect(diagnostics).toMatchObject([
    { code: 'CHATMD_BAD_VALUE', severity: 'warning', cure: expect.stringContaining('accept any value') },
  ])
  const { request } = await previewDocument('chat.chatmd', shared)
  expect(JSON.stringify(request)).toContain('"reasoningEffort":"ultra"')
  const wrong = await checkDocument({ file: 'chat.chatmd', text: source.replace('ultra', 'hihg') }, shared)
  expect(wrong.diagnostics).toMatchObject([{ cure: 'Did you mean `high`?' }])
})
