import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { chooseModel } from '@argot/agent'
import type { ModelSettings } from '@argot/agent/internal'
import { expect, test } from 'vitest'
import { collect, during } from '../collect.ts'
import { startAnthropic } from '../servers/anthropic.ts'
import { startCompatible } from '../servers/compatible.ts'
import { startGoogle } from '../servers/google.ts'
import { startOpenAi } from '../servers/openai.ts'

const start = { openai: startOpenAi, anthropic: startAnthropic, google: startGoogle, ollama: startCompatible }

/** The body of the request that a model with these settings sends. */
async function send(name: string, settings: ModelSettings, options: Partial<LanguageModelV3CallOptions> = {}) {
  const server = await during(start[name.split(':')[0] as keyof typeof start]([{ text: 'Hi.' }]))
  const model = await chooseModel(name, { env: server.env })
  const { thrown, parts } = await collect(model, { ...model.settings(settings), ...options })
  expect(thrown).toBeUndefined()
  const warnings = parts.flatMap(part => (part.type === 'stream-start' ? part.warnings : []))
  return { body: server.requests[0]!.body, warnings }
}

test('the token limit and the temperature reach every provider', async () => {
  const settings = { maxTokens: 700, temperature: 0.5 }
  expect((await send('openai:gpt-4o', settings)).body).toMatchObject({ max_output_tokens: 700, temperature: 0.5 })
  expect((await send('anthropic:claude-sonnet-4-5', settings)).body).toMatchObject({
    max_tokens: 700,
    temperature: 0.5,
  })
  expect((await send('google:gemini-2.5-flash', settings)).body).toMatchObject({
    generationConfig: { maxOutputTokens: 700, temperature: 0.5 },
  })
  expect((await send('ollama:llama3:8b', settings)).body).toMatchObject({
    model: 'llama3:8b',
    max_tokens: 700,
    temperature: 0.5,
    stream_options: { include_usage: true },
  })
})

test.each([
  ['openai:gpt-5-mini', 'low', { reasoning: { effort: 'low', summary: 'auto' } }],
  ['openai:ft:gpt-5-mini:acme', 'high', { reasoning: { effort: 'high', summary: 'auto' } }],
  ['anthropic:claude-sonnet-4-5', 'low', { thinking: { type: 'enabled', budget_tokens: 4096 } }],
  ['anthropic:claude-opus-4-1-20250805', 'high', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
  ['anthropic:claude-sonnet-4-6', 'high', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
  ['anthropic:claude-opus-5-5', 'minimal', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
  ['anthropic:claude-sonnet-4-5', 'none', { thinking: { type: 'disabled' } }],
  ['google:gemini-2.5-flash', 'none', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
  ['google:gemini-2.5-pro', 'none', { generationConfig: { thinkingConfig: { thinkingBudget: 128 } } }],
  [
    'google:gemini-3.5-flash',
    'low',
    { generationConfig: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: true } } },
  ],
  ['google:gemini-flash-latest', 'max', { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } }],
  ['ollama:gpt-oss', 'medium', { reasoning_effort: 'medium' }],
])('%s reasons with effort %s', async (name, reasoningEffort, expected) => {
  const { body, warnings } = await send(name, { reasoningEffort })
  expect(body).toMatchObject(expected)
  expect(warnings).toEqual([])
})

test.each([
  ['openai:gpt-4o', 'low'],
  ['anthropic:claude-3-haiku-20240307', 'low'],
  ['anthropic:claude-sonnet-5', 'quite a lot'],
  ['google:gemini-2.0-flash', 'low'],
  ['google:gemini-3.5-flash', 'quite a lot'],
])('%s leaves out the effort %s', async (name, reasoningEffort) => {
  const { body } = await send(name, { reasoningEffort })
  expect(body).not.toHaveProperty('reasoning')
  expect(body).not.toHaveProperty('thinking')
  expect(body).not.toHaveProperty('generationConfig.thinkingConfig')
})

test('OpenAI keeps nothing, and gives its reasoning encrypted where the model reasons', async () => {
  expect((await send('openai:gpt-5-mini', {})).body).toMatchObject({
    store: false,
    include: ['reasoning.encrypted_content'],
  })
  expect((await send('openai:ft:o4-mini:acme::1', {})).body).toMatchObject({ include: ['reasoning.encrypted_content'] })
  const { body } = await send('openai:gpt-4o', {})
  expect(body.store).toBe(false)
  expect(body).not.toHaveProperty('include')
})

test.each([
  [
    'openai:gpt-5-mini',
    { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'c2lnbmVk' } },
    { type: 'reasoning', id: 'rs_1', encrypted_content: 'c2lnbmVk' },
  ],
  ['anthropic:claude-sonnet-4-5', { anthropic: { signature: 'c2lnbmVk' } }, { signature: 'c2lnbmVk' }],
  ['google:gemini-3.5-flash', { google: { thoughtSignature: 'c2lnbmVk' } }, { thoughtSignature: 'c2lnbmVk' }],
])('%s takes its own reasoning back with the next step', async (name, providerOptions, expected) => {
  const { body } = await send(
    name,
    {},
    {
      prompt: [
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'First I look.', providerOptions },
            { type: 'tool-call', toolCallId: 'a', toolName: 'read_file', input: { path: 'a' } },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'a', toolName: 'read_file', output: { type: 'text', value: 'A' } },
          ],
        },
      ],
    },
  )
  const pieces: unknown[] = [body.input, body.messages, body.contents].flat().filter(Boolean)
  const flat = pieces.flatMap(piece => {
    const { content, parts } = piece as { content?: unknown[]; parts?: unknown[] }
    return [piece, ...(Array.isArray(content) ? content : []), ...(parts ?? [])]
  })
  expect(flat).toContainEqual(expect.objectContaining(expected))
})
