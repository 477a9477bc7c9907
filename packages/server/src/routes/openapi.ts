import type { JsonSchema } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { AnyRoute, RouteAnswer } from './route.ts'
import { problemSchema } from './schemas.ts'

export function describeRoutes(routes: readonly AnyRoute[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    path[route.method.toLowerCase()] = describeRoute(route)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Argot', version, summary: 'Document runs, their streams, and approvals.' },
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{}, { token: [] }],
  }
}

/** Common error responses of a route: from the guard, and from the server itself. */
function commonAnswers({ method, path, query, body, isOpen, answers }: AnyRoute): AnyRoute['answers'] {
  const common: Record<number, string | undefined> = {
    400: query || body || path.includes('{') ? 'The request is malformed.' : undefined,
    401: isOpen === true ? undefined : 'The token is missing or wrong.',
    403: "The request came from another site's page.",
    413: body && 'The request is longer than the server accepts.',
    415: body && body !== 'text' ? 'The request was not sent as JSON.' : undefined,
    421: "The server doesn't accept this host name.",
    429:
      isOpen === true ? undefined : 'A limit was reached: `limit` names it, and `retry-after` says when to try again.',
    500: 'The server could not do this. Its output says why.',
    503:
      isOpen === true
        ? undefined
        : 'The server is shutting down, or another one has taken over: `retry-after` says when to try again.',
    507: method === 'GET' || method === 'HEAD' ? undefined : "The server's disk is full.",
  }
  const all = Object.entries(common).flatMap(([status, description]) =>
    description === undefined ? [] : [[status, { description, schema: problemSchema }]],
  )
  return { ...(Object.fromEntries(all) as AnyRoute['answers']), ...answers }
}

function describeRoute(route: AnyRoute): Record<string, unknown> {
  const { id, summary, path, query = {}, headers = {}, body } = route
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(query).map(([name, one]) => ({ name, in: 'query', ...one })),
    ...Object.entries(headers).map(([name, one]) => ({ name, in: 'header', schema: { type: 'string' }, ...one })),
  ]
  return {
    operationId: id,
    summary,
    parameters,
    ...defined({ requestBody: body && { required: isRequired(body), content: toContent(body) } }),
    responses: {
      ...Object.fromEntries(Object.entries(commonAnswers(route)).map(([status, one]) => [status, describeAnswer(one)])),
      default: { description: 'The request failed. The body says why.', content: toContent(problemSchema) },
    },
  }
}

function describeAnswer({ description, schema, type, headers }: RouteAnswer): Record<string, unknown> {
  const text = type === undefined ? undefined : { [type]: { schema: { type: 'string' } } }
  const content = schema === undefined ? text : toContent(schema)
  return { description, ...defined({ content, headers: headers && describeHeaders(headers) }) }
}

function describeHeaders(headers: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
}

function toContent(body: JsonSchema | 'text'): Record<string, unknown> {
  return body === 'text' ? { 'text/plain': { schema: { type: 'string' } } } : { 'application/json': { schema: body } }
}

/** A body is optional if all of its fields are. */
function isRequired(body: JsonSchema | 'text'): boolean {
  return body === 'text' || body.required !== undefined || body.oneOf !== undefined
}
