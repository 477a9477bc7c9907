import { createAgent, defineTool, runDocument } from '@argot/agent'
import { parseApproval } from '@argot/agent/workshop'
import { toolCalls } from '@argot/core'
import { syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel } from '../scripted-model.ts'
import { callsThenAnswer, expectReadBack, hostileRun, makePlace } from './hostile-run.ts'

const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'prototype', 'then', 'toJSON']
const document = `${names.map(name => `<tool name="${name}"/>\n`).join('')}<user>\nGo.\n</user>\n`

/** An object with these own keys, `__proto__` among them. */
function own(json: string): unknown {
  return JSON.parse(json)
}

const poison = own(
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"hasOwnProperty":1,"then":2}',
)

function expectClean(): void {
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(typeof {}.hasOwnProperty).toBe('function')
}

test('names of objects are ordinary names of tools that are not there', async () => {
  const place = await makePlace('<tool name="look"/>\n<user>\nGo.\n</user>\n')
  const steps = callsThenAnswer(...names.map(name => [name, poison] as [string, unknown]))
  const { calls, result } = await hostileRun(place, steps, { approve: 'all', tools: [fakeTool('look', 'read')] })
  expect(calls.map(one => one.resultProviderMetadata?.argot?.code)).toEqual(names.map(() => 'TOOL_NOT_FOUND'))
  await expectReadBack(place, result)
  expectClean()
})

test.each(syntaxes.names())('tools with such names are called, with such parameters (%s)', async toolSyntax => {
  const syntax = syntaxes.get(toolSyntax)
  const given = own('{"__proto__":"a","constructor":"b","hasOwnProperty":"c"}')
  const tools = names.map(name =>
    fakeTool(name, 'read', input => Object.keys(input), {
      inputSchema: {
        type: 'object',
        properties: own(
          '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"hasOwnProperty":{"type":"string"}}',
        ) as Record<string, { type: 'string' }>,
      },
    }),
  )
  const place = await makePlace(document)
  const steps: ScriptedStep[] = names.map((name, n) =>
    toolSyntax === 'native'
      ? [...call(`c${n}`, name, given), finish('tool-calls')]
      : `${syntax.format({ toolCallId: `c${n}`, toolName: name, input: given })}\n`,
  )
  const { calls, result } = await hostileRun(place, [...steps, 'Done.'], { approve: 'all', syntax: toolSyntax, tools })
  expect(calls.map(({ toolName }) => toolName)).toEqual(names)
  for (const one of calls) expect(one.output).toEqual(['__proto__', 'constructor', 'hasOwnProperty'])
  await expectReadBack(place, result)
  expectClean()
})

test('input with such keys changes nothing but itself, on any way through validation, results and details', async () => {
  const echo = defineTool({
    ...{ name: 'echo', description: 'Echoes.', effect: 'read' },
    inputSchema: { type: 'object', properties: { a: { type: 'object' } } },
    execute: input => ({ given: input }),
  })
  const strict = defineTool({
    ...{ name: 'strict', description: 'Is strict.', effect: 'read' },
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    execute: () => 'ran',
  })
  const place = await makePlace('<tool name="echo"/>\n<tool name="strict"/>\n<user>\nGo.\n</user>\n')
  const steps = callsThenAnswer(['echo', poison], ['echo', { a: poison }], ['strict', poison])
  const { calls, result } = await hostileRun(place, steps, { tools: [echo, strict] })
  expect(calls[0]!.output).toEqual({ given: poison })
  expect(calls[1]!.output).toEqual({ given: { a: poison } })
  expect(calls[2]).toMatchObject({ state: 'output-error' })
  await expectReadBack(place, result)
  expectClean()
})

test('a policy with such names is for exactly those tools', async () => {
  const tools = names.map(name => fakeTool(name, 'write'))
  const place = await makePlace(document)
  const steps = callsThenAnswer(...names.map(name => [name, {}] as [string, unknown]))
  const approve = parseApproval('readonly,__proto__=all,constructor=all')
  const { calls } = await hostileRun(place, steps, { approve, tools })
  expect(calls.map(({ toolName, state }) => [toolName, state])).toEqual(
    names.map((name, n) => [name, n < 2 ? 'output-available' : 'output-error']),
  )
  const plain = await hostileRun(await makePlace(document), steps, {
    approve: 'ask',
    tools: names.map(n => fakeTool(n, 'write')),
  })
  expect(plain.calls.every(({ state }) => state === 'output-error')).toBe(true)
  const settings = await makePlace(document, {
    'project/argot.config.json': '{ "approve": { "__proto__": "none", "toString": "none" } }',
  })
  const stricter = await hostileRun(settings, steps, { approve: 'all', tools: names.map(n => fakeTool(n, 'write')) })
  expect(stricter.calls.filter(({ state }) => state === 'output-error').map(({ toolName }) => toolName)).toEqual([
    '__proto__',
    'toString',
  ])
})

test('ids with such names, of calls and texts, are ordinary ids', async () => {
  const place = await makePlace('<tool name="look"/>\n<user>\nGo.\n</user>\n')
  const said = names.flatMap(name => [
    ...call(name, 'look', { a: name }),
    { type: 'text-start', id: name } as const,
    { type: 'text-delta', id: name, delta: 'x' } as const,
    { type: 'text-end', id: name } as const,
  ])
  const look = fakeTool('look', 'read', ({ a }) => a)
  const { calls, result } = await hostileRun(place, [[...said, finish('tool-calls')], 'Done.'], { tools: [look] })
  expect(calls.map(({ output }) => output)).toEqual(names)
  await expectReadBack(place, result)
})

test('an agent in memory keeps to it as well', async () => {
  const tool = fakeTool('__proto__', 'read')
  const model = scriptedModel(callsThenAnswer(['__proto__', poison], ['constructor', {}]))
  const run = createAgent({ model, tools: [tool] }).run('Go.')
  const { message } = await run.result
  expect(toolCalls(message!)).toMatchObject([{ state: 'output-available' }, { state: 'output-error' }])
  expect(Object.keys(tool.inputs[0] as object)).toEqual(Object.keys(poison as object))
  expectClean()
})

test('names that are not names are refused before anything runs', async () => {
  for (const name of ['../x', 'a b', 'a/b', 'x'.repeat(200), '\u202eevil']) {
    const place = await makePlace(`<tool name="${name}"/>\n<user>\nGo.\n</user>\n`)
    const shared = { cwd: place.project, env: {}, configFolder: place.config, model: scriptedModel(['x']) }
    expect(await runDocument(place.file, shared).result).toMatchObject({ status: 'failed' })
  }
})
