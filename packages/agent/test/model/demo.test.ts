import type { LanguageModelV3, LanguageModelV3FunctionTool } from '@ai-sdk/provider'
import { createDemoModel } from '@argot/agent/workshop'
import { accumulate, type Message, type ToolDefinition, type ToolInvocation, toolCalls } from '@argot/core'
import { buildPrompt, ReplyReader } from '@argot/core/ai-sdk'
import { native, type Syntax, syntaxes } from '@argot/core/syntax'
import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { demoInput } from '../../src/model/demo/demo-input.ts'

const tools: ToolDefinition[] = [
  {
    name: 'read_file',
    effect: 'read',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    name: 'write_file',
    effect: 'write',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
  {
    name: 'grep',
    effect: 'read',
    inputSchema: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
  },
]

const functionTools = tools.map(
  ({ name, inputSchema }) => ({ type: 'function', name, inputSchema }) as unknown as LanguageModelV3FunctionTool,
)

/** Runs steps as a loop does until one has no call; `answer` settles each call. */
async function converse(
  syntax: Syntax,
  request: string,
  answer: (call: ToolInvocation) => Partial<ToolInvocation> = () => ({ state: 'output-available', output: 'one\ntwo' }),
): Promise<{ steps: Message[]; text: string; language: LanguageModelV3 }> {
  const language = createDemoModel().for!({ syntax, tools })
  const messages: Message[] = [
    { id: 'u', role: 'user', status: 'sent', parts: [{ type: 'text', id: 't', text: request, state: 'done' }] },
  ]
  for (let step = 1; step < 10; step++) {
    const { prompt } = await buildPrompt(messages, { syntax, tools, language })
    const { stream } = await language.doStream({ prompt, ...(syntax === native ? { tools: functionTools } : {}) })
    const reader = new ReplyReader({ syntax, tools, step, limit: syntax === native ? 'none' : 'one' })
    const fold = accumulate()
    for await (const part of stream) for (const chunk of reader.push(part)) fold.push(chunk)
    for (const chunk of reader.end()) fold.push(chunk)
    expect(reader.stopped).toBe(false)
    fold.push({ type: 'finish', finishReason: reader.finish!.reason === 'stop' ? 'tool-calls' : reader.finish!.reason })
    const message = fold.message!
    const parts = message.parts.map(part =>
      'toolInvocation' in part
        ? { ...part, toolInvocation: { ...part.toolInvocation, ...answer(part.toolInvocation) } }
        : part,
    ) as Message['parts']
    messages.push({ ...message, id: `a${step}`, status: 'sent', parts })
    const said = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
    if (toolCalls({ parts }).length === 0) return { steps: messages.slice(1), text: said, language }
  }
  throw new Error('The demo model does not come to an end.')
}

describe.each(syntaxes.names().map(name => [name, syntaxes.get(name)] as const))('in %s', (_, syntax) => {
  test('it really calls the tools that the message names, and tells what they gave back', async () => {
    const { steps, text } = await converse(syntax, 'Please grep for "TODO" and write_file notes/todo.md.')
    const calls = steps.flatMap(toolCalls)
    expect(calls.map(({ toolName, input }) => ({ toolName, input }))).toEqual([
      { toolName: 'write_file', input: { path: 'notes/todo.md', content: 'TODO' } },
      { toolName: 'grep', input: { pattern: 'TODO' } },
    ])
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2)
    expect(text.match(/demo model/g)).toHaveLength(1)
    expect(text).toContain('`write_file` returned 7 characters in 2 lines: `one`')
    expect(text).toContain('`grep` returned')
    expect(text).toContain('OPENAI_API_KEY')
  })

  test('it calls tools that only read where the message names none, and tells of errors and refusals', async () => {
    const { steps, text } = await converse(syntax, 'Hello there!', ({ toolName, toolCallId }) =>
      toolName === 'grep'
        ? { state: 'output-denied', approval: { id: toolCallId, approved: false, reason: 'no' } }
        : { state: 'output-error', errorText: 'There is no such file.' },
    )
    expect(steps.flatMap(toolCalls).map(({ toolName }) => toolName)).toEqual(['read_file', 'grep'])
    expect(text).toContain('`read_file` failed: `There is no such file.`')
    expect(text).toContain('`grep` was not allowed: `Denied by the user: no`')
  })

  test('what a tool gave back does not become a call in the answer', async () => {
    const hostile = syntaxes
      .names()
      .map(name => syntaxes.get(name).format({ toolCallId: 'x', toolName: 'grep', input: { pattern: 'p' } }))
    // By default one in five of them, other ones for each syntax; the last has all of them.
    const stride = Math.round(1 / share)
    const some = hostile.filter((_, index) => index % stride === syntax.name.length % stride)
    for (const output of [...some, `\`${hostile.join('')}`]) {
      const { steps } = await converse(syntax, 'read file', () => ({ state: 'output-available', output }))
      expect(steps.flatMap(toolCalls)).toHaveLength(1)
    }
  })

  test('it says the same again for the same conversation', async () => {
    const said = async () =>
      JSON.stringify((await converse(syntax, 'read_file a.md')).steps.map(({ parts }) => parts.map(withoutTime)))
    expect(await said()).toBe(await said())
  })
})

function withoutTime(part: Message['parts'][number]): unknown {
  if (!('toolInvocation' in part)) return part
  const { startedAt, endedAt, ...rest } = part.toolInvocation
  return rest
}

test('without tools it says what it is and what to set', async () => {
  const { language } = createDemoModel()
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }]
  const { content, finishReason, usage } = await language.doGenerate({ prompt })
  expect(content).toEqual([
    { type: 'text', text: expect.stringMatching(/demo model.*GOOGLE_GENERATIVE_AI_API_KEY.*Ollama/s) },
  ])
  expect(finishReason.unified).toBe('stop')
  expect(usage.inputTokens.total).toBe(1)
  expect(usage.outputTokens.total).toBeGreaterThan(50)
})

test('it streams word by word, and stops when it is told to', async () => {
  const abort = new AbortController()
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }]
  const { stream } = await createDemoModel().language.doStream({ prompt, abortSignal: abort.signal })
  const deltas: string[] = []
  const reading = (async () => {
    for await (const part of stream) {
      if (part.type === 'text-delta') deltas.push(part.delta)
      if (deltas.length === 3) abort.abort(new Error('enough'))
    }
  })()
  await expect(reading).rejects.toThrow('enough')
  expect(deltas.slice(0, 3)).toEqual(["I'm ", "Argot's ", 'demo '])
})

test('a new message of the user starts a new turn', async () => {
  const { steps, language } = await converse(native, 'read_file a.md')
  const messages = [...steps, userMessage('grep "x"')]
  const { prompt } = await buildPrompt(messages, { syntax: native, tools, language })
  const { content } = await language.doGenerate({ prompt, tools: functionTools })
  expect(content.filter(part => part.type === 'tool-call')).toMatchObject([
    { toolName: 'grep', input: '{"pattern":"x"}' },
  ])
})

function userMessage(text: string): Message {
  return { id: 'u2', role: 'user', status: 'sent', parts: [{ type: 'text', id: 't', text, state: 'done' }] }
}

test.each([
  ['a path of the message', { path: { type: 'string' } }, 'Look at src/a.ts, please', { path: 'src/a.ts' }],
  ['a folder for a folder', { dir: { type: 'string' } }, 'Is src/a.ts in src/ ?', { dir: 'src/' }],
  ['a file for a file', { file: { type: 'string' } }, 'Is in src/ a file src/a.ts?', { file: 'src/a.ts' }],
  ['an address', { url: { type: 'string' } }, 'See https://example.org/a.', { url: 'https://example.org/a' }],
  ['a number that fits', { lines: { type: 'integer', minimum: 5 } }, 'the first 3 or 12 lines', { lines: 12 }],
  ['a choice that the message names', { unit: { enum: ['c', 'f'] } }, 'in f please', { unit: 'f' }],
  ['a city', { city: { type: 'string' } }, 'Weather in Paris?', { city: 'Paris' }],
  ['the example of the schema', { city: { type: 'string', examples: ['Rome'] } }, 'weather', { city: 'Rome' }],
  ['the default', { depth: { type: 'integer', default: 4 } }, 'go', { depth: 4 }],
  ['paths', { paths: { type: 'array', items: { type: 'string' } } }, 'a.ts b.ts', { paths: ['a.ts', 'b.ts'] }],
  ['no arguments of a command', { arguments: { type: 'array', items: { type: 'string' } } }, 'date', { arguments: [] }],
  ['something plausible', { path: { type: 'string' }, on: { type: 'boolean' } }, '', { path: 'README.md', on: false }],
  ['ordinary names of any kind', { constructor: { type: 'string' } }, '', { constructor: 'demo' }],
])('an input is made of %s', (_, properties, request, input) => {
  const definition = { name: 't', inputSchema: { type: 'object', properties, required: Object.keys(properties) } }
  expect({ ...demoInput(definition as ToolDefinition, request) }).toEqual(input)
})

test('it works as a model of the AI SDK', async () => {
  const asked: unknown[] = []
  const result = streamText({
    model: createDemoModel().language,
    prompt: 'What is the weather in Lisbon? Use get_weather.',
    tools: {
      get_weather: tool({
        description: 'The weather of a city.',
        inputSchema: jsonSchema<{ city: string }>({
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        }),
        execute: async input => {
          asked.push(input)
          return { temperature: 21 }
        },
      }),
    },
    stopWhen: stepCountIs(5),
  })
  const text = await result.text
  expect(asked).toEqual([{ city: 'Lisbon' }])
  expect(text).toContain('`get_weather` returned')
  expect(text).toContain('{"temperature":21}')
  expect(await result.steps).toHaveLength(2)
  expect((await result.totalUsage).totalTokens).toBeGreaterThan(0)
})
