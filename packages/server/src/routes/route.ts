import type { JsonSchema } from 'argot'
import type { ServerContext } from './server-context.ts'

/** What a route is given of a request that has passed the guard: its parts, checked against the schemas of the route. */
export interface RouteInput {
  request: Request
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** As the schema says. */
  body: unknown
  server: ServerContext
  /** Who asks, as far as the address tells. */
  client: string
}

/** What a status of a route means. */
export interface RouteAnswer {
  description: string
  /** Of its JSON. */
  schema?: JsonSchema
  /** Of content that is not JSON. */
  type?: string
  /** The headers that it always has, and what each says. */
  headers?: Readonly<Record<string, string>>
}

/** One thing that can be asked of the server, and its own description, of which the OpenAPI document is made. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  /** As in OpenAPI: `/api/runs/{id}`. `{path}` and `{chat}` may hold slashes. */
  path: string
  /** The name of the operation. */
  id: string
  summary: string
  query?: Readonly<Record<string, { description: string; schema: JsonSchema }>>
  headers?: Readonly<Record<string, { description: string }>>
  /** The body: JSON of this schema, or text. */
  body?: JsonSchema | 'text'
  /** The longest body in bytes, if that is less than `limits.bodyBytes`. */
  bodyBytes?: number
  /** By status. */
  answers: Readonly<Record<number, RouteAnswer>>
  /** Asked without a token, too. */
  isOpen?: boolean
  handle(input: RouteInput): Promise<Response> | Response
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  })
}
