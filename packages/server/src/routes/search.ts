import { defined } from '@argot/core/stream/internal'
import type { Api } from '../api/index.ts'
import { Problem } from '../guard/problem.ts'
import { json, type Route } from './route.ts'
import { count, flag, list, object, optional, text } from './schema.ts'

type SearchResponse = Api['searchDocuments']['answer']
type Hit = SearchResponse['hits'][number]

export const searchRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/search',
    id: 'searchDocuments',
    summary: 'The documents that contain these words, best match first.',
    query: {
      q: {
        description: 'The words, in any order. A word also matches longer words that begin with it.',
        schema: { type: 'string', minLength: 1, maxLength: 1000 },
      },
      limit: {
        description: 'The maximum number of documents; 20 by default.',
        schema: { type: 'integer', minimum: 1, maximum: 100 },
      },
    },
    answers: {
      200: {
        description: 'The documents, each with its best message and the words around the match.',
        schema: object<SearchResponse>({
          hits: list(
            object<Hit>({
              path: text,
              title: text,
              message: count,
              id: optional(text),
              role: optional(text),
              snippet: object<Hit['snippet']>({ text, marks: list(list(count)) }),
            }),
          ),
          total: count,
          hasAll: flag,
          skipped: count,
        }),
      },
    },
    async handle({ query, request, server }) {
      const { q = '', limit = '20' } = query
      if (!/[\p{L}\p{N}]/u.test(q)) throw new Problem(400, 'SERVER_BAD_QUERY', '`q` has no word to search for.')
      const answer = await server.search.search(q, Number(limit), request.signal)
      const hits = answer.hits.map(({ score: _, id, role, ...hit }) => ({ ...hit, ...defined({ id, role }) }))
      return json({ ...answer, hits })
    },
  },
]
