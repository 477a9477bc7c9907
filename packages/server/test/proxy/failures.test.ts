import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { type Answer, textChunks } from './fake-upstream.ts'
import { type StartedProxy, startProxy, weather } from './start-proxy.ts'

/** What servers are known to do, and what a client gets. */
interface Failure {
  name: string
  answer: Answer
  /** The text that the client gets, and the calls by name and arguments. */
  text: string
  calls: [name: string, input: unknown][]
  finish: string
  /** In the comment of the stream. */
  remark?: string
}

const input = { city: 'Oslo', days: 2 }
const json = JSON.stringify(input)
const native = (fields: object, args: unknown = json): object => ({
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: args }, ...fields }],
})
const hermes = `<tool_call>\n{"name": "weather", "arguments": ${json}}\n</tool_call>`
const call: [string, unknown] = ['weather', input]

const failures: Failure[] = [
  {
    name: 'vLLM: the call leaks into the content, as its model wrote it',
    answer: { chunks: textChunks(`I look.\n${hermes}`) },
    text: 'I look.\n',
    calls: [call],
    finish: 'tool_calls',
  },
  {
    name: 'SGLang: a call of Qwen3-Coder leaks, and text follows it',
    answer: {
      chunks: textChunks(
        '<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>\nDone — ✓.',
      ),
    },
    text: '\nDone — ✓.',
    calls: [call],
    finish: 'tool_calls',
  },
  {
    name: 'LM Studio: a call of Llama 3 is the whole content',
    answer: { chunks: textChunks(`{"name": "weather", "parameters": ${json}}`) },
    text: '',
    calls: [call],
    finish: 'tool_calls',
  },
  {
    name: 'vLLM: half of the call leaks into the reasoning, so there is no call',
    answer: {
      chunks: [
        { role: 'assistant', reasoning_content: 'I call it: <tool_call>\n{"name": "weather", ' },
        { content: `"arguments": ${json}}\n</tool_call>` },
        { finish: 'stop' },
      ],
    },
    text: `"arguments": ${json}}\n</tool_call>`,
    calls: [],
    finish: 'stop',
    remark: 'near-miss',
  },
  {
    name: 'Ollama: a complete call in the reasoning is only thought of',
    answer: { chunks: [{ reasoning: `Shall I? ${hermes}` }, { content: 'Hello.' }, { finish: 'stop' }] },
    text: 'Hello.',
    calls: [],
    finish: 'stop',
    remark: 'near-miss',
  },
  {
    name: 'the call comes natively and stays in the text',
    answer: { chunks: [...textChunks(hermes).slice(0, -1), native({}), { finish: 'tool_calls' }] },
    text: '',
    calls: [call],
    finish: 'tool_calls',
    remark: 'doubled-call',
  },
  {
    name: 'a server sends the arguments twice',
    answer: { chunks: [native({}), native({}), { finish: 'tool_calls' }] },
    text: '',
    calls: [call],
    finish: 'tool_calls',
  },
  {
    name: 'Ollama: every call has the index 0',
    answer: {
      chunks: [native({}), native({ id: 'call_2' }, '{"city":"Rome"}'), { finish: 'stop' }],
    },
    text: '',
    calls: [call, ['weather', { city: 'Rome' }]],
    finish: 'tool_calls',
  },
  {
    name: 'calls without an index and without ids',
    answer: {
      chunks: [
        { tool_calls: [{ function: { name: 'weather', arguments: json } }] },
        { tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Rome"}' } }] },
        { finish: 'tool_calls' },
      ],
    },
    text: '',
    calls: [call, ['weather', { city: 'Rome' }]],
    finish: 'tool_calls',
  },
  {
    name: 'the arguments are an object',
    answer: { chunks: [native({}, input), { finish: 'tool_calls' }] },
    text: '',
    calls: [call],
    finish: 'tool_calls',
  },
  {
    name: 'gpt-oss: the name has parts of the template',
    answer: {
      chunks: [native({ function: { name: 'functions.weather<|channel|>json', arguments: json } }), { finish: 'stop' }],
    },
    text: '',
    calls: [call],
    finish: 'tool_calls',
  },
  {
    name: 'pieces of two calls come in turns',
    answer: {
      chunks: [
        native({}, '{"city":"Os'),
        { tool_calls: [{ index: 1, id: 'call_2', function: { name: 'weather', arguments: '{"city":' } }] },
        { tool_calls: [{ index: 0, function: { arguments: 'lo","days":2}' } }] },
        { tool_calls: [{ index: 1, function: { arguments: '"Rome"}' } }] },
        { finish: 'tool_calls' },
      ],
    },
    text: '',
    calls: [call, ['weather', { city: 'Rome' }]],
    finish: 'tool_calls',
  },
  {
    name: 'llama.cpp: `[DONE]` and the usage are missing',
    answer: { chunks: textChunks(hermes), done: false },
    text: '',
    calls: [call],
    finish: 'tool_calls',
  },
  {
    name: 'the reason for the end is missing',
    answer: { chunks: textChunks(hermes).slice(0, -1) },
    text: '',
    calls: [call],
    finish: 'tool_calls',
  },
  {
    name: 'llama.cpp: the stream ends with an error that has the text in it',
    answer: {
      chunks: [
        { role: 'assistant', content: '' },
        { error: { code: 500, message: `Failed to parse input at pos 0: ${hermes}`, type: 'server_error' } },
      ],
    },
    text: '',
    calls: [call],
    finish: 'tool_calls',
    remark: 'quoted-error',
  },
  {
    name: 'a near miss stays text',
    answer: { chunks: textChunks('<tool_cal>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_cal>') },
    text: '<tool_cal>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_cal>',
    calls: [],
    finish: 'stop',
    remark: 'near-miss',
  },
  {
    name: 'an example in a code fence stays text',
    answer: { chunks: textChunks(`Write it so:\n\`\`\`\n${hermes}\n\`\`\`\n`) },
    text: `Write it so:\n\`\`\`\n${hermes}\n\`\`\`\n`,
    calls: [],
    finish: 'stop',
    remark: 'near-miss',
  },
  {
    name: 'a call of a tool that the client has not stays text',
    answer: { chunks: textChunks('<tool_call>{"name": "rm", "arguments": {"path": "/"}}</tool_call>') },
    text: '<tool_call>{"name": "rm", "arguments": {"path": "/"}}</tool_call>',
    calls: [],
    finish: 'stop',
    remark: 'broken-call',
  },
  {
    name: 'a call that the length cut stays text',
    answer: { chunks: textChunks('Look.\n<tool_call>{"name": "weather", "arguments": {"city": "Os', 4, 'length') },
    text: 'Look.\n<tool_call>{"name": "weather", "arguments": {"city": "Os',
    calls: [],
    finish: 'length',
    remark: 'broken-call',
  },
  {
    name: 'wrong types are converted by the schema, natively and in text',
    answer: {
      chunks: [
        { content: '<tool_call>{"name": "weather", "arguments": {"city": "Oslo", "days": "2"}}</tool_call>' },
        native({ index: 0 }, '{"city": 7, "days": "3"}'),
        { finish: 'tool_calls' },
      ],
    },
    text: '',
    calls: [call, ['weather', { city: '7', days: 3 }]],
    finish: 'tool_calls',
    remark: 'repaired',
  },
]

interface ClientReply {
  text: string
  calls: [string, unknown][]
  finish: string
  ids: string[]
}

let started: StartedProxy
let client: OpenAI

beforeAll(async () => {
  started = await startProxy([{ chunks: [] }], { retries: 1 })
  client = new OpenAI({ baseURL: `${started.url}/v1`, apiKey: 'none', maxRetries: 0 })
})

afterAll(() => started.close())

const body = { model: 'fake', messages: [{ role: 'user' as const, content: 'Hi' }], tools: [weather] }

async function ask(failure: Failure, cut: number | 'bytes' | undefined): Promise<ClientReply> {
  // A broken call is asked for once more, and comes out the same.
  started.upstream.answers = [failure.answer]
  started.upstream.cut = cut
  const { choices } = await client.chat.completions.stream(body).finalChatCompletion()
  return toReply(choices[0]!)
}

function toReply({ message, finish_reason: finish }: OpenAI.ChatCompletion.Choice): ClientReply {
  const calls = (message.tool_calls ?? []).filter(one => one.type === 'function')
  return {
    text: message.content ?? '',
    calls: calls.map(({ function: { name, arguments: json } }) => [name, JSON.parse(json)]),
    finish,
    ids: calls.map(({ id }) => id),
  }
}

describe.each(failures)('$name', failure => {
  const { text, calls, finish } = failure
  // A reply that is asked for again is preceded by the text that the client has already got.
  const isAgain = failure.remark === 'broken-call' && failure.finish !== 'length'

  test('a stream', async () => {
    const reply = await ask(failure, undefined)
    expect(reply).toMatchObject({ text, calls, finish })
    expect(new Set(reply.ids).size).toBe(calls.length)
    expect(reply.ids.every(id => id.length >= 6)).toBe(true)
    if (isAgain) expect(started.upstream.asked.at(-1)!.body.messages).toHaveLength(3)
  })

  test('the remark is in the log line and in a comment before `[DONE]`', async () => {
    started.upstream.answers = [failure.answer]
    started.upstream.cut = undefined
    const response = await fetch(`${started.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true }),
    })
    const events = await response.text()
    expect(events).toMatch(/data: \[DONE\]\n\n$/)
    const { remark } = failure
    if (remark === undefined) expect(events).not.toMatch(/^: argot/m)
    else {
      expect(events).toMatch(new RegExp(`^: argot ${remark}: .+\n`, 'm'))
      await expect.poll(() => started.lines.at(-1)).toContain(`${remark}: `)
    }
  })

  test('without a stream', async () => {
    if ('chunks' in failure.answer && JSON.stringify(failure.answer.chunks).includes('"error"')) return
    // What comes in turns only comes so in a stream.
    if (failure.name.includes('in turns')) return
    started.upstream.answers = [failure.answer]
    const { choices } = await client.chat.completions.create(body)
    expect(toReply(choices[0]!)).toMatchObject({ text, calls, finish })
  })

  test('wherever the bytes of the stream are cut', async () => {
    const { answer } = failure
    const length = 'chunks' in answer ? JSON.stringify(answer.chunks).length + answer.chunks.length * 130 : 500
    const cuts = share === 1 ? length : 5
    for (let at = 0; at < cuts; at++) {
      const cut = Math.floor((at * length) / cuts) + 1
      expect(await ask(failure, cut), `cut at ${cut}`).toMatchObject({ text, calls, finish })
    }
    if (share === 1) expect(await ask(failure, 'bytes'), 'byte by byte').toMatchObject({ text, calls, finish })
  })
})
