import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { accumulate } from '@argot/core'
import { syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { during } from '../model/collect.ts'
import { type Wire, wires } from '../model/providers/wire.ts'
import type { ModelServer, ScriptedReply } from '../model/servers/model-server.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const names = ['openai', 'anthropic', 'google', 'openai-compatible'] as const
type Name = (typeof names)[number]

const look = { type: 'object', properties: { a: { type: 'string' } } }

/** What each API must be sent: the tools and settings of every request, the conversation of the second and the third. */
const sent: Record<Name, { settings: object; untaught: object; second: object; third: object }> = {
  openai: {
    settings: {
      max_output_tokens: 900,
      reasoning: { effort: 'low', summary: 'auto' },
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'look', parameters: look }],
    },
    untaught: { max_output_tokens: 900 },
    second: {
      input: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: 'What is in x and y?' }] },
        {
          ...{ type: 'reasoning', id: 'rs_1', encrypted_content: 'SIGNED==1' },
          summary: [{ type: 'summary_text', text: 'Two files.' }],
        },
        { role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'I look at both.' }] },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"a":"x"}' },
        { type: 'function_call', call_id: 'c2', name: 'look', arguments: '{"a":"y"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'x is empty' },
        { type: 'function_call_output', call_id: 'c2', output: 'y is empty' },
      ],
    },
    third: {
      input: [
        {
          ...{ type: 'reasoning', id: 'rs_2', encrypted_content: 'SIGNED==2' },
          summary: [{ type: 'summary_text', text: 'Empty.' }],
        },
        { role: 'assistant', id: 'msg_2', content: [{ type: 'output_text', text: 'Both are empty.' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'Sure?' }] },
      ],
    },
  },
  anthropic: {
    settings: {
      // The number of tokens to think with comes on top of the limit.
      max_tokens: 900 + 4096,
      thinking: { type: 'enabled', budget_tokens: 4096 },
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: [{ name: 'look', input_schema: look }],
    },
    untaught: { max_tokens: 900 + 4096 },
    second: {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What is in x and y?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Two files.', signature: 'SIGNED==1' },
            { type: 'text', text: 'I look at both.' },
            { type: 'tool_use', id: 'c1', name: 'look', input: { a: 'x' } },
            { type: 'tool_use', id: 'c2', name: 'look', input: { a: 'y' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'x is empty' },
            { type: 'tool_result', tool_use_id: 'c2', content: 'y is empty' },
          ],
        },
      ],
    },
    third: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Empty.', signature: 'SIGNED==2' },
            { type: 'text', text: 'Both are empty.' },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'Sure?' }] },
      ],
    },
  },
  google: {
    settings: {
      generationConfig: {
        ...{ maxOutputTokens: 900, temperature: 0.25 },
        thinkingConfig: { thinkingBudget: 2048, includeThoughts: true },
      },
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'look', parameters: look }] }],
    },
    untaught: { generationConfig: { maxOutputTokens: 900, temperature: 0.25 } },
    second: {
      contents: [
        { role: 'user', parts: [{ text: 'What is in x and y?' }] },
        {
          role: 'model',
          parts: [
            { text: 'Two files.', thought: true },
            { text: 'I look at both.' },
            { functionCall: { id: 'c1', name: 'look', args: { a: 'x' } }, thoughtSignature: 'SIGNED==1' },
            { functionCall: { id: 'c2', name: 'look', args: { a: 'y' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'look', response: { name: 'look', content: 'x is empty' } } },
            { functionResponse: { id: 'c2', name: 'look', response: { name: 'look', content: 'y is empty' } } },
          ],
        },
      ],
    },
    third: {
      contents: [
        {
          role: 'model',
          parts: [
            { text: 'Empty.', thought: true },
            { text: 'Both are empty.', thoughtSignature: 'SIGNED==2' },
          ],
        },
        { role: 'user', parts: [{ text: 'Sure?' }] },
      ],
    },
  },
  'openai-compatible': {
    settings: {
      ...{ max_tokens: 900, temperature: 0.25, reasoning_effort: 'low' },
      tools: [{ type: 'function', function: { name: 'look', parameters: look } }],
    },
    untaught: { max_tokens: 900, temperature: 0.25, reasoning_effort: 'low' },
    second: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is in x and y?' },
        {
          ...{ role: 'assistant', content: 'I look at both.', reasoning_content: 'Two files.' },
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":"x"}' } },
            { id: 'c2', type: 'function', function: { name: 'look', arguments: '{"a":"y"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'x is empty' },
        { role: 'tool', tool_call_id: 'c2', content: 'y is empty' },
      ],
    },
    third: {
      messages: [
        { role: 'assistant', content: 'Both are empty.', reasoning_content: 'Empty.' },
        { role: 'user', content: 'Sure?' },
      ],
    },
  },
}

const script: ScriptedReply[] = [
  {
    reasoning: { text: 'Two files.', signature: 'SIGNED==1' },
    text: 'I look at both.',
    calls: [
      { id: 'c1', name: 'look', input: { a: 'x' } },
      { id: 'c2', name: 'look', input: { a: 'y' } },
    ],
    usage: { input: 10, output: 5, reasoning: 2, cached: 3 },
  },
  {
    reasoning: { text: 'Empty.', signature: 'SIGNED==2' },
    text: 'Both are empty.',
    usage: { input: 20, output: 7, reasoning: 1, cached: 4 },
  },
  { text: 'Yes.', usage: { input: 30, output: 1 } },
]

function documentFor(wire: Wire, config = ''): string {
  const id = wire.model.slice(wire.model.indexOf(':') + 1)
  const api = wire.model.slice(0, wire.model.indexOf(':'))
  return `<config model="${id}" api="${api}" max_tokens="900" temperature="0.25" reasoning_effort="low"${config}/>
<tool name="look"/>

<system>
Be brief.
</system>

<user>
What is in x and y?
</user>
`
}

interface Started {
  server: ModelServer
  file: string
  options: RunOptions
}

/** A document in a folder of its own, and the server that its model is on. */
async function start(wire: Wire, replies: readonly ScriptedReply[], config = ''): Promise<Started> {
  const folder = await documentFolder({ 'chat.chatmd': documentFor(wire, config) })
  const server = await during(wire.start(replies))
  const tools = [fakeTool('look', 'read', ({ a }) => `${a} is empty`)]
  const options = { cwd: folder, env: server.env, configFolder: join(folder, 'none'), tools, now: () => 1e12 }
  return { server, file: join(folder, 'chat.chatmd'), options }
}

/** The list that holds the conversation, whatever the API calls it. */
function conversation(body: object): unknown[] {
  const lists = body as Record<string, unknown[]>
  return lists.input ?? lists.messages ?? lists.contents ?? []
}

describe.each(names)('a document on %s', name => {
  const wire = wires[name]!

  test('is run in two steps, kept, and gone on with from the file, signatures included', async () => {
    const { server, file, options } = await start(wire, script)
    const { chunks, result } = await follow(runDocument(file, { ...options, id: 'r1' }))
    expect(result).toMatchObject({ status: 'done', text: 'Both are empty.' })

    const steps = chunks.filter(({ type }) => type === 'start-step' || type === 'finish-step').map(({ type }) => type)
    expect(steps).toEqual(['start-step', 'finish-step', 'start-step', 'finish-step'])
    const ends = chunks.flatMap(chunk => (chunk.type === 'text-end' ? [chunk.providerMetadata?.argot] : []))
    expect(ends).toEqual([{ phase: 'commentary', toolCallId: 'c1' }, { phase: 'final' }])
    const outputs = chunks.flatMap(chunk => (chunk.type === 'tool-output-available' ? [chunk.toolCallId] : []))
    expect(outputs).toEqual(['c1', 'c2'])
    // Anthropic counts what it took from its cache apart.
    const cached = name === 'anthropic' ? 7 : 0
    const usage = {
      ...{ inputTokens: 30 + cached, outputTokens: 12, totalTokens: 42 + cached },
      ...{ reasoningTokens: 3, cachedInputTokens: 7 },
    }
    expect(chunks.at(-1)).toEqual({
      ...{ type: 'finish', messageId: 'msg-r1', finishReason: 'stop' },
      messageMetadata: { usage, model: wire.model, steps: 2 },
    })
    const fold = accumulate({ now: () => 1e12 })
    for (const chunk of chunks) fold.push(chunk)
    expect(fold.message).toEqual(result.message)
    expect(result.message!.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Two files.', state: 'done' },
      { type: 'text', text: 'I look at both.', phase: 'commentary', toolCallId: 'c1' },
      { type: 'tool', toolInvocation: { toolCallId: 'c1', state: 'output-available', output: 'x is empty' } },
      { type: 'tool', toolInvocation: { toolCallId: 'c2', state: 'output-available', output: 'y is empty' } },
      { type: 'step-start' },
      { type: 'reasoning', text: 'Empty.', state: 'done' },
      { type: 'text', text: 'Both are empty.', phase: 'final' },
    ])

    const source = await readFile(file, 'utf8')
    expect(source.startsWith(documentFor(wire))).toBe(true)
    const sidecar = await readFile(join(dirname(file), '.chatmd/sidecars', `${basename(file)}.jsonl`), 'utf8')
    for (const signature of name === 'openai-compatible' ? [] : ['SIGNED==1', 'SIGNED==2']) {
      expect(source).not.toContain(signature)
      expect(sidecar).toContain(signature)
    }
    expect((await readMessages(file)).at(-1)).toEqual(result.message)

    const again = await follow(runDocument(file, { ...options, id: 'r2', input: 'Sure?' }))
    expect(again.result).toMatchObject({ status: 'done', text: 'Yes.' })
    const [first, second, third] = server.requests
    expect(server.requests.map(({ path }) => path)).toEqual([wire.path, wire.path, wire.path])
    for (const { body } of server.requests) expect(body).toMatchObject(sent[name].settings)
    expect(conversation(second!.body)).toEqual(conversation(sent[name].second))
    expect(conversation(first!.body)).toEqual(
      conversation(sent[name].second).slice(0, conversation(first!.body).length),
    )
    expect(conversation(third!.body)).toEqual([...conversation(sent[name].second), ...conversation(sent[name].third)])
    expect(await readMessages(file)).toMatchObject([
      { role: 'system' },
      { role: 'user' },
      { id: 'msg-r1', role: 'assistant' },
      { role: 'user', parts: [{ text: 'Sure?' }] },
      { id: 'msg-r2', role: 'assistant', parts: [{ type: 'step-start' }, { text: 'Yes.', phase: 'final' }] },
    ])
  })

  test.each(['xml', 'hermes'])('is told of its tools in words with the syntax %s', async syntax => {
    const call = { toolCallId: 'c1', toolName: 'look', input: { a: 'x' } }
    const written = syntaxes.get(syntax).format(call, fakeTool('look', 'read'))
    const { server, file, options } = await start(
      wire,
      [
        { reasoning: { text: 'A file.', signature: 'SIGNED==1' }, text: `I look at it.\n\n${written}\n` },
        { text: 'It is empty.' },
        { text: 'Yes.' },
      ],
      ` tool_syntax="${syntax}"`,
    )
    const { chunks, result } = await follow(runDocument(file, { ...options, id: 'r1' }))
    expect(result).toMatchObject({ status: 'done', text: 'It is empty.' })
    expect(chunks).toContainEqual(
      expect.objectContaining({ type: 'tool-input-available', toolName: 'look', input: { a: 'x' } }),
    )
    expect((await readMessages(file)).at(-1)).toEqual(result.message)
    await follow(runDocument(file, { ...options, id: 'r2', input: 'Sure?' }))
    expect(server.requests.length).toBe(3)
    for (const { body } of server.requests) {
      expect(body).not.toHaveProperty('tools')
      expect(body).toMatchObject(sent[name].untaught)
    }
    const [, , third] = server.requests
    const whole = JSON.stringify(third!.body)
    // Once in the history; a lesson shows another example.
    expect(whole.split(JSON.stringify(written).slice(1, -1)).length).toBe(2)
    for (const said of ['I look at it.', 'x is empty', 'It is empty.', 'Sure?', 'Does look.'])
      expect(whole).toContain(said)
    expect(whole).not.toMatch(/"(?:function_call|tool_use|functionCall|tool_calls|tool_result|functionResponse)"/)
    expect(conversation(third!.body).at(-1)).toEqual(conversation(sent[name].third).at(-1))
  })
})

test('the attribute api chooses the provider, and a name with its provider beats it', async () => {
  const server = await during(wires['openai-compatible']!.start([{ text: 'Hello.' }, { text: 'Hello again.' }]))
  const folder = await documentFolder({
    'chat.chatmd': '<config model="claude-mine" api="openai-compatible"/>\n<user>\nHi\n</user>\n',
  })
  const options = { cwd: folder, env: server.env, configFolder: join(folder, 'none') }
  const first = await follow(runDocument('chat.chatmd', options))
  expect(first.result).toMatchObject({ status: 'done', text: 'Hello.' })
  await writeFile(
    join(folder, 'chat.chatmd'),
    '<config model="ollama:claude-mine" api="anthropic"/>\n<user>\nHi\n</user>\n',
  )
  const second = await follow(runDocument('chat.chatmd', options))
  expect(second.result).toMatchObject({ status: 'done', text: 'Hello again.' })
  expect(server.requests.map(({ body }) => body.model)).toEqual(['claude-mine', 'claude-mine'])
  await writeFile(join(folder, 'chat.chatmd'), '<config model="x" api="nobody"/>\n<user>\nHi\n</user>\n')
  const third = await follow(runDocument('chat.chatmd', options))
  expect(third.result).toMatchObject({ status: 'failed', code: 'MODEL_UNKNOWN_PROVIDER' })
})
