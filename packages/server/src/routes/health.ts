import type { Api } from '../api/index.ts'
import { sessionCookie } from '../guard/token.ts'
import { json, type Route } from './route.ts'
import { object, openObject, outline, text, textWith } from './schema.ts'

const answer = openObject<Api['health']['answer']>({ status: text })

export const healthRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/healthz',
    id: 'health',
    summary: 'The process is alive.',
    isOpen: true,
    answers: { 200: { description: 'The process is alive.', schema: answer } },
    handle: () => json({ status: 'ok' }),
  },
  {
    method: 'GET',
    path: '/readyz',
    id: 'ready',
    summary: 'The server accepts runs.',
    isOpen: true,
    answers: {
      200: { description: 'The server accepts runs.', schema: answer },
      503: { description: 'The server is shutting down.', schema: answer },
    },
    handle: ({ server }) => (server.isClosing() ? json({ status: 'closing' }, 503) : json({ status: 'ready' })),
  },
  {
    method: 'POST',
    path: '/api/session',
    id: 'openSession',
    summary: 'Exchanges the token for a cookie, once per browser.',
    isOpen: true,
    bodyBytes: 4 * 1024,
    body: object<Api['openSession']['body']>({ token: textWith({ minLength: 1, maxLength: 1000 }) }),
    answers: { 204: { description: 'The cookie is set.' }, 401: { description: 'The token is wrong.' } },
    handle({ body, server, request }) {
      // A TLS proxy sets this header. Faking it only makes the cookie stricter.
      const protocol = request.headers.get('x-forwarded-proto') ?? new URL(request.url).protocol
      const isSecure = /^https:?$/i.test(protocol)
      const cookie = sessionCookie(body.token, server.token, isSecure)
      return new Response(null, { status: 204, headers: { 'set-cookie': cookie } })
    },
  },
  {
    method: 'GET',
    path: '/api/openapi.json',
    id: 'openapi',
    summary: 'This description.',
    answers: { 200: { description: 'OpenAPI 3.1.', schema: outline<Record<string, unknown>>({ type: 'object' }) } },
    handle: ({ server }) => json(server.openapi()),
  },
]
