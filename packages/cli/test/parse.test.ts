import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import type { SyntaxCost } from '../src/commands/syntax-cost.ts'
import { argot, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

const block = 'Look.\n^^^read_file\npath: a.md\nline_count: 3\n^^^\n'
const tools = JSON.stringify([
  {
    name: 'read_file',
    description: 'Reads a file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, line_count: { type: 'integer' } },
      required: ['path'],
    },
  },
])

describe('argot parse --explain', () => {
  test('says which dialect a reply is in, what is called, what was repaired, and what to use', async () => {
    const input = '<tool_call><function=read_file><parameter=path>a.md</parameter></tool_call>'
    const { status, stdout } = await argot(['parse', '--explain'], { input })
    expect(status).toBe(0)
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'dialect: qwen3-coder',
      'call to read_file: {"path":"a.md"}',
      '  repaired: call-not-closed',
    ])
    expect(stdout).toContain("syntaxes.get('qwen3-coder')")
  })

  const tool = { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } } as const
  const call = { toolCallId: 'call_1', toolName: 'read_file', input: { path: 'a.md' } }
  const texts = syntaxes.names().map(name => syntaxes.get(name))

  test.each(texts.filter(({ kind }) => kind === 'text'))('finds a call of $name without --tools', async syntax => {
    const input = syntax.format(call, tool)
    const { stdout } = await inProcess(['parse', '--explain'], { cwd: tmpdir(), input })
    expect(stdout).toMatch(/^dialect: \S+\ncall to read_file: \{"path":"a\.md"\}/)
    const named = await inProcess(['parse', '--explain', '--syntax', syntax.name], { cwd: tmpdir(), input })
    expect(named.stdout).toContain('call to read_file: {"path":"a.md"}')
  })

  test('says whether the tool of a call without a mark is known, without --tools too', async () => {
    const input = JSON.stringify({ name: 'read_file', arguments: {} })
    const { stdout } = await inProcess(['parse', '--explain'], { cwd: tmpdir(), input })
    expect(stdout).toContain(
      'call to read_file: {}\n  if there is a tool with that name; pass the tools with --tools\n',
    )
    const cwd = await folderWith({ 'tools.json': tools })
    const other = JSON.stringify({ name: 'write_file', arguments: {} })
    const given = await inProcess(['parse', '--explain', '-t', join(cwd, 'tools.json')], { cwd, input: other })
    expect(given.stdout).toContain('call to write_file: {}\n  but there is no tool with that name\n')
  })

  test.each(['Nothing to do.', '<b>Bold</b> and [a link](f(x)).', 'Use print("x").'])(
    'finds no call in %j',
    async input => {
      const { stdout } = await inProcess(['parse', '--explain'], { cwd: tmpdir(), input })
      expect(stdout).toMatch(/^No calls found\. Pass the tools/)
    },
  )

  test('says why there is no call', async () => {
    const folder = await folderWith({ 'tools.json': tools })
    const input = '```\n<tool:read_file><param:path>a.md</param:path></tool:read_file>\n```\n'
    const { stdout } = await argot(['parse', '--explain', '--tools', join(folder, 'tools.json')], { input })
    expect(stdout).toContain('A call to `read_file` is only shown, so it was not run. (SYNTAX_EXAMPLE)')
  })
})

describe('argot parse', () => {
  test('prints the chunks of standard input, one JSON a line', async () => {
    const { status, stdout, stderr } = await argot(['parse', '--syntax', 'caret'], { input: block })
    expect([status, stderr]).toEqual([0, ''])
    const chunks = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(chunks.at(0)).toMatchObject({ type: 'text-start' })
    expect(chunks.find(chunk => chunk.type === 'tool-input-available')).toMatchObject({
      toolName: 'read_file',
      input: { path: 'a.md', line_count: '3' },
    })
  })

  test('reads a file, types values by the tools, and takes --tool-syntax', async () => {
    const folder = await folderWith({ 'reply.txt': block, 'tools.json': tools })
    const { stdout } = await argot([
      'parse',
      '--tool-syntax',
      'caret',
      '--tools',
      join(folder, 'tools.json'),
      join(folder, 'reply.txt'),
    ])
    expect(stdout).toContain('"input":{"path":"a.md","line_count":3}')
  })

  test('takes the syntax from ARGOT_TOOL_SYNTAX', async () => {
    const { stdout } = await argot(['parse'], { input: block, env: { ARGOT_TOOL_SYNTAX: 'caret' } })
    expect(stdout).toContain('tool-input-available')
  })

  test('reports every step with --trace, on stderr', async () => {
    const { stderr, stdout } = await argot(['parse', '-s', 'xml', '--trace'], { input: '<tool:ls></tool:ls>' })
    expect(stderr.split('\n').length).toBeGreaterThan(3)
    expect(stdout).toContain('"toolName":"ls"')
  })

  test('exits with 1 and says why when a call could not be read', async () => {
    const { status, stdout, stderr } = await argot(['parse', '-s', 'caret'], { input: '^^^read_file\npath: a' })
    expect(status).toBe(1)
    expect(stdout).toContain('tool-input-error')
    expect(stderr).toMatch(/couldn't be read/)
  })

  test('an unknown syntax exits with 2 and names common ones', async () => {
    const { status, stderr, stdout } = await argot(['parse', '--syntax', 'yamlish'], { input: block })
    expect([status, stdout]).toEqual([2, ''])
    for (const name of ['native', 'xml', 'caret', 'auto', 'hermes']) expect(stderr).toContain(name)
  })

  test('no syntax at all exits with 2', async () => {
    expect(await argot(['parse'], { input: block })).toMatchObject({ status: 2 })
  })

  test('a file that is not there exits with 1 and one clear sentence', async () => {
    const { status, stderr } = await argot(['parse', '-s', 'xml', 'missing.txt'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^argot: There is no such file: .*missing\.txt\n$/)
  })
})

describe('argot docs', () => {
  test.each(['xml', 'caret', 'callout', 'fence', 'hermes', 'qwen3-coder', 'invoke', 'mistral'])(
    'teaches the tools in %s',
    async name => {
      const folder = await folderWith({ 'tools.json': tools })
      const { status, stdout } = await argot(['docs', '--syntax', name, '--tools', join(folder, 'tools.json')])
      expect(status).toBe(0)
      expect(stdout).toContain('read_file')
      expect(stdout).toContain('Reads a file.')
    },
  )

  test('teaches the tools of a document', async () => {
    const folder = await folderWith({ 'chat.chatmd': '<tool name="read_file"/>\n<user>Hello</user>\n' })
    const { status, stdout } = await argot(['docs', '--syntax', 'caret', join(folder, 'chat.chatmd')])
    expect(status).toBe(0)
    expect(stdout).toContain('^^^read_file')
  })

  test('says what each syntax costs with the tools of a file', async () => {
    const folder = await folderWith({ 'tools.json': tools })
    const { status, stdout, stderr } = await argot(['docs', '--cost', '--tools', join(folder, 'tools.json')])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^syntax +wrapper +lesson\n/)
    for (const name of syntaxes.names()) expect(stdout).toMatch(new RegExp(`^${name} +\\d+ +\\d+$`, 'm'))
    expect(stderr).toContain('Estimated tokens for one tool.')
  })

  test('says what the whole prompt of a document costs, calls and results in each syntax, the cheapest first', async () => {
    const call = `<tool_call tool_call_id="c1" function_name="read_file">RAW|{"path":"${'long/'.repeat(400)}"}|RAW</tool_call>`
    const said = `<user>Look.</user>\n${call}\n<tool_response tool_call_id="c1">gone</tool_response>\n<user>And?</user>\n`
    const folder = await folderWith({
      'chat.chatmd': `<config model="openai:gpt-4o"/>\n<tool name="read_file"/>\n${said}`,
    })
    const { status, stdout } = await argot(['docs', '--cost', '--json', join(folder, 'chat.chatmd')])
    expect(status).toBe(0)
    const found = JSON.parse(stdout) as { estimated: boolean; tools: string[]; costs: SyntaxCost[] }
    expect(found).toMatchObject({ estimated: true, tools: ['read_file'] })
    expect(found.costs.map(({ syntax }) => syntax).sort()).toEqual(syntaxes.names().sort())
    for (const { lesson, prompt } of found.costs) expect(prompt - lesson).toBeGreaterThan(400)
    const prompts = found.costs.map(({ prompt }) => prompt)
    expect(prompts).toEqual([...prompts].sort((a, b) => a - b))
  })

  test('says what one syntax costs, by any of its names', async () => {
    const folder = await folderWith({ 'tools.json': tools })
    const { stdout } = await argot(['docs', '--cost', '-s', 'gpt-oss', '--json', '--tools', join(folder, 'tools.json')])
    expect((JSON.parse(stdout) as { costs: SyntaxCost[] }).costs.map(({ syntax }) => syntax)).toEqual(['harmony'])
  })

  test.each([
    [['--cost'], 'Choose a document, or a file with tools with --tools FILE.'],
    [['-s', 'xml'], 'Choose a document, or a file with tools with --tools FILE.'],
    [['--cost', 'chat.chatmd', '--tools', 'tools.json'], 'not both'],
    [['-s', 'xml', '--json', '--tools', 'tools.json'], '--json needs --cost.'],
    [['--cost', '-s', 'nothing', '--tools', 'tools.json'], 'There is no syntax "nothing".'],
  ])('refuses docs %j', async (args, words) => {
    const { status, stderr } = await argot(['docs', ...args])
    expect(status).toBe(2)
    expect(stderr).toContain(words)
  })

  test('shows what is wrong with a document instead of its costs', async () => {
    const folder = await folderWith({ 'chat.chatmd': '<user>Hello' })
    const { status, stdout, stderr } = await argot(['docs', '--cost', join(folder, 'chat.chatmd')])
    expect(status).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('CHATMD_')
  })

  test('reads the shapes of other makers', async () => {
    const schema = { type: 'object', properties: {} }
    const list = {
      tools: [
        { type: 'function', function: { name: 'one', parameters: schema } },
        { name: 'two', input_schema: schema },
      ],
    }
    const folder = await folderWith({ 'tools.json': JSON.stringify(list) })
    const { stdout } = await argot(['docs', '-s', 'xml', '-t', join(folder, 'tools.json')])
    expect(stdout).toMatch(/one[\s\S]*two/)
  })

  test.each([
    ['not json', 'is not JSON'],
    ['{}', 'must contain a list of tools'],
    ['[{"name":"x"}]', 'has no `inputSchema`'],
    ['[{"inputSchema":{}}]', 'has no `name`'],
  ])('refuses a tool file like %s', async (text, words) => {
    const folder = await folderWith({ 'tools.json': text })
    const { status, stderr } = await argot(['docs', '-s', 'xml', '-t', join(folder, 'tools.json')])
    expect(status).toBe(2)
    expect(stderr).toContain(words)
  })
})

describe('argot', () => {
  test('without a command shows its help', async () => {
    const { status, stdout } = await argot([])
    expect(status).toBe(0)
    for (const name of ['parse', 'docs', 'check', 'fmt', 'convert']) expect(stdout).toContain(name)
  })

  test('with an unknown command exits with 2 and lists the known ones', async () => {
    const { status, stderr } = await argot(['bogus'])
    expect(status).toBe(2)
    expect(stderr).toMatch(/no command "bogus".*run, .*replay, check, fmt, .*convert, .*parse, docs/)
  })

  test('with an unknown option exits with 2', async () => {
    expect(await argot(['parse', '--nope'])).toMatchObject({ status: 2 })
  })

  test.each(['parse', 'docs', 'check', 'fmt', 'convert'])('%s has a help page', async name => {
    const { status, stdout } = await argot([name, '--help'])
    expect(status).toBe(0)
    expect(stdout).toContain(`Usage: argot ${name}`)
  })
})
