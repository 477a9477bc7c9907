import type { LanguageModelV3FunctionTool, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { toUsage } from '@argot/core/ai-sdk'
import { describe, expect, test } from 'vitest'
import { collect } from '../collect.ts'
import { keyOf, open, wires } from './wire.ts'

const tools: LanguageModelV3FunctionTool[] = ['read_file', 'grep'].map(name => ({
  type: 'function',
  name,
  description: 'Reads.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}))

describe.each(Object.entries(wires))('a model of %s', (name, wire) => {
  test('gives its text, the end and the usage', async () => {
    const { model } = await open(wire, [
      { text: 'A short answer.', usage: { input: 120, output: 30, cached: 100, reasoning: 8 } },
    ])
    const { parts, thrown } = await collect(model)
    expect(thrown).toBeUndefined()
    expect(joinDeltas(parts, 'text-delta')).toBe('A short answer.')
    const finish = parts.at(-1)
    expect(finish).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' } })
    expect(finish?.type === 'finish' && toUsage(finish.usage)).toMatchObject({
      inputTokens: name === 'anthropic' ? 220 : 120,
      outputTokens: 30,
      cachedInputTokens: 100,
    })
  })

  test('gives its reasoning, and what proves it in the metadata', async () => {
    const { model } = await open(wire, [
      { reasoning: { text: 'First I look.', signature: 'c2lnbmVk' }, text: 'Done.', usage: { input: 1, output: 9 } },
    ])
    const { parts } = await collect(model)
    expect(joinDeltas(parts, 'reasoning-delta')).toBe('First I look.')
    const metadata = parts.flatMap(part => ('providerMetadata' in part ? [part.providerMetadata] : []))
    const expected: Record<string, unknown> = {
      openai: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'c2lnbmVk' } },
      anthropic: { anthropic: { signature: 'c2lnbmVk' } },
      google: { google: { thoughtSignature: 'c2lnbmVk' } },
    }
    if (expected[name]) expect(metadata).toContainEqual(expected[name])
  })

  test('gives two calls of one step, each with its own input', async () => {
    const calls = [
      { id: 'call_a', name: 'read_file', input: { path: 'src/a.ts' } },
      { id: 'call_b', name: 'grep', input: { path: 'packages/agent', pattern: 'a "b" c' } },
    ]
    const { model } = await open(wire, [{ text: 'I look.', calls }])
    const { parts } = await collect(model, { tools })
    const found = parts.filter(part => part.type === 'tool-call')
    expect(found.map(call => [call.toolCallId, call.toolName, JSON.parse(call.input)])).toEqual(
      calls.map(call => [call.id, call.name, call.input]),
    )
    for (const { id, input } of calls) {
      const deltas = parts.flatMap(part => (part.type === 'tool-input-delta' && part.id === id ? [part.delta] : []))
      expect(JSON.parse(deltas.join(''))).toEqual(input)
      if (name !== 'google') expect(deltas.length).toBeGreaterThan(1)
    }
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' } })
  })

  test('sends one request, to the address of the variables and with their key', async () => {
    const { model, server } = await open(wire, [{ text: 'Hi.' }])
    await collect(model)
    expect(server.requests).toHaveLength(1)
    const { method, path, headers } = server.requests[0]!
    expect([method, path]).toEqual(['POST', wire.path])
    expect(headers[wire.keyHeader]).toContain(keyOf(server))
  })
})

function joinDeltas(parts: readonly LanguageModelV3StreamPart[], type: 'text-delta' | 'reasoning-delta'): string {
  return parts.flatMap(part => (part.type === type ? [part.delta] : [])).join('')
}
