import { defineTool, withDetails } from '@argot/agent'
import { expect, test } from 'vitest'
import { createRedactor } from '../../src/tool/output/redact.ts'
import { ToolFailure } from '../../src/words/tool-failure.ts'
import { fakeTool } from '../loop/fake-tools.ts'
import { callsThenAnswer, expectReadBack, hostileRun, makePlace } from './hostile-run.ts'

const KEY = 'sk-proj-Zx9/q+7_"quoted"-secret-of-the-user'
const PASSWORD = 'p@ss word/äöü-secret'
const env = {
  ...{ PATH: process.env.PATH, HOME: '/home/me' },
  ...{ OPENAI_API_KEY: KEY, DATABASE_URL: `postgres://me:${encodeURIComponent(PASSWORD)}@host/db` },
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** What a program may print of a secret: as it is, and in every form that can be read back. */
const printed = [KEY, PASSWORD].flatMap(secret => [
  secret,
  JSON.stringify(secret),
  encodeURIComponent(secret),
  base64(secret),
  base64(`x${secret}yz`),
  base64(`xy: ${secret}\n`),
  Buffer.from(secret).toString('base64url'),
])
const all = printed.join(' ')

/** What of it must not be seen, nor a part that would be enough to guess the rest. */
const forbidden = [KEY, PASSWORD].flatMap(secret => [
  secret,
  secret.slice(0, 12),
  encodeURIComponent(secret).slice(0, 16),
  ...['', 'x', 'xy: '].map(before => base64(before + secret).slice(8, -4)),
])

function expectNone(seen: string): void {
  expect(forbidden.filter(form => seen.includes(form))).toEqual([])
}

const document = '<tool name="leak"/>\n<user>\nGo.\n</user>\n'

test.each([
  ['its output', () => `before ${all} after`],
  ['an object', () => ({ a: [{ b: all }], [`key ${KEY}`]: 1, [`key ${PASSWORD}`]: 2 })],
  ['what turns itself into JSON', () => ({ toJSON: () => ({ a: KEY }) })],
  ['an error', () => Promise.reject(new Error(all))],
  ['a failure with a code', () => Promise.reject(new ToolFailure('TOOL_FAILED', all))],
  ['a thrown text', () => Promise.reject(KEY)],
])('a key of the environment is not shown in %s', async (_, give) => {
  for (const source of [document, document.replace('<tool', '<config show_tool_call/>\n<tool')]) {
    const place = await makePlace(source)
    const leak = fakeTool('leak', 'read', give)
    const { seen, result, model } = await hostileRun(place, callsThenAnswer(['leak', {}]), { env, tools: [leak] })
    expectNone(seen)
    expect(JSON.stringify(model.asked[1]!.prompt)).toContain('[redacted: OPENAI_API_KEY]')
    await expectReadBack(place, result)
  }
})

test('nor in previews and details', async () => {
  const place = await makePlace(document)
  const leak = defineTool({
    ...{ name: 'leak', description: 'Leaks.', effect: 'read' },
    inputSchema: { type: 'object' },
    execute: (_, { preview }) => {
      preview(`half way: ${all}`)
      preview({ so: { far: KEY } })
      return withDetails('done', { diff: all, list: [KEY] })
    },
  })
  const { seen, chunks } = await hostileRun(place, callsThenAnswer(['leak', {}]), { env, tools: [leak] })
  expectNone(seen)
  expect(chunks.filter(chunk => JSON.stringify(chunk).includes('[redacted: '))).toHaveLength(3)
})

test('nor by a program that finds it somewhere, at its end or when it takes too long', async () => {
  const place = await makePlace(
    '<tool name="leak" command="node leak.cjs"/>\n<tool name="read_file"/>\n<tool name="grep"/>\n<user>\nGo.\n</user>\n',
    {
      'project/leak.cjs': `const key = require('node:fs').readFileSync('../outside/.env', 'utf8')
process.stdout.write(key); process.stderr.write(Buffer.from(key).toString('base64') + '\\n' + encodeURIComponent(key)); process.exit(3)`,
      'project/config.env': `OPENAI_API_KEY=${KEY}\n`,
      'outside/.env': KEY,
    },
  )
  const steps = callsThenAnswer(
    ['leak', {}],
    ['read_file', { path: 'config.env' }],
    ['grep', { pattern: 'OPENAI' }],
    ['read_file', { path: `x ${'y'}` }],
  )
  const { calls, chunks, model } = await hostileRun(place, steps, {
    env,
    approve: 'all',
    allowExec: true,
    sandbox: 'off',
  })
  // The file of the project itself has the key: what the run shows and keeps of it must not.
  expectNone(JSON.stringify([chunks, calls, model.asked.map(({ prompt }) => prompt)]))
  expect(String(calls[0]!.output)).toMatch(/exit 3/)
  for (const one of calls.slice(0, 3)) expect(String(one.output)).toContain('[redacted: OPENAI_API_KEY]')
})

test('nor where so much of it was printed that the output is cut', async () => {
  const long = `sk-${'0123456789abcdef'.repeat(12)}`
  const many = (separator: string) => Array.from({ length: 6000 }, () => long).join(separator)
  const outputs = [
    many(' '),
    many('\n'),
    many(''),
    { a: many(' ') },
    [many('-'), many('-')],
    `${'x'.repeat(393_200)}${long}`,
  ]
  const leak = fakeTool('leak', 'read', ({ n }) => outputs[Number(n)])
  const fail = fakeTool('fail', 'read', () => {
    throw new Error(many(' '))
  })
  const place = await makePlace(document.replace('<user>', '<tool name="fail"/>\n<user>'))
  const steps = callsThenAnswer(...outputs.map((_, n) => ['leak', { n }] as [string, unknown]), ['fail', {}])
  const { seen, calls } = await hostileRun(place, steps, { env: { MY_TOKEN: long }, tools: [leak, fail] })
  const shown = calls.map(({ output, errorText }) => JSON.stringify(output ?? errorText))
  expect(shown.slice(0, 5).every(one => /\[redacted: MY_TOKEN\].*\[Cut here: /s.test(one))).toBe(true)
  expect(seen.includes(long.slice(0, 20))).toBe(false)
})

test('what looks like a key but is none of the environment stays as it is', async () => {
  const place = await makePlace(document)
  const leak = fakeTool('leak', 'read', () => 'sk-another-key and /home/me')
  const { calls } = await hostileRun(place, callsThenAnswer(['leak', {}]), { env, tools: [leak] })
  expect(calls[0]!.output).toBe('sk-another-key and /home/me')
  expect(createRedactor({})('x')).toBe('x')
})

test('a sub-agent has the same redaction', async () => {
  const place = await makePlace('<tool name="helper" agent="helper.chatmd" local/>\n<user>\nGo.\n</user>\n', {
    'project/helper.chatmd': '<tool name="leak"/>\n<system>\nYou are the helper.\n</system>\n',
  })
  const leak = fakeTool('leak', 'read', () => all)
  const [first, last] = callsThenAnswer(['helper', { input: 'x' }])
  const own = callsThenAnswer(['leak', {}])
  const { seen } = await hostileRun(
    place,
    [
      ({ prompt }) => {
        const steps = JSON.stringify(prompt).includes('You are the helper.') ? own : [first, last]
        return steps[prompt.filter(({ role }) => role === 'tool').length] as string
      },
    ],
    { env, tools: [leak] },
  )
  expect(leak.inputs).toHaveLength(1)
  expectNone(seen)
})
