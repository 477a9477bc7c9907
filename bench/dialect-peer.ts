import { readFileSync } from 'node:fs'
import { hermesToolMiddleware, morphXmlToolMiddleware, qwen3CoderToolMiddleware } from '@ai-sdk-tool/parser'
import { wrapLanguageModel } from 'ai'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { tools } from './dialect-texts.ts'

/** The dialects that the peer reads too, by our name. */
const peers = new Map([
  ['hermes', hermesToolMiddleware],
  ['qwen3-coder', qwen3CoderToolMiddleware],
  ['cline', morphXmlToolMiddleware],
])

/** The version of the peer. */
export function peerVersion(): string {
  const file = new URL('../node_modules/@ai-sdk-tool/parser/package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** The inputs of the calls that the peer finds in a streamed text, as JSON; undefined for a dialect that it does not know. */
export async function readTextWithPeer(name: string, text: string): Promise<string[] | undefined> {
  const middleware = peers.get(name)
  if (middleware === undefined) return undefined
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const mock = new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks: [
          { type: 'stream-start' as const, warnings: [] },
          { type: 'text-start' as const, id: '1' },
          ...(text.match(/.{1,5}/gs) ?? []).map(delta => ({ type: 'text-delta' as const, id: '1', delta })),
          { type: 'text-end' as const, id: '1' },
          { type: 'finish' as const, finishReason: { unified: 'stop' as const, raw: 'stop' }, usage },
        ],
      }),
    }),
  })
  const { stream } = await wrapLanguageModel({ model: mock, middleware }).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Keep a note.' }] }],
    tools: tools.map(tool => ({
      type: 'function' as const,
      name: tool.name,
      inputSchema: tool.inputSchema as object,
    })),
  })
  const found: string[] = []
  for await (const part of stream) if (part.type === 'tool-call') found.push(sameJson(part.input))
  return found
}

/** The same JSON in one layout. */
function sameJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
