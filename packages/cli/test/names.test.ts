import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syntaxes } from '@argot/core/syntax'
import { listSyntaxes } from '@argot/core/syntax/internal'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commandList } from '../src/commands/command-list.ts'
import { folderWith, type Result } from './argot.ts'
import { inProcess } from './in-process.ts'

const user = '<user>\nHi\n</user>\n'

/** What the command says in a folder with these files. */
async function say(
  args: readonly string[],
  { files = {}, env = {} }: { files?: Record<string, string>; env?: Record<string, string> } = {},
): Promise<Result> {
  const folder = await folderWith({ 'chat.chatmd': user, ...files })
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const place = args.map(arg => (arg.endsWith('.chatmd') ? join(folder, arg) : arg))
  const result = await inProcess(place, { cwd: folder, env, input: '' })
  return { ...result, stderr: result.stderr.replaceAll(folder, '.') }
}

const document = (config: string): { files: Record<string, string> } => ({
  files: { 'chat.chatmd': `${config}\n${user}` },
})
const run = ['run', 'chat.chatmd', '-m', 'demo']

describe('a name with a typing error gets "did you mean"', () => {
  test.each<[string, string[], string, Parameters<typeof say>[1]?]>([
    ['a command', ['rnu'], 'no command "rnu". Did you mean "run"?'],
    ['a command whose help is asked for', ['help', 'rnu'], 'Did you mean "run"?'],
    ['an option', ['run', 'chat.chatmd', '--modle', 'demo'], '(Did you mean --model?)'],
    ['a document', ['run', 'chta.chatmd'], 'There is no such file: ./chta.chatmd. Did you mean ./chat.chatmd?'],
    ['a syntax of a run', [...run, '-s', 'hermez'], 'no syntax "hermez". Did you mean "hermes"?'],
    ['a syntax of a question', ['ask', 'Hi', '-m', 'demo', '-s', 'qwen3-codr'], 'Did you mean "qwen3-coder"?'],
    ['an alias', ['parse', '-s', 'gpt-os'], 'Did you mean "gpt-oss"?'],
    ['a syntax to parse', ['parse', '--tool-syntax', 'carret'], 'Did you mean "caret"?'],
    ['a syntax to teach', ['docs', 'chat.chatmd', '-s', 'xlm'], 'Did you mean "xml"?'],
    ['a syntax of a server', ['serve', '-s', 'hermez', '--port', '0'], 'Did you mean "hermes"?'],
    ['a syntax of a proxy', ['proxy', '-s', 'hermez', '--upstream', 'http://127.0.0.1:1'], 'Did you mean "hermes"?'],
    ['a dialect to salvage', [...run, '--salvage-dialect', 'hermez'], 'Did you mean "hermes"?'],
    ['a syntax in a variable', run, 'Did you mean "hermes"?', { env: { ARGOT_TOOL_SYNTAX: 'hermez' } }],
    ['a syntax in settings', run, 'mean "hermes"?', { files: { 'argot.config.json': '{ "toolSyntax": "hermez" }' } }],
    ['a syntax in <config>', run, 'Did you mean "hermes"?', document('<config tool_syntax="hermez"/>')],
    ['an attribute of <config>', ['check', 'chat.chatmd'], 'mean `tool_syntax`?', document('<config syntax="xml"/>')],
    ['another one', ['check', 'chat.chatmd'], 'mean `max_steps`?', document('<config steps="3"/>')],
    ['a format to write', ['convert', 'chat.chatmd', '--to', 'chatmdd'], 'Did you mean chatmd?'],
    ['a file to write', ['convert', 'chat.chatmd', '--to', 'htlm'], 'Did you mean html?'],
    ['a format to read', ['convert', 'chat.chatmd', '--to', 'jsonl', '--from', 'calout'], 'Did you mean callout?'],
    ['a provider', ['run', 'chat.chatmd', '-m', 'opnai:gpt-4o'], 'provider "opnai". Did you mean "openai:gpt-4o"? ('],
    ['a provider of a server', ['serve', '-m', 'opnai:x', '--port', '0'], 'Did you mean "openai:x"?'],
    ['a provider in a variable', ['run', 'chat.chatmd'], 'mean "anthropic:x"', { env: { ARGOT_MODEL: 'antropic:x' } }],
    ['a provider in <config>', ['run', 'chat.chatmd'], 'mean "ollama:x"', document('<config model="olama:x"/>')],
    ['an `api`', ['run', 'chat.chatmd'], 'Did you mean "openai"?', document('<config api="opnai"/>')],
    ['a model of Argot', ['run', 'chat.chatmd', '-m', 'dmeo'], 'Did you mean demo?'],
    ['a recording', ['run', 'chat.chatmd', '-m', 'replya:a.jsonl'], 'Did you mean "replay:a.jsonl"?'],
    ['a tool of a document', run, 'Did you mean `read_file`?', document('<tool name="raed_file"/>')],
    ['a tool of a question', ['ask', 'Hi', '-m', 'demo', '-t', 'raed_file'], 'Did you mean `read_file`?'],
    ['a parameter', [...run, '-p', 'topc=tea'], 'Did you mean `topic`', document('<config params="topic"/>')],
    ['a choice', [...run, '--sandbox', 'reqire'], 'Did you mean require? Allowed choices are auto, require, off.'],
    ['a format of diagnostics', ['check', 'chat.chatmd', '--format', 'jsn'], 'Did you mean json?'],
    ['a mode of approval', [...run, '--approve', 'al'], 'no mode `al`. Did you mean `all`?'],
    ['a mode in settings', run, 'Did you mean `all`?', { files: { 'argot.config.json': '{ "approve": "al" }' } }],
    ['a limit in settings', run, 'Did you mean `one`?', { files: { 'argot.config.json': '{ "limit": "onee" }' } }],
    ['a message', ['branch', 'chat.chatmd', '--at', 'chatmd-00'], 'Did you mean `chatmd-0`?'],
    ['a folder', ['ls', '/tmpp'], 'Did you mean "/tmp"?'],
    ['a page of the manual', ['manual', 'modles'], 'Did you mean "models"?'],
    ['a shell', ['completion', 'fsh'], 'Did you mean "fish"?'],
    ['a provider of a key', ['keys', 'remove', 'opnai'], 'Did you mean `openai`?'],
    ['a key of settings', run, 'Did you mean `model`?', { files: { 'argot.config.json': '{ "modle": "demo" }' } }],
  ])('%s', async (_, args, said, options) => {
    const { status, stderr } = await say(args, options)
    expect(stderr).toContain(said)
    expect(status).toBeGreaterThan(0)
  })
})

test('a tool that --approve names wrongly is said, with the one that was meant', async () => {
  const { stderr } = await say(
    [...run, '--approve', 'ask,wirte_file=none,other=all'],
    document('<tool name="write_file"/>'),
  )
  expect(stderr).toBe('`--approve` names `wirte_file`, but there is no such tool. Did you mean `write_file`?\n')
})

describe('a name that is like no other', () => {
  test.each([
    [['bogus'], 'Commands: run, chat, ask, '],
    [['parse', '-s', 'bogus'], 'Common ones: native, xml, caret, auto, hermes'],
    [['run', 'chat.chatmd', '-m', 'llama3:8b'], 'The providers are openai, '],
    [['run', 'chat.chatmd', '-m', 'llama3:8b'], 'need a provider prefix too: "ollama:llama3:8b"'],
    [
      ['convert', 'chat.chatmd', '--to', 'bogus'],
      'It must be chatmd, callout, ui-messages, jsonl, html, markdown, or a syntax',
    ],
  ])('is told some that there are: %j', async (args, said) => {
    const { stderr } = await say(args)
    expect(stderr).toContain(said)
    expect(stderr).not.toContain('Did you mean')
  })
})

describe('the names of syntaxes', () => {
  test('no help page and no error lists them all', async () => {
    const names = syntaxes.names().filter(name => name.length > 4)
    for (const { name } of commandList) {
      const { stdout } = await say([name, '--help'])
      expect(names.filter(one => stdout.includes(one)).length, name).toBeLessThan(8)
      if (stdout.includes('--syntax <')) expect(stdout.replaceAll(/\s+/g, ' ')).toContain('argot models --syntaxes')
    }
    const { stderr } = await say(['parse', '-s', 'bogus'])
    expect(names.filter(one => stderr.includes(one)).length).toBeLessThan(8)
  })

  test('are all in argot models --syntaxes, with their aliases', async () => {
    expect(
      listSyntaxes()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(syntaxes.names().sort())
    const { status, stdout } = await say(['models', '--syntaxes'])
    expect(status).toBe(0)
    for (const { name, aliases } of listSyntaxes()) {
      expect(stdout).toContain(name)
      for (const alias of aliases) expect([alias, syntaxes.get(alias).name]).toEqual([alias, name])
    }
    const json = JSON.parse((await say(['models', '--syntaxes', '--json'])).stdout)
    expect(json.syntaxes).toContainEqual({ name: 'harmony', aliases: ['gpt-oss'] })
  })
})

test('wrong usage names the help of the command that was used', async () => {
  for (const { name } of commandList) {
    const { stderr } = await say([name, '--bogus'])
    expect(stderr).toContain(`Try \`argot ${name} --help\`.`)
  }
  expect((await say(['bogus'])).stderr).toContain('Try `argot --help`.')
})
