import { hermesToolMiddleware, qwen3CoderToolMiddleware } from '@ai-sdk-tool/parser'
import { wrapLanguageModel } from 'ai'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { writeFile } from './syntax-cases.ts'

/** The syntaxes that the peer knows too, by our name. */
export const peers = { hermes: hermesToolMiddleware, 'qwen3-coder': qwen3CoderToolMiddleware }

/** Reads the pieces through a model that sends them, with the peer's middleware around it or without any. */
export async function readWithPeer(name: keyof typeof peers | undefined, pieces: readonly string[]): Promise<string[]> {
  const mock = new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks: [
          { type: 'stream-start' as const, warnings: [] },
          { type: 'text-start' as const, id: '1' },
          ...pieces.map(delta => ({ type: 'text-delta' as const, id: '1', delta })),
          { type: 'text-end' as const, id: '1' },
          {
            type: 'finish' as const,
            finishReason: { unified: 'stop' as const, raw: 'stop' },
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: 1, text: 1, reasoning: 0 },
            },
          },
        ],
      }),
    }),
  })
  const model = name === undefined ? mock : wrapLanguageModel({ model: mock, middleware: peers[name] })
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Write the file.' }] }],
    tools: [{ type: 'function', name: writeFile.name, inputSchema: writeFile.inputSchema as object }],
  })
  const inputs: string[] = []
  for await (const part of stream) if (part.type === 'tool-call') inputs.push(part.input)
  return inputs
}
