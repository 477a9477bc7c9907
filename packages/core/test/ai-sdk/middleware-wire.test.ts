import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { textSyntaxMiddleware } from '@argot/core/ai-sdk'
import { dialectFor, syntaxes } from '@argot/core/syntax'
import { stepCountIs, streamText, tool, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

/** A server that speaks OpenAI's wire and has no tools, as many local ones: what goes in and comes out is only text. */

interface Request {
  model: string
  messages: { role: string; content: string }[]
  tools?: unknown
}

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(replies: readonly string[]) {
  const asked: Request[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const piece of request) body += String(piece)
    asked.push(JSON.parse(body) as Request)
    const text = replies[Math.min(asked.length, replies.length) - 1] ?? ''
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (delta: object, finish: string | null = null) =>
      response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
    for (const content of text.match(/.{1,7}/gs) ?? []) chunk({ role: 'assistant', content })
    chunk({}, 'stop')
    response.end('data: [DONE]\n\n')
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return { asked, baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

async function run(syntax: string, modelId: string, replies: readonly string[]) {
  const { asked, baseURL } = await serve(replies)
  const provider = createOpenAICompatible({ name: 'local', baseURL })
  const model = wrapLanguageModel({ model: provider(modelId), middleware: textSyntaxMiddleware(syntax) })
  const called: unknown[] = []
  const weather = tool({
    inputSchema: z.object({ city: z.string(), days: z.number().int().optional() }),
    execute: async input => {
      called.push(input)
      return `rain in ${input.city}`
    },
  })
  const result = streamText({ model, tools: { weather }, prompt: 'Oslo?', stopWhen: stepCountIs(3) })
  return { text: await result.text, asked, called }
}

describe.each(syntaxes.names().filter(name => name !== 'native'))('in %s', name => {
  test('a model behind a plain server gets a loop with tools', async () => {
    const call = { toolCallId: 'functions.weather:0', toolName: 'weather', input: { city: 'Oslo', days: 2 } }
    const replies = [`${syntaxes.get(name).format(call)}\n`, 'It rains.']
    const { text, asked, called } = await run(name, 'some-model', replies)
    expect(called).toEqual([{ city: 'Oslo', days: 2 }])
    expect(text).toBe('It rains.')
    expect(asked.map(({ tools }) => tools)).toEqual([undefined, undefined])
    expect(asked[0]?.messages[0]?.content).toContain('weather')
    expect(asked[1]?.messages.at(-1)?.content).toContain('rain in Oslo')
  })
})

test('the dialect of a known model is found by its name', async () => {
  const name = dialectFor('Qwen/Qwen3-Coder-30B-A3B-Instruct')?.name ?? ''
  const said = '<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>'
  expect((await run(name, 'qwen3-coder-30b', [said, 'It rains.'])).called).toEqual([{ city: 'Oslo' }])
})
