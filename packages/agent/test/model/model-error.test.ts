import {
  APICallError,
  InvalidResponseDataError,
  LoadAPIKeyError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { describeModelError } from '@argot/agent/workshop'
import { ArgotError } from '@argot/core'
import { expect, test } from 'vitest'
import { readRetryAfter } from '../../src/model/errors/model-error.ts'
import { createRedactor } from '../../src/tool/output/redact.ts'

const model = { name: 'openai-compatible:qwen3' }

function refusal(statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}): APICallError {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body)
  const url = 'http://127.0.0.1:8080/v1/chat/completions?key=abc'
  return new APICallError({
    message: 'x',
    url,
    requestBodyValues: { messages: 'a secret of the user' },
    statusCode,
    responseBody,
    responseHeaders,
  })
}

test.each([
  ["This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.", 400],
  ["Requested token count exceeds the model's maximum context length of 202752 tokens.", 400],
  ['the request exceeds the available context size, try increasing it', 400],
  ['Context size has been exceeded.', 500],
  ['the input length exceeds the context length', 400],
  ['Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with 4096', 400],
  ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000', 400],
  ['Requested tokens (2285) exceed context window of 2048', 400],
])('knows a conversation that is too long by "%s"', (message, status) => {
  for (const body of [{ error: { message } }, { error: message }, { object: 'error', message }, { detail: message }]) {
    expect(describeModelError(refusal(status, body), model)).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      retryable: false,
    })
  }
  expect(describeModelError({ message }, model)).toMatchObject({ code: 'MODEL_CONTEXT_EXCEEDED' })
})

test.each([
  'registry.ollama.ai/library/gemma:2b does not support tools',
  "This model doesn't support tool use in streaming mode.",
  'deepseek-reasoner does not support Function Calling',
  '`tool calling` is not supported with this model',
  "Unsupported parameter: 'tools' is not supported with this model.",
  'tools is not supported in this model. For a list of supported models, refer to the docs.',
  'Function calling is not enabled for models/gemma-3-27b-it',
  'Tool use is not supported.',
  'No endpoints found that support tool use. Try disabling "read_file".',
  '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  'tools param requires --jinja flag',
  'Tool messages are not supported by this model.',
  'The tool role is not supported.',
  "Unsupported value: 'messages[3].role' does not support 'tool' with this model.",
  "'tool' is not one of ['system', 'assistant', 'user', 'function'] - 'messages.2.role'",
  'unknown variant `tool`, expected one of `system`, `user`, `assistant`',
  'Unknown role: tool',
  "Messages with role 'tool' are not supported",
  'Only user and assistant roles are supported!',
])('suggests text with --syntax auto where a server says: %s', message => {
  for (const error of [refusal(400, { error: { message } }), refusal(404, { error: { message } }), { message }]) {
    const failure = describeModelError(error, model)
    expect(failure).toMatchObject({ code: 'MODEL_NO_TOOLS', retryable: false })
    expect(failure.message).toMatch(/as text: --syntax auto, or <config tool_syntax="auto"\/>\. It says: /)
  }
})

test.each([
  "Unexpected role 'user' after role 'tool'",
  "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  "Invalid parameter: messages with role 'tool' must follow a call.",
  'Only user, assistant, system and tool roles are supported!',
  "Unexpected role 'tool' after role 'system'",
  "tools.0.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
])('does not blame missing tools for: %s', message => {
  expect(describeModelError(refusal(400, { error: { message } }), model)).toMatchObject({ code: 'MODEL_BAD_REQUEST' })
})

test.each<[string, unknown, string, boolean]>([
  ['no credit', refusal(429, { error: { message: 'Quota.', type: 'insufficient_quota' } }), 'MODEL_NO_QUOTA', false],
  [
    'no credit at Anthropic',
    refusal(400, { error: { message: 'Your credit balance is too low.' } }),
    'MODEL_NO_QUOTA',
    false,
  ],
  ['payment required', refusal(402, {}), 'MODEL_NO_QUOTA', false],
  [
    'a limit of tokens, not of the context',
    refusal(429, { error: { message: 'prompt too long' } }),
    'MODEL_RATE_LIMITED',
    true,
  ],
  [
    'a model that a project may not use',
    refusal(403, { error: { code: 'model_not_found' } }),
    'MODEL_NOT_FOUND',
    false,
  ],
  ['a country that is not served', refusal(403, { error: { message: 'Not here.' } }), 'MODEL_KEY_REFUSED', false],
  [
    'a model without tools',
    refusal(400, { error: { message: 'llama2 does not support tools' } }),
    'MODEL_NO_TOOLS',
    false,
  ],
  [
    'a server without tools',
    refusal(500, { error: { message: 'tools param requires --jinja flag' } }),
    'MODEL_NO_TOOLS',
    false,
  ],
  ['a gateway', refusal(502, '<html>Bad gateway</html>'), 'MODEL_SERVER_ERROR', true],
  ['a time-out', refusal(408, ''), 'MODEL_SERVER_ERROR', true],
  ['a provider that forbids to retry', refusal(500, {}, { 'x-should-retry': 'false' }), 'MODEL_SERVER_ERROR', false],
  ['a body that is too large', refusal(413, { error: { type: 'request_too_large' } }), 'MODEL_CONTEXT_EXCEEDED', false],
  ['an error event of overload', { type: 'overloaded_error', message: 'Overloaded' }, 'MODEL_STREAM_BROKEN', true],
  ['an error event of a limit', { type: 'rate_limit_error', message: 'Slow.' }, 'MODEL_RATE_LIMITED', true],
  ['an error event with a number', { message: 'Slow.', code: 429 }, 'MODEL_RATE_LIMITED', true],
  ['a missing key', new LoadAPIKeyError({ message: 'x' }), 'MODEL_MISSING_KEY', false],
  [
    'a model that the package lacks',
    new NoSuchModelError({ modelId: 'x', modelType: 'languageModel' }),
    'MODEL_NOT_FOUND',
    false,
  ],
  [
    'a picture for a blind model',
    new UnsupportedFunctionalityError({ functionality: 'image' }),
    'MODEL_NO_PICTURES',
    false,
  ],
  [
    'a sound for a deaf model',
    new UnsupportedFunctionalityError({ functionality: 'audio' }),
    'MODEL_BAD_REQUEST',
    false,
  ],
  ...[
    'Invalid content type. image_url is only supported by certain models.',
    'image input is not supported - hint: you may need to provide the mmproj',
    'llama2 does not support images',
    'small-1 is not a multimodal model',
    'At most 0 image(s) may be provided in one prompt.',
    'this model is missing data required for image input',
  ].map((message): [string, unknown, string, boolean] => [
    message,
    refusal(400, { error: { message } }),
    'MODEL_NO_PICTURES',
    false,
  ]),
  [
    'a router without a model that sees',
    refusal(404, { error: { message: 'No endpoints found that support image input' } }),
    'MODEL_NO_PICTURES',
    false,
  ],
  [
    'a picture that cannot be read',
    refusal(400, { error: { message: 'You uploaded an unsupported image.' } }),
    'MODEL_BAD_REQUEST',
    false,
  ],
  [
    'fields that are not there',
    new InvalidResponseDataError({ data: {}, message: 'No name.' }),
    'MODEL_BAD_REPLY',
    false,
  ],
  ['an error of Argot', new ArgotError('MODEL_BAD_ADDRESS', 'Set it.'), 'MODEL_BAD_ADDRESS', false],
  ['a name that is not found', networkError('ENOTFOUND'), 'MODEL_UNREACHABLE', false],
  ['a name that is not found for now', networkError('EAI_AGAIN'), 'MODEL_UNREACHABLE', true],
  ['a reset', networkError('ECONNRESET'), 'MODEL_UNREACHABLE', true],
  ['a certificate', networkError('SELF_SIGNED_CERT_IN_CHAIN'), 'MODEL_UNREACHABLE', false],
  ['a bare error of the system', Object.assign(new Error('read'), { code: 'ECONNRESET' }), 'MODEL_UNREACHABLE', true],
  ['a mistake in a model of code', new TypeError('x is undefined'), 'MODEL_FAILED', false],
  ['a thrown string', 'no', 'MODEL_FAILED', false],
  ['nothing', undefined, 'MODEL_FAILED', false],
])('an error of a model is told apart: %s', (_, error, code, retryable) => {
  const failure = describeModelError(error, model)
  expect(failure).toMatchObject({ code, retryable })
  expect(failure.message).toMatch(/^\S.*\S$/s)
  expect(failure.message).not.toMatch(/a secret of the user|key=abc/)
})

function networkError(code: string): APICallError {
  const cause = Object.assign(new Error('getaddrinfo'), { code })
  return new APICallError({
    message: 'Cannot connect to API',
    url: 'https://api.test/v1/x',
    requestBodyValues: {},
    cause,
  })
}

test('says what to do, in the words of the provider where it has some', () => {
  const of = (name: string, error: unknown) => describeModelError(error, { name }).message
  expect(of('openai:gpt-4o', refusal(401, { error: { message: 'Incorrect key: sk-abcdefghijklmnopqrstuv.' } }))).toBe(
    'OpenAI refused the key (status 401). Check OPENAI_API_KEY: it may be wrong or expired, or it may not have access to openai:gpt-4o. It says: Incorrect key: [redacted: key].',
  )
  expect(of('ollama:llama3:8b', refusal(404, { error: 'model not found' }))).toBe(
    'Ollama has no model "llama3:8b", or this key may not use it. Check the name, or get it with: ollama pull llama3:8b. It says: model not found',
  )
  expect(of('ollama:x', networkError('ECONNREFUSED'))).toBe(
    'https://api.test/v1/x cannot be reached: nothing is listening there. Start the server, or correct OLLAMA_BASE_URL or OLLAMA_HOST.',
  )
  expect(of('mine', refusal(500, ''))).toBe(
    "The server for mine failed (status 500). Your request isn't the cause. Try again later.",
  )
})

test('takes the keys of the environment out, also those that look like words', () => {
  const error = refusal(400, { error: { message: 'header was Bearer swordfish and AIzaSyA1234567890abcdefgh' } })
  const { message } = describeModelError(error, model, createRedactor({ ARGOT_API_KEY: 'swordfish' }))
  expect(message).toContain('header was Bearer [redacted: ARGOT_API_KEY] and [redacted: key]')
})

test('reads how long to wait from a body of Google, and from a date', () => {
  const body = {
    error: { code: 429, message: 'Quota.', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '39.5s' }] },
  }
  expect(describeModelError(refusal(429, body), model)).toMatchObject({ retryAfterMs: 39_500 })
  const now = Date.UTC(2026, 0, 1)
  expect(readRetryAfter({ 'retry-after': new Date(now + 5000).toUTCString() }, now)).toBe(5000)
  expect(readRetryAfter({ 'retry-after': new Date(now - 5000).toUTCString() }, now)).toBe(0)
})

test('reads a huge body in no time', () => {
  const error = refusal(400, 'exceeds the '.repeat(1_000_000))
  expect(describeModelError(error, model).message.length).toBeLessThan(700)
})

test('a key that a cut of the words would go through is taken out before it', () => {
  const key = 'c0ffee-0123456789-abcdefghijklmnop-qrstuv'
  for (const before of [460, 480, 499, 500]) {
    const error = refusal(400, { error: { message: `${'. '.repeat(before / 2)}${key} and more` } })
    const { message } = describeModelError(error, model, createRedactor({ MY_API_KEY: key }))
    for (let at = 0; at + 6 <= key.length; at++) expect(message).not.toContain(key.slice(at, at + 6))
  }
})
