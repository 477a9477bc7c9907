import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readTasks } from '@argot/agent/internal'
import { describe, expect, test } from 'vitest'
import { inProcess } from './in-process.ts'
import { lamp, MODEL, perfect, serveTrial, talk, tasksIn } from './trial-model.ts'

describe('a task file with a mistake is named, with the field:', () => {
  const set_lamp = lamp.tools[0]!
  test.each<[string, unknown, string]>([
    ['not JSON', '{"prompt": ', 'It is not JSON: Unexpected end of JSON input.'],
    ['a list of numbers', '[1]', ', task 1: The task must be an object.'],
    ['no prompt', { ...lamp, prompt: undefined }, '`prompt` is missing.'],
    ['no calls', { ...lamp, calls: undefined }, '`calls` is missing; write [] if there are none.'],
    ['a misspelt field', { ...lamp, anwser: ['x'] }, 'The task has no field "anwser". Did you mean "answer"?'],
    [
      'an unknown tool',
      { ...lamp, calls: [{ tool: 'set_lamps', input: {} }] },
      '`calls`[0] calls "set_lamps", which isn’t in `tools`.',
    ],
    [
      'a call that its schema refuses',
      { ...lamp, calls: [{ tool: 'set_lamp', input: { level: 'high' } }] },
      '`input` of `calls`[0] can never match: `level` must be an integer, not `"high"`.',
    ],
    [
      'an unknown matcher',
      { ...lamp, calls: [{ tool: 'set_lamp', input: { level: { $like: 4 } } }] },
      '`input` of `calls`[0] can never match: there is no matcher `$like`. The matchers are `$any`, `$oneOf`, `$optional`, `$text`, `$contains`, `$lines`.',
    ],
    [
      'a matcher beside others',
      { ...lamp, calls: [{ tool: 'set_lamp', input: { level: { $any: true, $text: 'x' } } }] },
      '`input` of `calls`[0] can never match: `$any` must be the only key of its object.',
    ],
    [
      'a bad matcher',
      { ...lamp, calls: [{ tool: 'set_lamp', input: { level: { $oneOf: [] } } }] },
      '`input` of `calls`[0] can never match: `$oneOf` must be a list with at least one pattern.',
    ],
    ['a bad order', { ...lamp, order: 'random' }, '`order` must be "given" or "any".'],
    ['a bad answer', { ...lamp, answer: [3] }, '`answer`[0] must be a non-empty string.'],
    [
      'an output and an error',
      { ...lamp, calls: [{ ...lamp.calls[0], error: 'No.' }] },
      '`calls`[0] has an output and an error.',
    ],
    ['a tool twice', { ...lamp, tools: [set_lamp, set_lamp] }, 'Two tools have the same name.'],
    [
      'a tool without a schema',
      { ...lamp, tools: [{ ...set_lamp, inputSchema: 'int' }] },
      '`inputSchema` of `set_lamp` must be a JSON Schema with "type": "object".',
    ],
    [
      'a tool with a bad name',
      { ...lamp, tools: [{ ...set_lamp, name: 'set lamp' }] },
      '"set lamp" is not a valid tool name: use 1 to 64 letters, digits, "_", "." and "-".',
    ],
    [
      'a shared tool that is missing',
      { ...lamp, tools: ['set_lamp'] },
      '`tools` names "set_lamp", which tools.json doesn’t have.',
    ],
    ['too many steps', { ...lamp, maxSteps: 1000 }, '`maxSteps` must be a whole number from 1 to 50.'],
    [
      'nothing that ends',
      { ...lamp, calls: [{ tool: 'set_lamp', input: JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`) }] },
      'The task is nested more than 64 levels deep.',
    ],
  ])('%s', async (_, content, problem) => {
    const folder = await tasksIn({ 'lamp.json': content })
    const args = ['trial', '--model', 'demo', '--tasks', folder]
    const { status, stdout, stderr } = await inProcess(args, { cwd: folder })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr.replaceAll(folder, '.')).toMatch(/^argot: \.\/lamp\.json.* \(TRIAL_BAD_TASK\)\n$/)
    expect(stderr).toContain(problem)
  })

  test('no tasks, two tasks with one name, a file that is too large, a loop of links', async () => {
    const said = async (folder: string): Promise<string> => {
      const { status, stderr } = await inProcess(['trial', '--list', '--tasks', folder], { cwd: folder })
      expect(status).toBe(1)
      return stderr.replaceAll(folder, '.')
    }
    expect(await said(await tasksIn({ 'notes.txt': 'x' }))).toMatchInlineSnapshot(`
      "argot: .: The folder has no tasks. A task is a .json file; docs/trial.md shows one. (TRIAL_BAD_TASK)
      "
    `)
    expect(
      await said(await tasksIn({ 'a.json': { ...lamp, name: 'x' }, 'b.json': { ...lamp, name: 'x' } })),
    ).toMatchInlineSnapshot(`
      "argot: .: Two tasks are called "x". (TRIAL_BAD_TASK)
      "
    `)
    expect(await said(await tasksIn({ 'a.json': `"${'x'.repeat(1_100_000)}"` }))).toMatchInlineSnapshot(`
      "argot: \`./a.json\` is larger than 1 MiB, so it can't be read. (TRIAL_BAD_TASK)
      "
    `)
    const folder = await tasksIn({})
    await symlink('a.json', join(folder, 'a.json'))
    expect(await said(folder)).toMatchInlineSnapshot(`
      "argot: The symbolic links form a loop: ./a.json
      "
    `)
  })
})

test('the task in the docs is one', async () => {
  const page = await readFile(new URL('../../../docs/trial.md', import.meta.url), 'utf8')
  const folder = await tasksIn({ 'docs.json': /```json\n(\{\n {2}"category"[\s\S]*?)```/.exec(page)![1]! })
  const { env } = await serveTrial(await readTasks(folder), perfect)
  const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', 'xml', '--json']
  expect(JSON.parse((await inProcess(args, { cwd: folder, env })).stdout)).toMatchObject({ cases: [{ solved: true }] })
})

test('--list shows the tasks, and asks no model', async () => {
  const folder = await tasksIn({ 'lamp.json': lamp, 'two.json': [talk, { ...talk, name: 'again' }] })
  const { status, stdout } = await inProcess(['trial', '--list', '--tasks', folder], { cwd: folder })
  expect(status).toBe(0)
  expect(stdout).toMatchInlineSnapshot(`
    "lamps
      lamp   Set the lamp to 40.
      two-1  Say hello.
      again  Say hello.
    "
  `)
  const json = await inProcess(['trial', '--list', '--json', '--only', 'again', '--tasks', folder], { cwd: folder })
  expect(JSON.parse(json.stdout)).toMatchObject([{ name: 'again', category: 'lamps', maxSteps: 4 }])
})

test('tasks share the tools of tools.json, and touch nothing', async () => {
  const folder = await tasksIn({ 'lamp.json': { ...lamp, tools: ['set_lamp'] }, 'tools.json': lamp.tools })
  const before = await readdir(folder)
  const { env } = await serveTrial(await readTasks(folder), perfect)
  const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', 'native', '--json']
  const { stdout } = await inProcess(args, { cwd: folder, env })
  expect(JSON.parse(stdout).cases[0].solved).toBe(true)
  expect(await readdir(folder)).toEqual(before)
})

test('a schema cannot hang a trial', async () => {
  const inputSchema = {
    type: 'object',
    properties: { text: { type: 'string', pattern: '^(a+)+$' }, again: { $ref: '#' } },
    required: ['text'],
  }
  const tools = [{ name: 'say', description: 'Says it.', inputSchema }]
  const input = { text: `${'a'.repeat(60)}!`, again: { text: `${'a'.repeat(60)}?` } }
  const folder = await tasksIn({ 'a.json': { ...lamp, tools, calls: [{ tool: 'say', input }], answer: [] } })
  const { env } = await serveTrial(await readTasks(folder), perfect)
  const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', 'native,xml,hermes,caret,callout,fence', '--json']
  const { summary } = JSON.parse((await inProcess(args, { cwd: folder, env })).stdout)
  expect(summary.map(({ solved }: { solved: number }) => solved)).toEqual([1, 1, 1, 1, 1, 1])
})
