import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { textSyntaxMiddleware } from '@argot/core/ai-sdk'
import { type Syntax, syntaxes, xml } from '@argot/core/syntax'
import {
  convertToModelMessages,
  generateText,
  type ModelMessage,
  Output,
  readUIMessageStream,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from 'ai'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 4, text: 4, reasoning: 0 },
}

type Reply = string | { text: string; finish: LanguageModelV3FinishReason['unified'] }

/** A model that only writes text, three characters at a time. After its last reply it repeats that one. */
function textModel(...replies: Reply[]): MockLanguageModelV3 {
  let turn = 0
  const next = () => {
    const reply = replies[Math.min(turn++, replies.length - 1)]!
    const { text, finish } = typeof reply === 'string' ? { text: reply, finish: 'stop' as const } : reply
    return { text, finishReason: { unified: finish, raw: finish } }
  }
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const { text, finishReason } = next()
      return { content: [{ type: 'text', text }], finishReason, usage, warnings: [] }
    },
    doStream: async () => {
      const { text, finishReason } = next()
      const chunks: LanguageModelV3StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '0' },
        ...(text.match(/.{1,3}/gs) ?? []).map(delta => ({ type: 'text-delta', id: '0', delta }) as const),
        { type: 'text-end', id: '0' },
        { type: 'finish', finishReason, usage },
      ]
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }
    },
  })
}

function withTools(model: MockLanguageModelV3, syntax: string | Syntax) {
  let count = 0
  return wrapLanguageModel({ model, middleware: textSyntaxMiddleware(syntax, { nextId: () => `c${++count}` }) })
}

/** The tools, and what they were called with. */
function weatherTools() {
  const called: unknown[] = []
  const weather = tool({
    description: 'Tells how the weather is in a city.',
    inputSchema: z.object({ city: z.string(), days: z.number().int().optional() }),
    execute: async input => {
      called.push(input)
      return { weather: `rain in ${input.city}` }
    },
  })
  return { tools: { weather }, called }
}

function write(syntax: Syntax, toolCallId: string, input: object): string {
  return syntax.format({ toolCallId, toolName: 'weather', input })
}

/** What the model was sent, as text. */
function sent({ prompt }: LanguageModelV3CallOptions): string {
  return prompt
    .map(({ role, content }) => {
      const said =
        typeof content === 'string' ? content : content.map(part => ('text' in part ? part.text : part.type)).join('|')
      return `${role}: ${said}`
    })
    .join('\n')
}

const names = syntaxes.names().filter(name => name !== 'native')

describe.each(names)('in %s', name => {
  const syntax = syntaxes.get(name)
  const oslo = write(syntax, 'o', { city: 'Oslo', days: 2 })
  const rome = write(syntax, 'r', { city: 'Rome' })
  const replies = [`<think>Two cities.</think>\nI look.\n\n${oslo}\n\n${rome}`, 'Rain in both.']

  test.each(['streamText', 'generateText'])('%s runs a loop with reasoning and two calls in one step', async run => {
    const model = textModel(...replies)
    const { tools, called } = weatherTools()
    const options = { model: withTools(model, syntax), tools, prompt: 'Oslo and Rome?', stopWhen: stepCountIs(5) }
    const result = run === 'streamText' ? streamText(options) : await generateText(options)
    const steps = await result.steps

    expect(steps.map(step => step.finishReason)).toEqual(['tool-calls', 'stop'])
    expect(steps[0]!.reasoningText).toBe('Two cities.')
    expect(steps[0]!.text.trim()).toBe('I look.')
    expect(called).toEqual([{ city: 'Oslo', days: 2 }, { city: 'Rome' }])
    expect(await result.text).toBe('Rain in both.')

    const calls = run === 'streamText' ? model.doStreamCalls : model.doGenerateCalls
    expect(calls.map(call => [call.tools, call.toolChoice])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
    expect(calls[0]!.prompt[0]).toEqual({
      role: 'system',
      content: syntax.describe([
        { name: 'weather', description: tools.weather.description!, inputSchema: await schema() },
      ]),
    })
    const second = sent(calls[1]!)
    expect(second).toContain('I look.')
    expect(second).toContain('rain in Oslo')
    expect(second).toContain('rain in Rome')
    expect(calls[1]!.prompt.map(message => message.role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(JSON.stringify(calls[1]!.prompt)).not.toMatch(/"tool-(?:call|result)"|reasoning/)
  })

  test('the arguments stream, and a call has its parts in order', async () => {
    const { tools } = weatherTools()
    const { fullStream } = streamText({ model: withTools(textModel(...replies), syntax), tools, prompt: 'Oslo?' })
    const seen = new Map<string, { types: string[]; json: string }>()
    for await (const part of fullStream) {
      if (!part.type.startsWith('tool-')) continue
      const id = 'toolCallId' in part ? part.toolCallId : 'id' in part ? part.id : ''
      const call = seen.get(id) ?? { types: [], json: '' }
      if (call.types.at(-1) !== part.type) call.types.push(part.type)
      if (part.type === 'tool-input-delta') call.json += part.delta
      seen.set(id, call)
    }
    const order = ['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call', 'tool-result']
    expect([...seen.values()].map(call => call.types)).toEqual([order, order])
    expect([...seen.values()].map(call => JSON.parse(call.json))).toEqual([{ city: 'Oslo', days: 2 }, { city: 'Rome' }])
  })

  test('a reply that is cut within its call calls nothing', async () => {
    const { tools, called } = weatherTools()
    const text = `I look.\n\n${oslo.slice(0, -4)}`
    const model = withTools(textModel({ text, finish: 'length' }), syntax)
    const result = streamText({ model, tools, prompt: 'Oslo?', stopWhen: stepCountIs(2) })
    await result.consumeStream()
    expect(called).toEqual([])
  })
})

async function schema() {
  const model = textModel('')
  await generateText({ model, tools: weatherTools().tools, prompt: '' })
  const [first] = model.doGenerateCalls[0]!.tools!
  return first?.type === 'function' ? (first.inputSchema as Record<string, unknown>) : {}
}

test('what a call got wrong is told in the words of the syntax, and the model tries again', async () => {
  const broken = '<tool:weather>\n<param:days>many</param:days>\n</tool:weather>'
  const model = textModel(broken, write(xml, 'o', { city: 'Oslo' }), 'Rain.')
  const { tools, called } = weatherTools()
  const result = streamText({ model: withTools(model, 'xml'), tools, prompt: 'Oslo?', stopWhen: stepCountIs(5) })
  expect(await result.text).toBe('Rain.')
  expect(called).toEqual([{ city: 'Oslo' }])
  const told = sent(model.doStreamCalls[1]!)
  expect(told).toContain(broken)
  expect(told).toContain('days')
  expect(told).toContain('<param:')
  expect(told).not.toContain('JSON parsing failed')
})

test.each([
  ['nothing', ''],
  ['a whole JSON object', '{"city":"Oslo"}'],
])('a broken call whose source is %s never runs', async (_, source) => {
  const syntax: Syntax = {
    ...xml,
    parser: () => ({
      stopped: false,
      push: () => [],
      end: () => [
        { type: 'tool-input-start', toolCallId: 'a', toolName: 'weather' },
        { type: 'tool-input-error', toolCallId: 'a', toolName: 'weather', input: source, errorText: 'Wrong.' },
      ],
    }),
  }
  const { tools, called } = weatherTools()
  const model = textModel('x')
  await generateText({ model: withTools(model, syntax), tools, prompt: '', stopWhen: stepCountIs(2) })
  expect(called).toEqual([])
  expect(sent(model.doGenerateCalls[1]!)).toContain('Wrong.')
})

test('the words about a broken call survive the way through a chat client', async () => {
  const broken = '<tool:weather>\n<param:days>many</param:days>\n</tool:weather>'
  const { tools } = weatherTools()
  const first = streamText({ model: withTools(textModel(broken), 'xml'), tools, prompt: 'Oslo?' })
  let shown: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream: first.toUIMessageStream() })) shown = message
  const model = textModel('Rain.')
  const messages = await convertToModelMessages([shown!], { tools })
  await streamText({ model: withTools(model, 'xml'), tools, messages }).consumeStream()
  const told = sent(model.doStreamCalls[0]!)
  expect(told).toContain(broken)
  expect(told).not.toContain('JSON parsing failed')
})

test('a tool that does not exist is answered, and the loop continues', async () => {
  const model = textModel('<tool:rain>\n</tool:rain>', 'Sorry.')
  const { tools } = weatherTools()
  const result = streamText({ model: withTools(model, 'xml'), tools, prompt: 'Oslo?', stopWhen: stepCountIs(5) })
  expect(await result.text).toBe('Sorry.')
  expect(sent(model.doStreamCalls[1]!)).toContain("unavailable tool 'rain'")
})

test('an abort within a call ends the stream at once, cancels the model, and runs nothing', async () => {
  const { tools, called } = weatherTools()
  const stop = new AbortController()
  let cancelled = false
  const model = new MockLanguageModelV3({
    doStream: async ({ abortSignal }) => ({
      stream: new ReadableStream<LanguageModelV3StreamPart>({
        start(controller) {
          abortSignal!.addEventListener('abort', () => {
            cancelled = true
            controller.error(abortSignal!.reason)
          })
          controller.enqueue({ type: 'text-start', id: '0' })
          controller.enqueue({ type: 'text-delta', id: '0', delta: 'I look.\n\n<tool:weather>\n<param:city>Os' })
        },
      }),
    }),
  })
  const { fullStream } = streamText({
    model: withTools(model, 'xml'),
    tools,
    prompt: 'Oslo?',
    abortSignal: stop.signal,
  })
  const types: string[] = []
  for await (const part of fullStream) {
    types.push(part.type)
    if (part.type === 'tool-input-start') stop.abort()
  }
  expect(types).toContain('tool-input-start')
  expect(types).not.toContain('tool-call')
  expect(types.at(-1)).toBe('abort')
  expect(cancelled).toBe(true)
  expect(called).toEqual([])
})

test('leaving the stream cancels the model', async () => {
  let cancelled: (reason: unknown) => void
  const reason = new Promise(resolve => {
    cancelled = resolve
  })
  const model = new MockLanguageModelV3({
    doStream: async () => ({
      stream: new ReadableStream<LanguageModelV3StreamPart>({
        pull: controller => controller.enqueue({ type: 'text-delta', id: '0', delta: 'word ' }),
        cancel: why => cancelled(why),
      }),
    }),
  })
  const { stream } = await withTools(model, 'xml').doStream({ prompt: [], tools: [weatherDefinition] })
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel('enough')
  expect(await reason).toBe('enough')
})

const weatherDefinition = { type: 'function' as const, name: 'weather', inputSchema: { type: 'object' as const } }

async function ask(options: Partial<LanguageModelV3CallOptions>, reply = '', syntax: string | Syntax = 'xml') {
  const model = textModel(reply)
  const prompt: LanguageModelV3CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'Oslo?' }] }]
  const result = await withTools(model, syntax).doGenerate({ prompt, tools: [weatherDefinition], ...options })
  return { result, asked: model.doGenerateCalls[0]! }
}

describe('what the model is asked', () => {
  test('a choice of tools is asked for, and one of none teaches none', async () => {
    expect(sent((await ask({ toolChoice: { type: 'required' } })).asked)).toContain('must contain a tool call')
    const one = await ask({ toolChoice: { type: 'tool', toolName: 'weather' } })
    expect(sent(one.asked)).toContain('a call of the tool `weather`')
    expect(one.asked).not.toHaveProperty('toolChoice')
    const call = write(xml, 'o', { city: 'Oslo' })
    const none = await ask({ toolChoice: { type: 'none' } }, call)
    expect(sent(none.asked)).toBe('user: Oslo?')
    expect(none.result.content).toEqual([{ type: 'text', text: call }])
  })

  test('to stop where results begin, besides what the caller stops at', async () => {
    const model = textModel('Hello.')
    const { tools } = weatherTools()
    await generateText({ model: withTools(model, 'hermes'), tools, prompt: 'Hi.', stopSequences: ['END'] })
    await generateText({ model: withTools(model, 'hermes'), prompt: 'Hi.' })
    expect(model.doGenerateCalls.map(call => call.stopSequences)).toEqual([['END', '<tool_response>'], undefined])
  })

  test('the lesson joins the first system message, or fills the place that it has', async () => {
    const lesson = xml.describe([{ name: 'weather', inputSchema: { type: 'object' } }])
    const user = { role: 'user' as const, content: [] }
    const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } }
    const joined = await ask({ prompt: [{ role: 'system', content: 'Be brief.', providerOptions: cached }, user] })
    expect(joined.asked.prompt).toEqual([
      { role: 'system', content: `Be brief.\n\n${lesson}`, providerOptions: cached },
      user,
    ])
    const placed = await ask({ prompt: [{ role: 'system', content: 'Tools: {{tools}} Be brief.' }, user] })
    expect(placed.asked.prompt).toEqual([{ role: 'system', content: `Tools: ${lesson} Be brief.` }, user])
  })

  test('tools of the provider stay, with their calls and results', async () => {
    const search = { type: 'provider' as const, id: 'test.search' as const, name: 'search', args: {} }
    const searched: LanguageModelV3CallOptions['prompt'] = [
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 's', toolName: 'search', input: {}, providerExecuted: true },
          { type: 'tool-result', toolCallId: 's', toolName: 'search', output: { type: 'text', value: 'found' } },
        ],
      },
    ]
    const toolChoice = { type: 'tool' as const, toolName: 'search' }
    const { asked } = await ask({ prompt: searched, tools: [search, weatherDefinition], toolChoice })
    expect(asked.tools).toEqual([search])
    expect(asked.toolChoice).toEqual(toolChoice)
    expect(asked.prompt.slice(1)).toEqual(searched)
  })

  test('results of every kind are told, files go along, and only signed reasoning goes back', async () => {
    const call = (toolCallId: string) =>
      ({ type: 'tool-call', toolCallId, toolName: 'weather', input: { city: toolCallId } }) as const
    const signed = { type: 'reasoning' as const, text: 'b', providerOptions: { anthropic: { signature: 's' } } }
    const outputs = {
      text: { type: 'text', value: 'plain' },
      json: { type: 'json', value: { a: [1] } },
      error: { type: 'error-text', value: 'No network.' },
      errors: { type: 'error-json', value: { code: 7 } },
      denied: { type: 'execution-denied', reason: 'not now' },
      parts: {
        type: 'content',
        value: [
          { type: 'text', text: 'a picture' },
          { type: 'image-data', data: 'AQID', mediaType: 'image/png' },
          { type: 'image-url', url: 'https://pictures.example/a' },
          { type: 'file-id', fileId: 'f' },
        ],
      },
    } as const
    const { asked } = await ask({
      prompt: [
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'a' },
            signed,
            { type: 'text', text: 'I look.' },
            ...Object.keys(outputs).map(call),
            call('open'),
          ],
        },
        {
          role: 'tool',
          content: Object.entries(outputs).map(([toolCallId, output]) => ({
            type: 'tool-result' as const,
            toolCallId,
            toolName: 'weather',
            output: output as { type: 'text'; value: string },
          })),
        },
      ],
    })
    const [, assistant, results] = asked.prompt
    expect(assistant?.content.slice(0, 1)).toEqual([signed])
    expect(assistant?.content).toHaveLength(2)
    const [text, ...files] = results!.content as { type: string; text?: string }[]
    for (const part of [
      'plain',
      '"a": [',
      'No network.',
      '{"code":7}',
      'Denied by the user: not now',
      'is not in the transcript',
    ]) {
      expect(text!.text).toContain(part)
    }
    expect(text!.text).toContain('a picture\n[a file, attached]\n[a file, attached]\n[a file-id that cannot be shown]')
    expect(files).toEqual([
      { type: 'file', data: 'AQID', mediaType: 'image/png' },
      { type: 'file', data: new URL('https://pictures.example/a'), mediaType: 'image/*' },
    ])
  })

  test('an id that is used again has the results of its own message, in order', async () => {
    const messages: ModelMessage[] = ['one', 'two'].flatMap((step): ModelMessage[] => [
      {
        role: 'assistant',
        content: ['a', 'b'].map(city => ({
          type: 'tool-call' as const,
          toolCallId: 'same',
          toolName: 'weather',
          input: { city: `${step}-${city}` },
        })),
      },
      {
        role: 'tool',
        content: ['a', 'b'].map(city => ({
          type: 'tool-result' as const,
          toolCallId: 'same',
          toolName: 'weather',
          output: { type: 'text' as const, value: `result-${step}-${city}` },
        })),
      },
    ])
    const { asked } = await ask({ prompt: messages as LanguageModelV3CallOptions['prompt'] })
    const order = sent(asked).match(/(?:result-)?(?:one|two)-[ab]/g)
    expect(order).toEqual([
      ...['one-a', 'one-b', 'result-one-a', 'result-one-b'],
      ...['two-a', 'two-b', 'result-two-a', 'result-two-b'],
    ])
  })
})

test('parts that are not text pass as they are, at their place, and end a line of text', async () => {
  const source = { type: 'source' as const, sourceType: 'url' as const, id: 's', url: 'https://a.example' }
  const native = {
    type: 'tool-call' as const,
    toolCallId: 'n',
    toolName: 'search',
    input: '{}',
    providerExecuted: true,
  }
  const model = new MockLanguageModelV3({
    doGenerate: async () => ({
      content: [
        { type: 'text', text: 'See.', providerMetadata: { a: { b: 1 } } },
        source,
        native,
        { type: 'text', text: 'Done.' },
      ],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage,
      warnings: [],
    }),
  })
  const { content, finishReason } = await withTools(model, 'xml').doGenerate({ prompt: [], tools: [weatherDefinition] })
  expect(content).toEqual([
    { type: 'text', text: 'See.', providerMetadata: { a: { b: 1 } } },
    source,
    native,
    { type: 'text', text: '\n' },
    { type: 'text', text: 'Done.' },
  ])
  expect(finishReason.unified).toBe('stop')
})

test('a text ends before a file that follows it', async () => {
  const chunks: LanguageModelV3StreamPart[] = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'See.\n' },
    { type: 'file', mediaType: 'image/png', data: 'AQID' },
    { type: 'text-end', id: '0' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
  ]
  const model = new MockLanguageModelV3({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) })
  const { stream } = await withTools(model, 'xml').doStream({ prompt: [], tools: [weatherDefinition] })
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  expect(types).toEqual(['text-start', 'text-delta', 'text-end', 'file', 'finish'])
})

test('without tools nothing is read, so structured output stays as it is', async () => {
  const object = { note: `<think>\n${write(xml, 'o', { city: 'Oslo' })}` }
  const { output } = await generateText({
    model: withTools(textModel(JSON.stringify(object)), 'xml'),
    output: Output.object({ schema: z.object({ note: z.string() }) }),
    prompt: 'Write a note.',
  })
  expect(output).toEqual(object)
})

test.each(['auto', 'hermes', 'llama3', 'xml', 'pythonic'])(
  'in %s structured output beside tools is read after the calls, and JSON is not a call',
  async name => {
    const { tools, called } = weatherTools()
    const call = write(syntaxes.get(name), 'c', { city: 'Oslo' })
    const model = textModel(call, '{"name": "weather", "note": "wet"}')
    const { output, steps } = await generateText({
      model: withTools(model, name),
      tools,
      prompt: 'Oslo?',
      stopWhen: stepCountIs(5),
      output: Output.object({ schema: z.object({ name: z.string(), note: z.string() }) }),
    })
    expect(called).toEqual([{ city: 'Oslo' }])
    expect(steps).toHaveLength(2)
    expect(output).toEqual({ name: 'weather', note: 'wet' })
  },
)

test('in auto an answer that is asked for as JSON is not a call, whatever it looks like', async () => {
  const { tools, called } = weatherTools()
  const answer = { name: 'weather', arguments: { city: 'Oslo' } }
  const { output } = await generateText({
    model: withTools(textModel(JSON.stringify(answer)), 'auto'),
    tools,
    prompt: 'Which call would you make?',
    output: Output.object({ schema: z.object({ name: z.string(), arguments: z.object({ city: z.string() }) }) }),
  })
  expect(output).toEqual(answer)
  expect(called).toEqual([])
})

test.each(['auto', 'qwen3-coder', 'harmony', 'caret'])('in %s an agent of the AI SDK runs its loop', async name => {
  const syntax = syntaxes.get(name)
  const replies = [`I look.\n\n${write(syntax, 'c', { city: 'Oslo' })}`, 'Rain.']
  const { tools, called } = weatherTools()
  const generated = await new ToolLoopAgent({ model: withTools(textModel(...replies), name), tools }).generate({
    prompt: 'Oslo?',
  })
  expect(generated.text).toBe('Rain.')
  const streamed = await new ToolLoopAgent({ model: withTools(textModel(...replies), name), tools }).stream({
    prompt: 'Oslo?',
  })
  expect(await streamed.text).toBe('Rain.')
  expect(called).toEqual([{ city: 'Oslo' }, { city: 'Oslo' }])
})

test('a stream that breaks off without its end is closed, and its call does not run', async () => {
  const delta = 'I look.\n\n<tool:weather>\n<param:city>Os'
  const chunks: LanguageModelV3StreamPart[] = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta },
  ]
  const model = new MockLanguageModelV3({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) })
  const { stream } = await withTools(model, 'xml').doStream({ prompt: [], tools: [weatherDefinition] })
  const parts: LanguageModelV3StreamPart[] = []
  for await (const part of stream) parts.push(part)
  expect(parts.map(part => part.type)).toEqual([
    ...['text-start', 'text-delta', 'text-end', 'tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call'],
  ])
  expect(parts.at(-1)).toMatchObject({ toolName: 'weather', input: expect.not.stringMatching(/^\s*(?:\{|$)/) })
})

test('native changes nothing, and a name that is not known is told at once', async () => {
  const model = textModel('<tool:weather></tool:weather>')
  const params: LanguageModelV3CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }] }
  const middleware = textSyntaxMiddleware('native')
  const { content } = await middleware.wrapGenerate({ params, model })
  await middleware.wrapStream({ params, model })
  expect(content).toEqual([{ type: 'text', text: '<tool:weather></tool:weather>' }])
  expect([model.doGenerateCalls[0], model.doStreamCalls[0]]).toEqual([params, params])
  expect(() => textSyntaxMiddleware('xlm')).toThrow(expect.objectContaining({ code: 'SYNTAX_UNKNOWN' }))
})

test('ids are unique where nobody gives them', async () => {
  const call = write(xml, 'o', { city: 'Oslo' })
  const model = wrapLanguageModel({ model: textModel(call + call), middleware: textSyntaxMiddleware('xml') })
  const { content } = await model.doGenerate({ prompt: [], tools: [weatherDefinition] })
  const ids = content.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []))
  expect(new Set(ids).size).toBe(2)
  expect(ids[0]).toMatch(/^call_[a-z0-9]{16}$/)
})
