import { isDeepStrictEqual } from 'node:util'
import type { UIMessage } from '@argot/core'
import type { UIMessagePart } from '@argot/core/ai-sdk/internal'
import { defined, firstCharacters } from '@argot/core/stream/internal'
import type { AnswerBody, CallOutput, ChatRequest } from '../api/bodies.ts'
import type { RunResource } from '../api/index.ts'
import { findChat, openChat } from '../documents/chat-document.ts'
import { notFound, Problem } from '../guard/problem.ts'
import type { Route, RouteInput } from './route.ts'
import { runStream } from './run-stream.ts'
import { couldNotRun, getSendKey, readUserMessage, serverClosing, withOwnId } from './runs.ts'
import * as schemas from './schemas.ts'
import type { ServerContext } from './server-context.ts'

/** Only the end of a posted conversation matters: a new user message, or answers to the log's questions. */
async function send(input: RouteInput<ChatRequest>): Promise<Response> {
  const { server, body } = input
  const { id, messages, trigger } = body
  if (server.isClosing()) throw serverClosing()
  if (messages.length > server.limits.messages) {
    throw new Problem(
      413,
      'SERVER_BODY_TOO_LONG',
      `A conversation may have at most ${server.limits.messages} messages.`,
    )
  }
  if (trigger === 'regenerate-message') {
    const message = 'A document only grows. To get another answer to a message, branch the document.'
    throw new Problem(409, 'SERVER_CANNOT_REGENERATE', message)
  }
  const last = messages.at(-1)
  if (last?.role === 'user') return sendMessage(input, id, last, body.mode)
  if (last?.role === 'assistant') return sendAnswers(input, id, last)
  throw new Problem(400, 'SERVER_BAD_BODY', 'The conversation has no message to answer.')
}

async function sendMessage(
  input: RouteInput,
  id: string,
  message: UIMessage,
  mode: ChatRequest['mode'] = 'queue',
): Promise<Response> {
  const { server, request, client: by } = input
  const ownMessage = readUserMessage(message)
  const document = await openChat(server.store, id, () => server.template())
  const key = getSendKey(request, 'chat', document, typeof message.id === 'string' ? message.id : undefined)
  const sent = withOwnId(ownMessage, mode === 'steer' ? key : undefined)
  const { run } = await server.runs.start({ document, input: sent, key, body: ownMessage.parts, by, mode })
  const isJoined = mode === 'steer' && (await server.runs.wasSentTo(run, sent.id))
  if (isJoined) return runStream(input, { run, from: 0, until: 'parked', answerTo: sent.id })
  const resource = await server.runs.get(run)
  if (resource.state === 'failed' && resource.offset === 0) throw couldNotRun(resource)
  return runStream(input, { run, from: 0, until: 'parked' })
}

/** How long after its end an interrupted run's message is sent to clients that resume, in milliseconds. */
const INTERRUPTED_MS = 600_000

/**
 * The current message from its start. A client that has a message with this id replaces it. This includes a message
 * that has ended, waits, or was answered since the client got its history.
 */
async function resume(input: RouteInput): Promise<Response> {
  const { server, params, client } = input
  const document = await findChat(server.store, params.chat!)
  if (document === undefined) return new Response(null, { status: 204 })
  const history = server.histories.take(client, document)
  const current = await server.runs.current(document)
  const isWriting = current !== undefined && (await server.runs.isWriting(current.id))
  const { shown = 0 } = isWriting || history === undefined ? {} : ((await server.runs.summary(history.run)) ?? {})
  const changedRun = shown > (history?.offset ?? 0) ? history?.run : undefined
  const run = isWriting ? current.id : (changedRun ?? (await interruptedRun(server, document)))
  if (run === undefined) return new Response(null, { status: 204 })
  const { messageStarts, messageId = '' } = (await server.runs.summary(run)) ?? {}
  // A message that ended since the client got its history comes first, as a whole. The client resumes again for the
  // next one.
  const from = messageStarts?.get(history?.messageId ?? messageId) ?? messageStarts?.get(messageId) ?? 0
  return runStream(input, { run, from, until: 'parked', isOneMessage: true, isContinued: true })
}

/**
 * The document's last run, if a process died in it and it ended recently or waits. Clients that were connected then
 * have half of the message, and no process remembers which clients those were.
 */
async function interruptedRun({ runs, store, now }: ServerContext, document: string): Promise<string | undefined> {
  const entries = await store.logs.list({ path: document })
  const run = entries
    .map(entry => entry.run)
    .sort()
    .at(-1)
  const { isContinued = false, endedAt = now() } = run === undefined ? {} : ((await runs.summary(run)) ?? {})
  return isContinued && now() - endedAt <= INTERRUPTED_MS ? run : undefined
}

/** An AI SDK client answers by sending its message back, with the answers in it. */
async function sendAnswers(input: RouteInput, id: string, message: UIMessage): Promise<Response> {
  const { server, client } = input
  const document = await findChat(server.store, id)
  const run = document === undefined ? undefined : await server.runs.findAnsweredRun(document, message.id)
  if (run === undefined) throw notFound('open question for these answers')
  const parts = Array.isArray(message.parts) ? message.parts.filter(isPart) : []
  const answers = parts.flatMap(part => answerIn(part, run))
  const outputs = parts.flatMap(part => outputIn(part, run))
  if (answers.length + outputs.length === 0) return joinAnswered(input, run, parts)
  for (const output of outputs) await server.runs.posts.giveOutput(run.id, output)
  if (answers.length > 0) await server.runs.posts.answer(run.id, answers, client)
  return runStream(input, { run: run.id, from: run.offset, until: 'parked', isContinued: true })
}

/** Repeating accepted answers gives their result. Other answers are refused. */
async function joinAnswered(input: RouteInput, run: RunResource, parts: readonly UIMessagePart[]): Promise<Response> {
  const { answers, starts } = (await input.server.runs.summary(run.id)) ?? { answers: new Map(), starts: [] }
  const responses = parts.flatMap(({ approval }) => {
    const { id, approved } = (approval ?? {}) as { id?: unknown; approved?: unknown }
    return typeof id === 'string' && typeof approved === 'boolean' ? [{ id, approved }] : []
  })
  const isRepeated =
    responses.length > 0 && responses.every(({ id, approved }) => answers.get(id)?.approved === approved)
  const from = starts.at(-1)
  if (run.state !== 'waiting' && isRepeated && starts.length > 1 && from !== undefined) {
    return runStream(input, { run: run.id, from, until: 'parked', isContinued: true })
  }
  const accepted = responses.flatMap(({ id }) => (answers.has(id) ? [{ approvalId: id, answer: answers.get(id) }] : []))
  const text = 'None of these answers matches an open question, or their inputs are not the ones in question.'
  throw new Problem(409, 'SERVER_NOT_WAITING', text, { more: { run: run.id, answered: accepted } })
}

function isPart(part: unknown): part is UIMessagePart {
  return typeof part === 'object' && part !== null
}

/** AI SDK clients send no hash: an answer is valid only if its part has the input that was asked about. */
function answerIn(part: UIMessagePart, { pending }: RunResource): AnswerBody[] {
  const approval = part.approval as { id?: unknown; approved?: unknown; reason?: unknown } | undefined
  if (typeof approval !== 'object' || approval === null || typeof approval.approved !== 'boolean') return []
  const { id, approved, reason } = approval
  const question = pending.find(({ approvalId, input }) => approvalId === id && isDeepStrictEqual(part.input, input))
  if (question === undefined) return []
  const { approvalId, inputHash } = question
  const reasonText = typeof reason === 'string' ? firstCharacters(reason, 10_000) : undefined
  return [{ approvalId, inputHash, approved, ...defined({ reason: reasonText }) }]
}

function outputIn(part: UIMessagePart, { outputs }: RunResource): CallOutput[] {
  const { toolCallId, state, output, errorText } = part
  const call = outputs.find(one => one.toolCallId === toolCallId)
  if (call === undefined) return []
  if (state === 'output-available' && output !== undefined) return [{ toolCallId: call.toolCallId, output }]
  if (state === 'output-error' && typeof errorText === 'string') return [{ toolCallId: call.toolCallId, errorText }]
  return []
}

export const chatRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/chat',
    id: 'sendChat',
    summary: "Sends a message or answers, like the AI SDK's default transport. The id is a document's path.",
    headers: {
      'idempotency-key': { description: "A repeated request joins the first one's run. Defaults to the message's id." },
    },
    body: schemas.chatSchema,
    answers: {
      200: {
        description: 'Chunks until the answer is complete or a question waits.',
        type: 'text/event-stream',
        headers: { 'x-argot-run-id': 'The id of the run.' },
      },
      404: { description: 'No question waits for these answers.', schema: schemas.problemSchema },
      409: { description: "The answers don't match the open questions.", schema: schemas.problemSchema },
      422: { description: 'The document cannot be run.', schema: schemas.problemSchema },
    },
    handle: send,
  },
  {
    method: 'GET',
    path: '/api/chat/{chat}/stream',
    id: 'resumeChat',
    summary: 'The message being written, from its start.',
    answers: {
      200: { description: 'The chunks.', type: 'text/event-stream' },
      204: { description: 'No message is being written.' },
    },
    handle: resume,
  },
]
