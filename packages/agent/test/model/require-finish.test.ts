import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { openReply, requireFinish } from '../../src/model/require-finish.ts'

type Part = LanguageModelV3StreamPart

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}
const finish: Part = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }
const silent: Part = { type: 'finish', finishReason: { unified: 'other', raw: undefined }, usage }
const text: Part = { type: 'text-delta', id: '0', delta: 'Hello.' }
const whole: Part = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"a":1}' }
const cut: Part = { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: '{"a":' }
const broken: Part = { type: 'error', error: new Error('The server said no.') }

const replies: Record<string, readonly Part[]> = {
  'a whole reply': [text, whole, finish],
  'nothing at all': [],
  'a reply without an end': [text, whole],
  'a call that is cut and an end': [text, cut, whole, finish],
  'a call that is cut and no end': [text, cut],
  'an end for no reason': [text, cut, silent],
  'an error and an end': [text, broken, text, finish],
}

function model(parts: readonly Part[], onCancel?: (reason: unknown) => void): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    async doStream() {
      let next = 0
      const stream = new ReadableStream<Part>({
        pull(controller) {
          const part = parts[next++]
          if (part !== undefined) controller.enqueue(part)
          else if (onCancel === undefined) controller.close()
          else return new Promise(() => {})
          return undefined
        },
        cancel: reason => onCancel?.(reason),
      })
      return { stream }
    },
  }
}

async function readAll(reader: Pick<ReadableStreamDefaultReader<Part>, 'read'>): Promise<Part[]> {
  const parts: Part[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return parts
    parts.push(value)
  }
}

describe.each(Object.entries(replies))('%s', (_, parts) => {
  test('is read directly as it is read from the stream of the checked model', async () => {
    const streamed = await readAll((await requireFinish(model(parts)).doStream({ prompt: [] })).stream.getReader())
    const read = await readAll(await openReply(requireFinish(model(parts)), { prompt: [] }))
    expect(read).toEqual(streamed)
    expect(read.some(part => part.type === 'error' || (part.type === 'finish' && part !== silent))).toBe(true)
  })
})

test('a model that nobody has wrapped is read as it is', async () => {
  expect(await readAll(await openReply(model([text]), { prompt: [] }))).toEqual([text])
})

test('a reply that is cancelled ends, and its model is told why', async () => {
  let told: unknown
  const reply = await openReply(
    requireFinish(
      model([text], reason => {
        told = reason
      }),
    ),
    { prompt: [] },
  )
  expect(await reply.read()).toEqual({ done: false, value: text })
  const reading = reply.read()
  await reply.cancel('enough')
  expect(await reading).toEqual({ done: true, value: undefined })
  expect(await reply.read()).toEqual({ done: true, value: undefined })
  expect(told).toBe('enough')
})
