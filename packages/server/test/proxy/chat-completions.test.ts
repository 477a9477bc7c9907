import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { textChunks } from './fake-upstream.ts'
import { type StartedProxy, startProxy, weather } from './start-proxy.ts'

let started: StartedProxy | undefined

afterEach(async () => {
  await started?.close()
  started = undefined
})

async function start(...given: Parameters<typeof startProxy>): Promise<{ client: OpenAI } & StartedProxy> {
  started = await startProxy(...given)
  return { ...started, client: new OpenAI({ baseURL: `${started.url}/v1`, apiKey: 'sk-test', maxRetries: 0 }) }
}

const request = {
  model: 'fake',
  messages: [{ role: 'user' as const, content: 'How is the weather in Oslo?' }],
  tools: [weather],
}
const leak = 'I look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>'

const thought = 'Hm.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'

describe('a call at the end of reasoning that never closes', () => {
  const text = [{ chunks: textChunks(`<think>${thought}`) }]

  test.each([
    ['in the text', text],
    ['in a field', [{ chunks: [{ reasoning_content: thought }, { finish: 'stop' }] }]],
  ])('%s is a call only if the proxy was asked to read them', async (_, upstream) => {
    const { client, close } = await start(upstream, { reasoningCalls: true })
    const { choices } = await client.chat.completions.create(request)
    expect(choices[0]!.message.tool_calls).toMatchObject([
      { function: { name: 'weather', arguments: '{"city": "Oslo"}' } },
    ])
    await close()
    const other = await start(upstream)
    const reply = await other.client.chat.completions.create(request)
    expect(reply.choices[0]!.message.tool_calls).toBeUndefined()
  })
})

describe('a call in the text', () => {
  test('is a call for a client that does not stream, and the text around it stays', async () => {
    const { client, upstream } = await start([{ chunks: textChunks(leak) }])
    const { choices } = await client.chat.completions.create(request)
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'I look.\n',
        tool_calls: [{ type: 'function', function: { name: 'weather', arguments: '{"city": "Oslo", "days": 2}' } }],
      },
    })
    expect(upstream.asked[0]).toMatchObject({ path: '/v1/chat/completions', body: { ...request } })
    expect(upstream.asked[0]!.headers.authorization).toBe('Bearer sk-test')
  })

  test.each([0, 1])('is a call for a client that streams, with %i retries', async retries => {
    const { client } = await start([{ chunks: textChunks(leak) }], { retries })
    const stream = client.chat.completions.stream({ ...request })
    const deltas: string[] = []
    stream.on('content', delta => deltas.push(delta))
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]!.finish_reason).toBe('tool_calls')
    expect(deltas.join('')).toBe('I look.\n')
    expect(choices[0]!.message.tool_calls).toMatchObject([
      { function: { name: 'weather', arguments: '{"city": "Oslo", "days": 2}' } },
    ])
  })
})
