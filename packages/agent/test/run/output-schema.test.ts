import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAgent, type Run, runDocument } from '@argot/agent'
import { checkDocument, previewDocument } from '@argot/agent/workshop'
import { accumulate, type Chunk } from '@argot/core'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const city = z.object({ name: z.string(), people: z.number().int() })
const good = '{"name":"Oslo","people":700000}'
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, people: { type: 'integer' } },
  required: ['name', 'people'],
  additionalProperties: false,
} as const

function ask(steps: readonly ScriptedStep[], more: Partial<Parameters<typeof createAgent>[0]> = {}) {
  const model = scriptedModel(steps)
  const notices: string[] = []
  const agent = createAgent({ model, outputSchema: city, env: {}, notice: said => notices.push(said), ...more })
  return { model, notices, run: agent.run('Tell me about Oslo.') }
}

const lastSaid = (prompt: unknown): string => JSON.stringify((prompt as unknown[]).at(-1))

test('an answer that fits is the typed output of the run', async () => {
  const model = scriptedModel([good])
  const run = createAgent({ model, outputSchema: city, env: {} }).run('Tell me about Oslo.')
  expectTypeOf(run).toEqualTypeOf<Run<{ name: string; people: number }>>()
  const result = await run.result
  expect(result).toMatchObject({ status: 'done', output: { name: 'Oslo', people: 700000 }, steps: 1 })
  if (result.status === 'done')
    expectTypeOf(result.output).toEqualTypeOf<{ name: string; people: number } | undefined>()
  const [told] = model.asked[0]!.prompt
  expect(told).toMatchObject({ role: 'system', content: expect.stringContaining('"people":{"type":"integer"') })
})

test.each([
  ['a code fence', `\`\`\`json\n${good}\n\`\`\``],
  ['words around it', `Here it is: ${good} I hope it helps.`],
])('%s does not keep it from being read', async (_, said) => {
  expect(await ask([said]).run.result).toMatchObject({ status: 'done', output: { name: 'Oslo' }, text: said })
})

test('the value is what the schema makes of it', async () => {
  const outputSchema = z.object({ on: z.string().transform(one => one.length), kind: z.string().default('town') })
  const run = createAgent({ model: scriptedModel(['{"on":"abc"}']), outputSchema, env: {} }).run('Go.')
  expectTypeOf(run).toEqualTypeOf<Run<{ on: number; kind: string }>>()
  expect(await run.result).toMatchObject({ output: { on: 3, kind: 'town' } })
})

test('an answer that does not fit is taken back and asked for once more, with what is wrong', async () => {
  const { model, run, notices } = ask(['{"name":"Oslo","people":"many"}', good])
  const { chunks, result } = await follow(run)
  expect(result).toMatchObject({ status: 'done', output: { name: 'Oslo' }, text: good, steps: 2 })
  const [before, said] = model.asked[1]!.prompt.slice(-2)
  expect(before).toEqual({ role: 'assistant', content: [{ type: 'text', text: '{"name":"Oslo","people":"many"}' }] })
  expect(JSON.stringify(said)).toMatch(/Your answer was not accepted. `people`: .*number/)
  expect(notices).toEqual([])
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  fold.end()
  expect(fold.diagnostics).toEqual([])
  expect(fold.message!.parts.map(part => (part.type === 'text' ? part.text : part.type))).toEqual(['step-start', good])
})

test.each([
  ['no JSON', 'Oslo has many people.', 'The answer is not a single JSON value.'],
  ['another shape', '{"name":1}', '`name`'],
])('a second answer that is %s is a failure that says so, and keeps the answer', async (_, said, words) => {
  const { model, run, notices } = ask([said])
  const result = await run.result
  expect(result).toMatchObject({ status: 'failed', code: 'RUN_BAD_OUTPUT', text: said, finishReason: 'stop', steps: 2 })
  expect(result).not.toHaveProperty('output')
  expect(result.status === 'failed' && result.error).toContain(words)
  expect(notices).toEqual([expect.stringContaining(words)])
  expect(model.asked).toHaveLength(2)
})

test('a JSON Schema is enough, and its problems are told in its words', async () => {
  const { model, run } = ask(['{"name":"Oslo"}', good], { outputSchema: schema })
  expect(await run.result).toMatchObject({ status: 'done', output: { name: 'Oslo', people: 700000 } })
  expect(lastSaid(model.asked[1]!.prompt)).toContain('`people` is missing; it must be an integer')
})

test('calls come first, and the results of tools are no answer', async () => {
  const look = fakeTool('look', 'read', () => 'seen')
  const { model, run } = ask([[...call('c1', 'look', {}), finish('tool-calls')], 'Hm.', good], { tools: [look] })
  expect(await run.result).toMatchObject({ status: 'done', output: { name: 'Oslo' }, steps: 3 })
  // The call and its result stay where they were.
  expect(model.asked[2]!.prompt.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ])
})

test('a budget that leaves no further step leaves the answer, and says what is wrong with it', async () => {
  const { run } = ask(['No.'], { maxSteps: 1 })
  expect(await run.result).toMatchObject({ status: 'failed', code: 'RUN_BAD_OUTPUT', text: 'No.' })
})

test('an answer that was cut is told as that', async () => {
  const { run, model } = ask([[...text('{"name":', 't1'), finish('length')]])
  expect(await run.result).toMatchObject({ status: 'failed', code: 'MODEL_REPLY_CUT' })
  expect(model.asked).toHaveLength(1)
})

test('with any dialect an answer is not taken for a call, though a tool has its name', async () => {
  const named = { type: 'object', properties: { name: { type: 'string' }, arguments: { type: 'object' } } } as const
  const look = fakeTool('look', 'read', () => 'seen')
  const said = '{"name":"look","arguments":{}}'
  const { run } = ask([said], { outputSchema: named, tools: [look], syntax: 'auto' })
  expect(await run.result).toMatchObject({ status: 'done', output: { name: 'look', arguments: {} }, steps: 1 })
})

test('a schema that cannot say itself as JSON Schema needs one beside it', async () => {
  const own = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const
  const make = () => createAgent({ model: scriptedModel(['1']), outputSchema: own, env: {} })
  expect(make).toThrow(
    expect.objectContaining({ code: 'TOOL_NO_JSON_SCHEMA', message: expect.stringContaining('outputJsonSchema') }),
  )
  const agent = createAgent({
    model: scriptedModel(['1']),
    outputSchema: own,
    outputJsonSchema: { type: 'integer' },
    env: {},
  })
  expect(await agent.run('Go.').result).toMatchObject({ status: 'done', output: 1 })
})

const source = '<config output="city.json"/>\n\n<user>\nTell me about Oslo.\n</user>\n'

async function open(files: Record<string, string>) {
  const folder = await documentFolder({ 'chat.chatmd': source, ...files })
  const file = join(folder, 'chat.chatmd')
  return { folder, file, options: { cwd: folder, configFolder: join(folder, 'config'), env: {} } }
}

test('a document names the schema of its answer; what was taken back is not in the transcript', async () => {
  const { file, options } = await open({ 'city.json': JSON.stringify(schema) })
  const model = scriptedModel(['I think it is Oslo.', good])
  const { result } = await follow(runDocument(file, { ...options, model }))
  expect(result).toMatchObject({ status: 'done', output: { name: 'Oslo', people: 700000 } })
  const written = await readFile(file, 'utf8')
  expect(written).toContain(good)
  expect(written).not.toContain('I think')
  expect((await readMessages(file)).at(-1)!.parts.map(({ type }) => type)).toEqual(['step-start', 'text'])
})

test('a dry run shows what is said about the answer, and marks it', async () => {
  const { file, options } = await open({ 'city.json': JSON.stringify(schema) })
  const { messages } = await previewDocument(file, { ...options, model: 'demo' })
  expect(messages[0]).toMatchObject({
    role: 'system',
    pieces: [{ origin: "the answer's schema", added: true, text: expect.stringContaining('"people"') }],
  })
})

test.each([
  ['is not there', {}, 'CHATMD_FILE_NOT_FOUND'],
  ['is not JSON', { 'city.json': '{' }, 'CHATMD_BAD_SCHEMA'],
  ['is not an object', { 'city.json': '[]' }, 'CHATMD_BAD_SCHEMA'],
  ['has a pattern that is none', { 'city.json': '{"$ref":"#/nowhere"}' }, 'CHATMD_BAD_SCHEMA'],
])('a schema that %s is said by check and refused by run, at the attribute', async (_, files, code) => {
  const { file, options } = await open(files as Record<string, string>)
  const { diagnostics } = await checkDocument({ file, text: source }, options)
  expect(diagnostics).toMatchObject([{ code, range: { start: { line: 1, column: 9 } } }])
  const model = scriptedModel(['Never said.'])
  const { result } = await follow(runDocument(file, { ...options, model }))
  expect(result).toMatchObject({ status: 'failed', diagnostics: [{ code }] })
  expect(model.asked).toEqual([])
})

test('an agent in the text keeps its own schema, and the one of the run is not asked of it', async () => {
  const { file, options } = await open({
    'city.json': '{"type":"integer"}',
    'chat.chatmd': '<user>\n<agent src="sub.chatmd" local>x</agent>\n</user>\n',
    'sub.chatmd': '<config output="city.json"/>\n',
  })
  const model = scriptedModel(['7', good])
  const { result } = await follow(runDocument(file, { ...options, model, outputSchema: city }))
  expect(result).toMatchObject({ status: 'done', output: { name: 'Oslo' } })
  const asked = model.asked.map(({ prompt }) => JSON.stringify(prompt))
  expect(asked[0]).toContain('{\\"type\\":\\"integer\\"}')
  expect(asked[0]).not.toContain('people')
})

test('a run that died while it asked again is continued, and asks again', async () => {
  const { file, options } = await open({ 'city.json': JSON.stringify(schema) })
  const model = scriptedModel(['No.', [...text('{"na', 't')]])
  const first = runDocument(file, { ...options, model })
  const seen: Chunk['type'][] = []
  for await (const chunk of first) {
    seen.push(chunk.type)
    if (chunk.type === 'reset-step') first.stop()
  }
  expect(seen).toContain('reset-step')
  const { result } = await follow(runDocument(file, { ...options, model: scriptedModel([good]) }))
  expect(result).toMatchObject({ status: 'done', output: { name: 'Oslo' } })
})
