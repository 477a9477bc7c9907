import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'

/** A model without a network: each reply streams these pieces of text. */
export function speakingModel(pieces: () => AsyncIterable<string>): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'speaking',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    doStream: () => Promise.resolve({ stream: toStream(speak(pieces())) }),
  }
}

async function* speak(pieces: AsyncIterable<string>): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'text-start', id: '0' }
  for await (const delta of pieces) yield { type: 'text-delta', id: '0', delta }
  yield { type: 'text-end', id: '0' }
  const input = { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined }
  const usage = { inputTokens: input, outputTokens: { total: 1, text: 1, reasoning: undefined } }
  yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }
}

function toStream(parts: AsyncGenerator<LanguageModelV3StreamPart>): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
}
