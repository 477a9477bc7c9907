import { defined } from '@argot/core/stream/internal'
import type { Api } from '../api/index.ts'
import { requireDocument } from '../guard/document-path.ts'
import { Problem } from '../guard/problem.ts'
import { findOwnershipProblem } from '../runs/find-ownership-problem.ts'
import type { Relaxations } from '../runs/relaxations.ts'
import { json, type Route } from './route.ts'
import { date, list, object, optional, text, textWith } from './schema.ts'
import { problemSchema } from './schemas.ts'
import type { ServerContext } from './server-context.ts'

type RelaxationsAnswer = Api['readRelaxations']['answer']
type Active = RelaxationsAnswer['active'][number]

const active = object<Active>({ folder: text, until: date })
const off = { description: 'The server was started without `--allow-relax`.', schema: problemSchema }

/** Without `allowRelax` the server responds as if the route didn't exist. */
function requireRelax({ relaxations }: ServerContext): Relaxations {
  if (relaxations !== undefined) return relaxations
  throw new Problem(404, 'SERVER_NOT_FOUND', 'There is nothing at this address.')
}

function toActive({ folder, until }: { folder: string; until: number }): Active {
  return { folder, until: new Date(until).toISOString() }
}

export const relaxRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/relax',
    id: 'readRelaxations',
    summary: "The folders with relaxed approvals, and whether a document's approvals can be relaxed.",
    query: { document: { description: 'The document.', schema: { type: 'string', minLength: 1, maxLength: 1024 } } },
    answers: {
      200: {
        description: 'With `key`, approvals can be relaxed once; `problem` says why they cannot be.',
        schema: object<RelaxationsAnswer>({ active: list(active), key: optional(text), problem: optional(text) }),
      },
      404: off,
    },
    async handle({ query, server }) {
      const relaxations = requireRelax(server)
      const answer: RelaxationsAnswer = { active: relaxations.list().map(toActive) }
      if (query.document === undefined) return json(answer)
      const document = await requireDocument(server.store, query.document)
      const problem = await findOwnershipProblem(server.store, document)
      return json({ ...answer, ...defined({ problem, key: problem === undefined ? relaxations.offer() : undefined }) })
    },
  },
  {
    method: 'POST',
    path: '/api/relax',
    id: 'startRelaxation',
    summary: "For an hour, allows those calls from a folder's documents that only the policy would ask about.",
    bodyBytes: 8 * 1024,
    body: object<Api['startRelaxation']['body']>({
      document: textWith({ minLength: 1, maxLength: 1024 }),
      folder: textWith({ maxLength: 1024 }),
      key: textWith({ minLength: 1, maxLength: 100 }),
    }),
    answers: {
      200: { description: 'When it ends.', schema: active },
      403: { description: 'The document may belong to another user.', schema: problemSchema },
      404: { description: 'There is no such folder, or the server does not allow it.', schema: problemSchema },
      409: { description: 'The key was used or withdrawn, or has expired.', schema: problemSchema },
    },
    async handle({ body, server, client }) {
      const relaxations = requireRelax(server)
      const document = await requireDocument(server.store, body.document)
      const problem = await findOwnershipProblem(server.store, document)
      if (problem !== undefined) throw new Problem(403, 'SERVER_NOT_RELAXED', problem)
      return json(toActive(relaxations.start({ ...body, document, client })))
    },
  },
  {
    method: 'DELETE',
    path: '/api/relax',
    id: 'endRelaxation',
    summary: 'Makes approvals in a folder ask again, from the next call on.',
    query: { folder: { description: 'The folder; empty for the served folder.', schema: { type: 'string' } } },
    answers: { 204: { description: 'Approvals ask again.' }, 404: off },
    handle({ query, server, client }) {
      requireRelax(server).end(query.folder ?? '', client)
      return new Response(null, { status: 204 })
    },
  },
]
