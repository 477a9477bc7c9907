import type { Diagnostic, ToolDefinition, UIMessage } from '@argot/core'
import { type ApprovalAnswer, type ApprovalChange, answerFields } from '@argot/core/stream/internal'
import type { AnswerBody, CallOutput, ChatRequest, PendingApproval, WaitingCall } from '../api/bodies.ts'
import type * as api from '../api/index.ts'
import {
  amount,
  anything,
  choice,
  count,
  date,
  either,
  flag,
  integer,
  list,
  object,
  oneOfTwo,
  openObject,
  optional,
  outline,
  type Properties,
  record,
  type Schema,
  text,
  textWith,
} from './schema.ts'

/** The shapes of requests and responses as JSON Schema. Shapes that only one route uses are next to it. */

export const problemSchema: Schema<api.ServerProblem> = openObject<api.ServerProblem>({ code: text, message: text })

export const stateNames = ['queued', 'running', 'waiting', 'stopping', 'done', 'failed', 'stopped'] as const

export const runSchema: Schema<api.RunResource> = object<api.RunResource>({
  id: text,
  document: text,
  state: choice(...stateNames),
  offset: count,
  startedAt: date,
  endedAt: optional(date),
  steps: count,
  usage: openObject<api.RunResource['usage']>({
    inputTokens: count,
    outputTokens: count,
    totalTokens: count,
    estimated: optional(flag),
    cost: optional(amount),
  }),
  finishReason: optional(text),
  error: optional(text),
  code: optional(text),
  pending: list(
    object<PendingApproval>({
      approvalId: text,
      toolCallId: text,
      toolName: text,
      input: optional(anything),
      inputHash: text,
    }),
  ),
  outputs: list(object<WaitingCall>({ toolCallId: text, toolName: text, input: optional(anything) })),
  queue: list(object<api.RunResource['queue'][number]>({ id: text, text })),
})

const uiMessageSchema: Schema<UIMessage> = outline({
  type: 'object',
  properties: { id: text, role: text, parts: { type: 'array', items: { type: 'object' } } },
  required: ['role', 'parts'],
})

export const modelNameSchema: Schema<string> = textWith({ minLength: 1, maxLength: 200 })
export const syntaxNameSchema: Schema<string> = textWith({ minLength: 1, maxLength: 100 })

export const sendSchema: Schema<api.RunRequest> = object<api.RunRequest>({
  document: textWith({ minLength: 1, maxLength: 1024 }),
  input: optional(oneOfTwo(text, uiMessageSchema)),
  mode: optional(choice('queue', 'reject', 'steer')),
  params: optional(record(textWith({ maxLength: 1_000_000 }), { maxProperties: 100 })),
  model: optional(modelNameSchema),
  syntax: optional(syntaxNameSchema),
  approve: optional(choice('ask', 'readonly', 'none')),
})

/** The fields of an answer, from core's table. */
function answerProperties<Answer extends ApprovalAnswer>(
  isWanted: (field: (typeof answerFields)[number]) => boolean = () => true,
): Properties<Pick<Answer, keyof ApprovalAnswer & keyof Answer>> {
  const schemas = {
    boolean: flag,
    string: textWith({ maxLength: 10_000 }),
    number: outline<number>({ type: 'number' }),
  }
  const fields = answerFields.filter(isWanted).map(({ name, type }) => {
    return [name, name === 'approved' ? schemas[type] : optional<never>(schemas[type] as never)]
  })
  return { ...Object.fromEntries(fields), input: optional(anything) }
}

type AnswerApprovals = api.Api['answerApprovals']

export const answersSchema: Schema<AnswerApprovals['body']> = object<AnswerApprovals['body']>({
  answers: list(
    object<AnswerBody>({
      approvalId: textWith({ minLength: 1, maxLength: 1000 }),
      inputHash: textWith({ minLength: 1, maxLength: 200 }),
      ...answerProperties<AnswerBody>(({ isNote }) => isNote !== true),
    }),
    { minItems: 1, maxItems: 1000 },
  ),
})

export const answerResultsSchema: Schema<AnswerApprovals['answer']> = object<AnswerApprovals['answer']>({
  results: list(
    object<api.AnswerResult>({
      approvalId: text,
      status: choice(200, 409, 410),
      answer: optional(openObject<ApprovalAnswer>({ ...answerProperties() })),
      message: optional(text),
    }),
  ),
})

export const approvalCheckSchema: Schema<api.ApprovalCheckResult> = object<api.ApprovalCheckResult>({
  state: choice('applies', 'changed', 'fails', 'unknown'),
  at: date,
  problem: optional(text),
  changes: optional(
    list(
      object<ApprovalChange>({
        path: text,
        from: optional(text),
        operation: choice('add', 'update', 'move', 'delete'),
        linesBefore: optional(count),
        linesAfter: optional(count),
      }),
    ),
  ),
  diff: optional(text),
})

export const outputSchema: Schema<CallOutput> = either<
  Extract<CallOutput, { output: unknown }>,
  Extract<CallOutput, { errorText: string }>
>(
  {
    toolCallId: textWith({ minLength: 1, maxLength: 1000 }),
    output: anything,
    errorText: textWith({ maxLength: 100_000 }),
  },
  { toolCallId: true, output: true },
  { toolCallId: true, errorText: true },
)

export const documentEntrySchema: Schema<api.DocumentEntry> = object<api.DocumentEntry>({
  path: text,
  title: text,
  state: choice('idle', 'running', 'waiting', 'interrupted'),
  updatedAt: date,
  run: optional(text),
  branchOf: optional(text),
})

type MessagesAnswer = api.Api['listMessages']['answer']

export const messagePageSchema: Schema<MessagesAnswer> = openObject<MessagesAnswer>({
  messages: list(outline({ type: 'object' })),
  before: optional(text),
  total: integer,
  run: optional(text),
})

export const diagnosticSchema: Schema<Diagnostic> = outline({
  type: 'object',
  properties: { severity: text, code: text, message: text },
  required: ['severity', 'code', 'message'],
})

type DocumentPreviewMessage = api.DocumentPreview['messages'][number]

export const previewSchema: Schema<api.DocumentPreview> = openObject<api.DocumentPreview>({
  model: text,
  syntax: text,
  tokens: optional(integer),
  messages: list(
    openObject<DocumentPreviewMessage>({
      role: text,
      sent: flag,
      pieces: list(
        openObject<DocumentPreviewMessage['pieces'][number]>({
          text,
          origin: text,
          added: optional(flag),
          tokens: optional(integer),
        }),
      ),
    }),
  ),
  tools: list(outline<ToolDefinition>({ type: 'object' })),
  diagnostics: list(diagnosticSchema),
  notices: list(text),
})

export const messageSchema: Schema<api.Api['steerRun']['body']> = object<api.Api['steerRun']['body']>({
  input: oneOfTwo(text, uiMessageSchema),
})

export const stopSchema: Schema<api.Api['stopRun']['body']> = object<api.Api['stopRun']['body']>({
  reason: optional(textWith({ maxLength: 2000 })),
})

export const chatSchema: Schema<ChatRequest> = openObject<ChatRequest>({
  id: textWith({ minLength: 1, maxLength: 1024 }),
  messages: list(outline<UIMessage>({ type: 'object' })),
  trigger: optional(text),
  messageId: optional(text),
  mode: optional(choice('queue', 'steer')),
})

export const trashedSchema: Schema<api.TrashEntry> = openObject<api.TrashEntry>({
  path: textWith({ description: "The document's former path." }),
  id: textWith({ description: 'Distinguishes the removed documents that had this path.' }),
  removedAt: date,
})
