import { chooseModel, type Model } from '@argot/agent'
import { during } from '../collect.ts'
import { startAnthropic } from '../servers/anthropic.ts'
import { startCompatible } from '../servers/compatible.ts'
import { startGoogle } from '../servers/google.ts'
import type { ModelServer, ScriptedReply } from '../servers/model-server.ts'
import { startOpenAi } from '../servers/openai.ts'

/** One API: how its server is started, which model is asked for, and how it words its refusals. */
export interface Wire {
  start(script: readonly ScriptedReply[]): Promise<ModelServer>
  model: string
  path: string
  /** The header that carries the key. */
  keyHeader: string
  badKey: ScriptedReply
  tooMany: ScriptedReply
  broken: ScriptedReply
  noModel: ScriptedReply
  tooLong: ScriptedReply
  badRequest: ScriptedReply
}

export const wires: Record<string, Wire> = {
  openai: {
    start: startOpenAi,
    model: 'openai:gpt-5-mini',
    path: '/v1/responses',
    keyHeader: 'authorization',
    badKey: openAiError(
      401,
      'Incorrect API key provided: sk-test-0123456789abcdef.',
      'invalid_request_error',
      'invalid_api_key',
    ),
    tooMany: openAiError(429, 'Rate limit reached.', 'requests', 'rate_limit_exceeded'),
    broken: openAiError(500, 'The server had an error.', 'server_error', null),
    noModel: openAiError(404, 'The model does not exist.', 'invalid_request_error', 'model_not_found'),
    tooLong: openAiError(
      400,
      'Your input exceeds the context window of this model.',
      'invalid_request_error',
      'context_length_exceeded',
    ),
    badRequest: openAiError(
      400,
      'Invalid schema for function read_file.',
      'invalid_request_error',
      'invalid_function_parameters',
    ),
  },
  anthropic: {
    start: startAnthropic,
    model: 'anthropic:claude-sonnet-4-5',
    path: '/v1/messages',
    keyHeader: 'x-api-key',
    badKey: anthropicError(401, 'authentication_error', 'invalid x-api-key'),
    tooMany: anthropicError(429, 'rate_limit_error', 'This request would exceed your rate limit.'),
    broken: anthropicError(529, 'overloaded_error', 'Overloaded'),
    noModel: anthropicError(404, 'not_found_error', 'model: claude-sonnet-4-5'),
    tooLong: anthropicError(400, 'invalid_request_error', 'prompt is too long: 209353 tokens > 199999 maximum'),
    badRequest: anthropicError(400, 'invalid_request_error', 'tools.0.name: String should match pattern'),
  },
  google: {
    start: startGoogle,
    model: 'google:gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    keyHeader: 'x-goog-api-key',
    badKey: googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]),
    tooMany: googleError(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.'),
    broken: googleError(503, 'UNAVAILABLE', 'The model is overloaded.'),
    noModel: googleError(404, 'NOT_FOUND', 'models/gemini-2.5-flash is not found for API version v1beta.'),
    tooLong: googleError(
      400,
      'INVALID_ARGUMENT',
      'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    badRequest: googleError(400, 'INVALID_ARGUMENT', 'Unable to submit request because it has no content.'),
  },
  'openai-compatible': {
    start: startCompatible,
    model: 'openai-compatible:qwen3',
    path: '/v1/chat/completions',
    keyHeader: 'authorization',
    badKey: openAiError(401, 'Wrong key local-secret-word', 'Unauthorized', 401),
    tooMany: openAiError(429, 'Slow down.', null, 429),
    broken: { status: 500, body: { error: 'runner process has terminated' } },
    noModel: openAiError(404, 'The model `qwen3` does not exist.', 'NotFoundError', 404),
    tooLong: openAiError(
      400,
      'request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it',
      'exceed_context_size_error',
      400,
    ),
    badRequest: { status: 422, body: { detail: 'temperature must be below 2' } },
  },
}

function openAiError(
  status: number,
  message: string,
  type: string | null,
  code: string | number | null,
): ScriptedReply {
  return { status, body: { error: { message, type, code, param: null } } }
}

function anthropicError(status: number, type: string, message: string): ScriptedReply {
  return { status, body: { type: 'error', error: { type, message }, request_id: 'req_1' } }
}

function googleError(code: number, status: string, message: string, details: object[] = []): ScriptedReply {
  return { status: code, body: { error: { code, status, message, details } } }
}

/** A server with this script, and the model that asks it. Ends with the test. */
export async function open(
  wire: Wire,
  script: readonly ScriptedReply[],
): Promise<{ model: Model; server: ModelServer }> {
  const server = await during(wire.start(script))
  return { server, model: await chooseModel(wire.model, { env: server.env }) }
}

/** The key in the variables of a server. */
export function keyOf(server: ModelServer): string {
  return Object.entries(server.env).find(([name]) => name.endsWith('API_KEY'))![1]
}
