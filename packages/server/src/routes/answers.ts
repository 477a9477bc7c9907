import { feedbackReasonLength, writeFeedback } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import type { Api } from '../api/index.ts'
import { realDocument, requireDocument } from '../guard/document-path.ts'
import { Problem } from '../guard/problem.ts'
import { json, type Route } from './route.ts'
import { choice, count, list, object, openObject, optional, text, textWith } from './schema.ts'
import { problemSchema } from './schemas.ts'

type Point = Api['listBranches']['answer']['points'][number]

const noDocument = { description: 'There is no such document.', schema: problemSchema }

/** A held document is usually free again in a moment, unless a run is working on it. */
const WAIT_MS = 2000

export const answerRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/documents/{path}/branches',
    id: 'listBranches',
    summary: 'Where a document and its branches diverge.',
    answers: {
      200: {
        description: 'The positions, in message order.',
        schema: openObject<Api['listBranches']['answer']>({
          points: list(openObject<Point>({ message: optional(text), documents: list(text), current: count })),
        }),
      },
      404: noDocument,
    },
    async handle({ params, server }) {
      const path = realDocument(server.store.root, await requireDocument(server.store, params.path!))
      return json({ points: await server.documents.readBranchPoints(path) })
    },
  },
  {
    method: 'PUT',
    path: '/api/documents/{path}/feedback',
    id: 'giveFeedback',
    summary: 'Stores feedback on an answer in the sidecar, or removes it.',
    bodyBytes: 16 * 1024,
    body: object<Api['giveFeedback']['body']>({
      message: textWith({ minLength: 1, maxLength: 1000 }),
      value: choice('good', 'bad', 'none'),
      reason: optional(textWith({ maxLength: feedbackReasonLength })),
    }),
    answers: {
      200: {
        description: 'The feedback was stored.',
        schema: openObject<Api['giveFeedback']['answer']>({
          message: text,
          value: choice('good', 'bad', 'none'),
          reason: optional(text),
        }),
      },
      404: { description: 'There is no such document or answer.', schema: problemSchema },
      409: { description: 'A run is using the document.', schema: problemSchema },
    },
    async handle({ params, body, server }) {
      const path = realDocument(server.store.root, await requireDocument(server.store, params.path!))
      await server.runs.afterEnding(path)
      try {
        await writeFeedback(server.store, path, body, { now: server.now, waitMs: WAIT_MS })
      } catch (error) {
        if (!(error instanceof ArgotError) || error.code !== 'RUN_LOCKED') throw error
        throw new Problem(409, 'SERVER_BUSY', 'A run is using the document. Send the feedback again when it ends.')
      }
      return json(body)
    },
  },
]
