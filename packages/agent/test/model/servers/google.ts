import {
  cutIntoPieces,
  type ModelServer,
  printInput,
  type ScriptedReply,
  sse,
  startModelServer,
} from './model-server.ts'

/** A server that speaks Google's Gemini API. Calls come whole, as Gemini sends them. */
export function startGoogle(script: readonly ScriptedReply[]): Promise<ModelServer> {
  return startModelServer(script, {
    events,
    failure: sse({ error: { code: 503, message: 'The engine stopped.', status: 'UNAVAILABLE' } }),
    env: url => ({
      GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
      GOOGLE_GENERATIVE_AI_API_KEY: 'AIza-test-0123456789abcdef',
    }),
  })
}

function events(reply: ScriptedReply, number: number): string[] {
  const parts: object[] = []
  if (reply.reasoning) {
    for (const text of cutIntoPieces(reply.reasoning.text)) parts.push({ text, thought: true })
  }
  // Gemini signs what follows its thoughts: the first call, or the text.
  let signature = reply.reasoning?.signature
  const sign = () => {
    const signed = signature === undefined ? {} : { thoughtSignature: signature }
    signature = undefined
    return signed
  }
  for (const text of cutIntoPieces(reply.text ?? '')) parts.push({ text, ...(reply.calls?.length ? {} : sign()) })
  for (const call of reply.calls ?? []) {
    const functionCall = {
      name: call.name,
      args: JSON.parse(printInput(call.input)),
      ...(call.id ? { id: call.id } : {}),
    }
    parts.push({ functionCall, ...sign() })
  }
  const { input = 0, output = 0, reasoning = 0, cached = 0 } = reply.usage ?? {}
  const chunk = (part: object, last: boolean) =>
    sse({
      candidates: [
        {
          content: { role: 'model', parts: [part] },
          index: 0,
          ...(last ? { finishReason: reply.finish === 'length' ? 'MAX_TOKENS' : 'STOP' } : {}),
        },
      ],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: last ? output - reasoning : 1,
        thoughtsTokenCount: reasoning,
        cachedContentTokenCount: cached,
        totalTokenCount: input + output,
      },
      modelVersion: 'gemini-test',
      responseId: `resp_${number}`,
    })
  const last = parts.pop() ?? { text: '' }
  return [...parts.map(part => chunk(part, false)), chunk(last, true)]
}
