import { defineTool, ToolFailure, withDetails } from '@argot/agent'
import { createShellTool } from '@argot/agent/workshop'
import { ArgotError } from '@argot/core'
import * as v from 'valibot'
import { expect, expectTypeOf, test, vi } from 'vitest'
import { z } from 'zod'
import { callTool, toolContext } from './tool-context.ts'

const described = { name: 'tool', description: 'A tool.' }
const anyObject = { type: 'object' }

test('a zod schema types the input, checks it and is written for the model', async () => {
  const tool = defineTool({
    name: 'add',
    title: 'Add',
    description: 'Adds.',
    effect: 'read',
    timeoutMs: 5,
    inputSchema: z.object({ a: z.number().describe('one'), b: z.coerce.number().default(1) }),
    execute: ({ a, b }, context) => {
      expectTypeOf(a).toEqualTypeOf<number>()
      expectTypeOf(b).toEqualTypeOf<number>()
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
      return a + b
    },
  })
  expect(tool).toMatchObject({ name: 'add', title: 'Add', description: 'Adds.', effect: 'read', timeoutMs: 5 })
  expect(tool.inputSchema).toEqual({
    type: 'object',
    properties: { a: { type: 'number', description: 'one' }, b: { type: 'number', default: 1 } },
    required: ['a'],
  })
  expect(await callTool(tool, { a: 1, b: '2' })).toEqual({ output: 3 })
  expect(await callTool(tool, { a: 1 })).toEqual({ output: 2 })
})

test('a transformed input is what the function gets', async () => {
  const tool = defineTool({
    ...described,
    inputSchema: z.object({ day: z.string().transform(text => new Date(text)) }),
    execute({ day }) {
      expectTypeOf(day).toEqualTypeOf<Date>()
      return day.getUTCFullYear()
    },
  })
  expect(await callTool(tool, { day: '1999-12-31' })).toEqual({ output: 1999 })
})

test('a valibot schema types and checks the input, with a JSON Schema beside it', async () => {
  const tool = defineTool({
    ...described,
    inputSchema: v.object({ word: v.string(), times: v.optional(v.number(), 2) }),
    jsonSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    execute: ({ word, times }) => {
      expectTypeOf(word).toEqualTypeOf<string>()
      expectTypeOf(times).toEqualTypeOf<number>()
      return word.repeat(times)
    },
  })
  expect(tool.inputSchema).toMatchObject({ required: ['word'] })
  expect(await callTool(tool, { word: 'ab' })).toEqual({ output: 'abab' })
  expect(await tool.validate({ word: 1 })).toEqual({
    ok: false,
    problem: 'The input is not what the tool takes: `word`: Invalid type: Expected string but received 1.',
  })
})

test('a schema without JSON Schema is refused with what to do', () => {
  const make = (): unknown => defineTool({ ...described, inputSchema: v.object({}), execute: () => '' })
  expect(make).toThrow(ArgotError)
  expect(make).toThrow(expect.objectContaining({ code: 'TOOL_NO_JSON_SCHEMA' }))
  expect(make).toThrow(
    "The tool tool has no JSON Schema for the model: valibot schemas don't include one. Pass one in the `jsonSchema` option",
  )
})

test('a schema that cannot be written as JSON Schema is refused too', () => {
  const make = (): unknown =>
    defineTool({ ...described, inputSchema: z.object({ a: z.custom<Date>(), b: z.bigint() }), execute: () => '' })
  expect(make).toThrow(expect.objectContaining({ code: 'TOOL_NO_JSON_SCHEMA' }))
})

test('a JSON Schema checks the input, whose type is given by hand or unknown', async () => {
  const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
  const tool = defineTool<{ path: string }>({
    ...described,
    inputSchema,
    execute: input => {
      expectTypeOf(input).toEqualTypeOf<{ path: string }>()
      return input.path
    },
  })
  expect(tool.inputSchema).toBe(inputSchema)
  expect(await callTool(tool, { path: 'a' })).toEqual({ output: 'a' })
  expect(await tool.validate({ path: 1 })).toMatchObject({ ok: false })
  defineTool({ ...described, inputSchema, execute: input => expectTypeOf(input).toEqualTypeOf<unknown>() })
})

test('an effect that is not given counts as write', () => {
  expect(defineTool({ ...described, inputSchema: anyObject, execute: () => '' }).effect).toBe('write')
})

test.each(['', 'a b', 'ä', 'a/b', 'a\n', 'x'.repeat(65)])('the name %j is refused', name => {
  const refused = expect.objectContaining({ name: 'ArgotError', code: 'TOOL_BAD_NAME' })
  expect(() => defineTool({ ...described, name, inputSchema: anyObject, execute: () => '' })).toThrow(refused)
  expect(() => createShellTool({ name, command: 'ls', cwd: '.', env: {} })).toThrow(refused)
})

test.each(['a', 'Read_file.v-2', '__proto__', 'x'.repeat(64)])('the name %j is taken', name => {
  expect(defineTool({ ...described, name, inputSchema: anyObject, execute: () => '' }).name).toBe(name)
})

test.each<[string, unknown, unknown]>([
  ['text', 'a', 'a'],
  ['empty text', '', ''],
  ['nothing', undefined, 'Done.'],
  ['null', null, null],
  ['a number', 0, 0],
  ['a list', [1, 'a', null], [1, 'a', null]],
  ['an object that looks like an outcome', { output: 1, details: 2 }, { output: 1, details: 2 }],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['own names of objects', JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
])('the output may be %s', async (_, given, output) => {
  for (const execute of [() => given, async () => given]) {
    const tool = defineTool({ ...described, inputSchema: anyObject, execute })
    expect(await callTool(tool, {})).toEqual({ output })
  }
})

test.each<[string, unknown]>([
  ['a bigint', 1n],
  ['a function', () => 1],
  ['a symbol', Symbol('a')],
  ['a bigint inside', { a: [1n] }],
])('%s as output is an error that says so', async (_, given) => {
  const tool = defineTool({ ...described, inputSchema: anyObject, execute: () => given })
  await expect(callTool(tool, {})).rejects.toMatchObject({ name: 'ToolFailure', code: 'TOOL_BAD_OUTPUT' })
})

test('a circle as output is an error that says so', async () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  const tool = defineTool({ ...described, inputSchema: anyObject, execute: () => circle })
  await expect(callTool(tool, {})).rejects.toMatchObject({ code: 'TOOL_BAD_OUTPUT' })
})

test('what changes after it was returned does not change the output', async () => {
  const list = [1]
  const tool = defineTool({ ...described, inputSchema: anyObject, execute: () => list })
  const { output } = await callTool(tool, {})
  list.push(2)
  expect(output).toEqual([1])
})

test('withDetails gives the user interface something of its own', async () => {
  const execute = (): unknown => withDetails(undefined, { rows: 3 })
  expect(await callTool(defineTool({ ...described, inputSchema: anyObject, execute }), {})).toEqual({
    output: 'Done.',
    details: { rows: 3 },
  })
  const none = defineTool({ ...described, inputSchema: anyObject, execute: () => withDetails('a', undefined) })
  expect(await callTool(none, {})).toEqual({ output: 'a' })
})

test('a generator shows what it yields and ends with what it returns', async () => {
  const context = toolContext()
  const tool = defineTool({
    ...described,
    inputSchema: z.object({ n: z.number() }),
    async *execute({ n }) {
      for (let i = 1; i <= n; i++) yield { i }
      return withDetails('end', [n])
    },
  })
  expect(await callTool(tool, { n: 3 }, context)).toEqual({ output: 'end', details: [3] })
  expect(context.shown).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }])
})

test('a generator that returns nothing ends with the last thing that it yielded', async () => {
  const context = toolContext()
  const tool = defineTool({
    ...described,
    inputSchema: anyObject,
    *execute() {
      yield 'one'
      yield 'two'
    },
  })
  expect(await callTool(tool, {}, context)).toEqual({ output: 'two' })
  expect(context.shown).toEqual(['one', 'two'])
})

test('a generator is ended when the run is stopped', async () => {
  const controller = new AbortController()
  let cleanedUp = false
  const tool = defineTool({
    ...described,
    inputSchema: anyObject,
    async *execute() {
      try {
        yield 1
        controller.abort(new Error('stopped'))
        yield 2
        yield 3
      } finally {
        cleanedUp = true
      }
    },
  })
  const context = toolContext(controller.signal)
  await expect(callTool(tool, {}, context)).rejects.toThrow('stopped')
  expect(context.shown).toEqual([1])
  expect(cleanedUp).toBe(true)
})

test('what the function throws, at once or later, is what the call rejects with', async () => {
  const error = new Error('no')
  const fail = (): never => {
    throw error
  }
  for (const execute of [
    fail,
    async () => fail(),
    async function* () {
      yield fail()
    },
  ]) {
    await expect(callTool(defineTool({ ...described, inputSchema: anyObject, execute }), {})).rejects.toBe(error)
  }
})

test('problems are named with their place, and not more than a model needs', async () => {
  const schema = z.object({ 'a b': z.object({ items: z.array(z.number()) }) })
  const tool = defineTool({ ...described, inputSchema: schema, execute: () => '' })
  expect(await tool.validate({ 'a b': { items: [1, 'x'] } })).toEqual({
    ok: false,
    problem:
      'The input is not what the tool takes: `["a b"].items[1]`: Invalid input: expected number, received string.',
  })
  const many = await tool.validate({ 'a b': { items: Array.from({ length: 50 }, () => 'x') } })
  expect(many).toMatchObject({ ok: false, problem: expect.stringMatching(/\[7\].*; and 42 more\.$/s) })
  expect(await tool.validate('x')).toMatchObject({
    problem: 'The input is not what the tool takes: Invalid input: expected object, received string.',
  })
})

test('a check that is asynchronous or that throws is no accident', async () => {
  const later = z.object({ a: z.string().refine(async text => text === 'yes', 'say yes') })
  const tool = defineTool({ ...described, inputSchema: later, execute: ({ a }) => a })
  expect(await tool.validate({ a: 'yes' })).toEqual({ ok: true, input: { a: 'yes' } })
  expect(await tool.validate({ a: 'no' })).toMatchObject({ ok: false, problem: expect.stringContaining('say yes') })
  const broken = (fail: () => never): unknown =>
    defineTool({
      ...described,
      inputSchema: z.object({ a: z.string().refine(fail) }),
      execute: () => '',
    }).validate({ a: '' })
  const fail = (): never => {
    throw new Error('broken')
  }
  expect(await broken(fail)).toEqual({ ok: false, problem: 'The input could not be checked: broken' })
})

test('a schema that is a function is a schema', async () => {
  const standard = {
    version: 1,
    vendor: 'own',
    validate: (value: unknown) =>
      value === 1 ? { value: 'one' } : { issues: [{ message: 'must be 1.', path: [{ key: Symbol('s') }] }] },
    jsonSchema: { input: () => ({ const: 1 }) },
  } as const
  const schema = Object.assign(() => {}, { '~standard': standard })
  const tool = defineTool({ ...described, inputSchema: schema, execute: input => input })
  expect(await callTool(tool, 1)).toEqual({ output: 'one' })
  expect(await tool.validate(2)).toEqual({
    ok: false,
    problem: 'The input is not what the tool takes: `[Symbol(s)]`: must be 1.',
  })
})

test('what a tool of another copy of the package gives and throws is understood', async () => {
  vi.resetModules()
  const copy = await import('@argot/agent')
  expect(copy.defineTool).not.toBe(defineTool)
  const detailed = defineTool({ ...described, inputSchema: anyObject, execute: () => copy.withDetails('a', { b: 1 }) })
  expect(await callTool(detailed, {})).toEqual({ output: 'a', details: { b: 1 } })
  const failure = new copy.ToolFailure('TOOL_FILE_NOT_FOUND', 'There is none.')
  expect(failure).toBeInstanceOf(ToolFailure)
  expect(Object.keys(failure).sort()).toEqual(['code', 'name'])
})
