import { createHash } from 'node:crypto'
import { fromUIMessage, type Message, type UIMessage, userMessage } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { Api, RunRequest, RunResource } from '../api/index.ts'
import { documentPath, requireDocument } from '../guard/document-path.ts'
import { notFound, Problem } from '../guard/problem.ts'
import { requestedModel } from '../guard/requested-model.ts'
import { formatSendKey } from '../runs/queue/send-key.ts'
import { readFrom } from './read-from.ts'
import { json, type Route, type RouteInput, type TypedResponse } from './route.ts'
import { runStream } from './run-stream.ts'
import { list, openObject } from './schema.ts'
import * as schemas from './schemas.ts'

/** The message in a body: a text, or an AI SDK message, of which only texts and files are used. */
function readInput(input: string | UIMessage | undefined): Message | undefined {
  if (input === undefined) return undefined
  if (typeof input === 'string') {
    if (input.trim() === '') throw new Problem(400, 'SERVER_BAD_BODY', '`input` is empty.')
    return userMessage(input)
  }
  return readUserMessage(input)
}

export function readUserMessage(uiMessage: UIMessage): Message {
  const message = fromUIMessage(uiMessage)
  if (uiMessage.role !== 'user') throw new Problem(400, 'SERVER_BAD_BODY', 'Only user messages can be sent.')
  const parts = message.parts.filter(part => part.type === 'file' || (part.type === 'text' && part.text.trim() !== ''))
  if (parts.length === 0) throw new Problem(400, 'SERVER_BAD_BODY', 'The message has neither text nor files.')
  return { ...userMessage(''), id: message.id, parts }
}

async function start({
  body,
  server,
  request,
  client: by,
}: RouteInput<RunRequest>): Promise<TypedResponse<RunResource>> {
  if (server.isClosing()) throw serverClosing()
  const { document: rawPath, input, mode = 'queue', params, syntax, approve, ...rest } = body
  const model = requestedModel(rest.model)
  const document = await requireDocument(server.store, rawPath)
  const message = readInput(input)
  const key = getSendKey(request, 'runs', document, typeof input === 'object' ? input.id : undefined)
  const ownMessage = message && withOwnId(message, mode === 'steer' ? key : undefined)
  const send = { document, input: ownMessage, key, body, by, mode, params, model, syntax, approve }
  const { run } = await server.runs.start(send)
  const resource = await server.runs.get(run)
  if (resource.state === 'failed' && resource.offset === 0) throw couldNotRun(resource)
  const headers = { location: `/api/runs/${encodeURIComponent(run)}`, 'x-argot-run-id': run }
  return json(resource, 201, headers)
}

async function steer(route: RouteInput<{ input: string | UIMessage }>): Promise<TypedResponse<RunResource>> {
  const { params, body, server, request, client: by } = route
  if (server.isClosing()) throw serverClosing()
  const { document } = await server.runs.get(params.id!)
  const message = readInput(body.input)!
  const key = getSendKey(request, 'runs', document, typeof body.input === 'object' ? body.input.id : undefined)
  const { run } = await server.runs.steer(params.id!, { input: withOwnId(message, key), key, body, by })
  return json(await server.runs.get(run), 202, { 'x-argot-run-id': run })
}

/**
 * Gives a message a new id: a client's ids are its own, and the document has others. A message to a working run gets
 * the same id whenever it is sent with the same key, so that the run recognizes it.
 */
export function withOwnId(message: Message, key?: string): Message {
  const name = key === undefined ? crypto.randomUUID() : createHash('sha256').update(key).digest('hex').slice(0, 32)
  const id = `user-${name}`
  const parts = message.parts.map((part, index) => (part.type === 'text' ? { ...part, id: `${id}:${index}` } : part))
  return { ...message, id, parts }
}

export function getSendKey(
  request: Request,
  scope: 'runs' | 'chat',
  document: string,
  messageId: string | undefined,
): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key !== null && (key === '' || key.length > 255)) {
    throw new Problem(400, 'SERVER_BAD_BODY', 'An idempotency key must have 1 to 255 characters.')
  }
  if (key !== null) return formatSendKey(scope, document, { key })
  return messageId === undefined ? undefined : formatSendKey(scope, document, { message: messageId.slice(0, 255) })
}

export function couldNotRun({ error, code, id }: RunResource): Problem {
  return new Problem(422, 'RUN_FAILED', error ?? 'The run could not start.', {
    more: { run: id, ...defined({ code }) },
  })
}

export function serverClosing(): Problem {
  return new Problem(503, 'SERVER_CLOSING', 'The server is shutting down. Try again in a moment.', {
    headers: { 'retry-after': '2' },
  })
}

/** Room for the longest reason, with every character escaped. */
const SMALL_BODY = 16 * 1024

const runAnswer = { description: 'The run.', schema: schemas.runSchema }
const noRun = { description: 'There is no such run.', schema: schemas.problemSchema }

export const runRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/runs',
    id: 'startRun',
    summary: 'Runs a document: answers its last message, or the message in the body.',
    headers: { 'idempotency-key': { description: "A repeated request with the same key joins the first one's run." } },
    body: schemas.sendSchema,
    answers: {
      201: {
        ...runAnswer,
        description: 'The run has started, or is queued.',
        headers: { location: "The run's address.", 'x-argot-run-id': 'The id of the run.' },
      },
      404: { description: 'There is no such document.', schema: schemas.problemSchema },
      409: {
        description: 'The document is already running, or the key was used for something else.',
        schema: schemas.problemSchema,
      },
      422: { description: 'The document cannot be run.', schema: schemas.problemSchema },
    },
    handle: start,
  },
  {
    method: 'GET',
    path: '/api/runs',
    id: 'listRuns',
    summary: "All documents' runs, newest first.",
    query: {
      state: {
        description: 'Only runs in this state; `open`: runs that have not ended.',
        schema: { type: 'string', enum: [...schemas.stateNames, 'open'] },
      },
      document: { description: "Only this document's runs.", schema: { type: 'string' } },
      limit: { description: 'The maximum number of runs.', schema: { type: 'integer', minimum: 1, maximum: 1000 } },
    },
    answers: {
      200: {
        description: 'The runs.',
        schema: openObject<Api['listRuns']['answer']>({ runs: list(schemas.runSchema) }),
      },
    },
    async handle({ query, server }) {
      const { state, document } = query
      const path = document === undefined ? undefined : documentPath(server.store.root, document)
      const filter = state === 'open' ? { isOpen: true } : { state }
      return json({ runs: await server.runs.list({ ...filter, document: path, limit: Number(query.limit ?? 100) }) })
    },
  },
  {
    method: 'GET',
    path: '/api/runs/{id}',
    id: 'getRun',
    summary: 'A run: its state, its open questions and its usage.',
    answers: { 200: runAnswer, 404: noRun },
    handle: async ({ params, server }) => json(await server.runs.get(params.id!)),
  },
  {
    method: 'GET',
    path: '/api/runs/{id}/stream',
    id: 'streamRun',
    summary: "A run's chunks as server-sent events, starting at an offset. A waiting run's stream stays open.",
    query: { from: { description: 'The first offset.', schema: { type: 'integer', minimum: 0 } } },
    headers: { 'last-event-id': { description: 'The offset of the last chunk that you read.' } },
    answers: {
      200: { description: 'The events.', type: 'text/event-stream' },
      404: noRun,
      409: {
        description: 'The step at this offset was redone. A client that only appends must read from the start.',
        schema: schemas.problemSchema,
      },
    },
    async handle(input) {
      const id = input.params.id!
      if (!(await input.server.runs.has(id))) throw notFound(`run \`${id.slice(0, 200)}\``)
      return runStream(input, { run: id, from: readFrom(input), until: 'end' })
    },
  },
  {
    method: 'POST',
    path: '/api/runs/{id}/messages',
    id: 'steerRun',
    summary:
      'Sends a message to a working run; it joins at the next step. If the run waits, or ends before that, a new run answers it.',
    headers: { 'idempotency-key': { description: 'A repeated request with the same key changes nothing.' } },
    body: schemas.messageSchema,
    answers: {
      202: {
        ...runAnswer,
        description: 'The message was stored. The run is the one expected to answer it.',
        headers: { 'x-argot-run-id': "The run's id." },
      },
      404: noRun,
      409: { description: 'The key was used for something else.', schema: schemas.problemSchema },
      410: { description: 'The run has ended.', schema: schemas.problemSchema },
      422: { description: 'The message has a file that would have to be read first.', schema: schemas.problemSchema },
    },
    handle: steer,
  },
  {
    method: 'POST',
    path: '/api/runs/{id}/stop',
    id: 'stopRun',
    summary: 'Stops a run, its tools and its agents, and ends a waiting run. A second stop changes nothing.',
    body: schemas.stopSchema,
    bodyBytes: SMALL_BODY,
    answers: { 202: { ...runAnswer, description: 'The run is stopping, or has ended.' }, 404: noRun },
    async handle({ params, body, server }) {
      return json(await server.runs.posts.stop(params.id!, body.reason), 202)
    },
  },
  {
    method: 'POST',
    path: '/api/runs/{id}/approvals',
    id: 'answerApprovals',
    summary: "Answers one or more of a run's questions, independently. The first answer to each applies.",
    body: schemas.answersSchema,
    answers: { 200: { description: 'The result of each answer.', schema: schemas.answerResultsSchema }, 404: noRun },
    async handle({ params, body, server, client }) {
      return json({ results: await server.runs.posts.answer(params.id!, body.answers, client) })
    },
  },
  {
    method: 'GET',
    path: '/api/runs/{id}/approvals/{approvalId}/check',
    id: 'checkApproval',
    summary: 'Checks a waiting call against the current files. Starts and changes nothing.',
    answers: {
      200: { description: 'What the call would do now.', schema: schemas.approvalCheckSchema },
      404: { description: 'No such question is open.', schema: schemas.problemSchema },
    },
    async handle({ params, server }) {
      const { id, approvalId } = params as { id: string; approvalId: string }
      return json(await server.checks.check(server, id, approvalId))
    },
  },
  {
    method: 'POST',
    path: '/api/runs/{id}/outputs',
    id: 'giveOutput',
    summary: 'Sends the output of a call whose tool runs in the client, such as `ask_user`.',
    body: schemas.outputSchema,
    answers: {
      200: runAnswer,
      404: noRun,
      409: {
        description: 'No call waits for this output, for example because it is the second one.',
        schema: schemas.problemSchema,
      },
      410: { description: 'The run has ended.', schema: schemas.problemSchema },
    },
    async handle({ params, body, server }) {
      await server.runs.posts.giveOutput(params.id!, body)
      return json(await server.runs.get(params.id!))
    },
  },
  {
    method: 'GET',
    path: '/api/runs/{id}/calls/{toolCallId}/output',
    id: 'getOutput',
    summary: "A call's complete output, even if the stream has only its beginning. Supports ranges.",
    headers: { range: { description: 'One range of bytes.' } },
    answers: {
      200: { description: 'Text unchanged, anything else as JSON.', type: 'text/plain' },
      206: { description: 'The range.', type: 'text/plain' },
      404: { description: 'There is no such output.', schema: schemas.problemSchema },
      416: { description: 'There is no such range.', schema: schemas.problemSchema },
    },
    async handle({ params, request, server }) {
      const { id, toolCallId } = params as { id: string; toolCallId: string }
      const output = await server.runs.output(id, toolCallId)
      if (output === undefined) throw notFound(`output of \`${toolCallId.slice(0, 200)}\``)
      return rangeResponse(request, output.value)
    },
  },
]

/** Text unchanged, anything else as JSON. Never as a page. */
function rangeResponse(request: Request, value: unknown): Response {
  const isText = typeof value === 'string'
  const bytes = Buffer.from(isText ? value : JSON.stringify(value ?? null))
  const headers = {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
  }
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get('range') ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return new Response(bytes, { headers })
  const start = first === '' ? Math.max(0, bytes.length - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1)
  if (start > end || start >= bytes.length) {
    throw new Problem(416, 'SERVER_BAD_RANGE', `The output has ${bytes.length} bytes.`, {
      headers: { 'content-range': `bytes */${bytes.length}` },
    })
  }
  return new Response(bytes.subarray(start, end + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
  })
}
