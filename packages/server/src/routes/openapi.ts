import type { JsonSchema } from 'argot'
import { defined } from 'argot'
import type { Route } from './route.ts'
import { problemSchema } from './schemas.ts'

/** The description of the routes, made of what they themselves check and give. */
export function describeRoutes(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    path[route.method.toLowerCase()] = describeRoute(route)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Argot', version, summary: 'Runs of documents, their streams, and approvals.' },
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{}, { token: [] }],
  }
}

function describeRoute({ id, summary, path, query = {}, headers = {}, body, answers }: Route): Record<string, unknown> {
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
    ...defined({ requestBody: body && { required: true, content: contentOf(body) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, one]) => [status, describeAnswer(one)])),
      default: { description: 'It was not done, and why.', content: contentOf(problemSchema) },
    },
  }
}

function describeAnswer({ description, schema, type }: Route['answers'][number]): Record<string, unknown> {
  if (schema !== undefined) return { description, content: contentOf(schema) }
  return type === undefined ? { description } : { description, content: { [type]: { schema: { type: 'string' } } } }
}

function contentOf(body: JsonSchema | 'text'): Record<string, unknown> {
  return body === 'text' ? { 'text/plain': { schema: { type: 'string' } } } : { 'application/json': { schema: body } }
}
