import type { JsonSchema } from 'argot'
import { answerFields } from 'argot/stream'

/** The shapes that routes take and give, as JSON Schema. */

const text: JsonSchema = { type: 'string' }
const count: JsonSchema = { type: 'integer', minimum: 0 }

export const problemSchema: JsonSchema = {
  type: 'object',
  properties: { code: text, message: text },
  required: ['code', 'message'],
}

export const stateNames: readonly string[] = ['queued', 'running', 'waiting', 'stopping', 'done', 'failed', 'stopped']

export const runSchema: JsonSchema = {
  type: 'object',
  properties: {
    id: text,
    document: text,
    state: { type: 'string', enum: [...stateNames] },
    offset: count,
    startedAt: { type: 'string', format: 'date-time' },
    endedAt: { type: 'string', format: 'date-time' },
    steps: count,
    usage: {
      type: 'object',
      properties: { inputTokens: count, outputTokens: count, totalTokens: count, estimated: { type: 'boolean' } },
      required: ['inputTokens', 'outputTokens', 'totalTokens'],
    },
    finishReason: text,
    error: text,
    code: text,
    pending: {
      type: 'array',
      items: {
        type: 'object',
        properties: { approvalId: text, toolCallId: text, toolName: text, input: {}, inputHash: text },
        required: ['approvalId', 'toolCallId', 'toolName', 'inputHash'],
        additionalProperties: false,
      },
    },
    outputs: {
      type: 'array',
      items: {
        type: 'object',
        properties: { toolCallId: text, toolName: text, input: {} },
        required: ['toolCallId', 'toolName'],
        additionalProperties: false,
      },
    },
    queue: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: text, text },
        required: ['id', 'text'],
        additionalProperties: false,
      },
    },
  },
  required: ['id', 'document', 'state', 'offset', 'startedAt', 'steps', 'usage', 'pending', 'outputs', 'queue'],
  additionalProperties: false,
}

export const messageSchema: JsonSchema = {
  type: 'object',
  properties: { id: text, role: text, parts: { type: 'array', items: { type: 'object' } } },
  required: ['role', 'parts'],
}

export const modelNameSchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 }
export const syntaxNameSchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 100 }

export const sendSchema: JsonSchema = {
  type: 'object',
  properties: {
    document: { type: 'string', minLength: 1, maxLength: 1024 },
    input: { anyOf: [{ type: 'string' }, messageSchema] },
    mode: { type: 'string', enum: ['queue', 'reject'] },
    params: { type: 'object', additionalProperties: { type: 'string', maxLength: 1_000_000 }, maxProperties: 100 },
    model: modelNameSchema,
    syntax: syntaxNameSchema,
    approve: { type: 'string', enum: ['ask', 'readonly', 'none'] },
  },
  required: ['document'],
  additionalProperties: false,
}

/** The fields of an answer, as the table in core has them. */
function answerProperties(isWanted: (field: (typeof answerFields)[number]) => boolean = () => true) {
  const schema = (type: string): JsonSchema => (type === 'string' ? { type, maxLength: 10_000 } : { type })
  return Object.fromEntries(answerFields.filter(isWanted).map(({ name, type }) => [name, schema(type)]))
}

export const answersSchema: JsonSchema = {
  type: 'object',
  properties: {
    answers: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      items: {
        type: 'object',
        properties: {
          approvalId: { type: 'string', minLength: 1, maxLength: 1000 },
          inputHash: { type: 'string', minLength: 1, maxLength: 200 },
          ...answerProperties(({ isNote }) => isNote !== true),
          input: {},
        },
        required: ['approvalId', 'inputHash', 'approved'],
        additionalProperties: false,
      },
    },
  },
  required: ['answers'],
  additionalProperties: false,
}

export const answerResultsSchema: JsonSchema = {
  type: 'object',
  properties: {
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          approvalId: text,
          status: { type: 'integer', enum: [200, 409, 410] },
          answer: {
            type: 'object',
            properties: answerProperties(),
            required: ['approved'],
          },
          message: text,
        },
        required: ['approvalId', 'status'],
        additionalProperties: false,
      },
    },
  },
  required: ['results'],
  additionalProperties: false,
}

export const outputSchema: JsonSchema = {
  type: 'object',
  properties: {
    toolCallId: { type: 'string', minLength: 1, maxLength: 1000 },
    output: {},
    errorText: { type: 'string', maxLength: 100_000 },
  },
  oneOf: [{ required: ['toolCallId', 'output'] }, { required: ['toolCallId', 'errorText'] }],
  additionalProperties: false,
}

export const documentEntrySchema: JsonSchema = {
  type: 'object',
  properties: {
    path: text,
    title: text,
    state: { type: 'string', enum: ['idle', 'running', 'waiting', 'interrupted'] },
    updatedAt: { type: 'string', format: 'date-time' },
    run: text,
  },
  required: ['path', 'title', 'state', 'updatedAt'],
  additionalProperties: false,
}

export const diagnosticSchema: JsonSchema = {
  type: 'object',
  properties: { severity: text, code: text, message: text },
  required: ['severity', 'code', 'message'],
}

export const stopSchema: JsonSchema = {
  type: 'object',
  properties: { reason: { type: 'string', maxLength: 2000 } },
  additionalProperties: false,
}

export const chatSchema: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 1024 },
    messages: { type: 'array', items: { type: 'object' } },
    trigger: text,
    messageId: text,
  },
  required: ['id', 'messages'],
}

export const trashedSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The path that it had.' },
    id: { type: 'string', description: 'Which one it is of those that had this path.' },
    removedAt: { type: 'string', format: 'date-time' },
  },
  required: ['path', 'id', 'removedAt'],
}
