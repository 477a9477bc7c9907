import type { JsonSchema } from '@argot/core'
import type { Api, ServerProblem } from '../api/index.ts'
import type { Schema } from './schema.ts'
import type { ServerContext } from './server-context.ts'

/** What a route is given of a request that has passed the guard: its parts, checked against the schemas of the route. */
export interface RouteInput<Body = unknown> {
  request: Request
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** As the schema says. */
  body: Body
  server: ServerContext
  /** Who asks, as far as the address tells. */
  client: string
  /** No one on the way can read the request. */
  isPrivate: boolean
}

/** What a status of a route means. */
export interface RouteAnswer<Content = JsonSchema> {
  description: string
  /** Of its JSON. */
  schema?: Content
  /** Of content that is not JSON. */
  type?: string
  /** The headers that it always has, and what each says. */
  headers?: Readonly<Record<string, string>>
}

interface RouteParts<Id, Body, Answer, Content> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  /** As in OpenAPI: `/api/runs/{id}`. `{path}` and `{chat}` may hold slashes. */
  path: string
  /** The name of the operation. */
  id: Id
  summary: string
  query?: Readonly<Record<string, { description: string; schema: JsonSchema }>>
  headers?: Readonly<Record<string, { description: string }>>
  /** The longest body in bytes, if that is less than `limits.bodyBytes`. */
  bodyBytes?: number
  /** By status. */
  answers: Readonly<Record<number, RouteAnswer<Content>>>
  /** Asked without a token, too. */
  isOpen?: boolean
  handle(input: RouteInput<Body>): Promise<Reply<Answer>> | Reply<Answer>
}

/** The body: JSON of this schema, or text. */
type RouteBody<Body> = [Body] extends [undefined]
  ? { body?: undefined }
  : { body: [Body] extends [string] ? 'text' : Schema<Body> }

type BodyOf<Operation> = Operation extends { body: infer Body } ? Body : undefined

type RouteOf<Id extends keyof Api, Body, Answer> = RouteParts<
  Id,
  Body,
  Answer,
  Schema<Answer> | Schema<ServerProblem>
> &
  RouteBody<Body>

/** One thing that can be asked of the server, and its own description, of which the OpenAPI document is made. */
export type Route = { [Id in keyof Api]: RouteOf<Id, BodyOf<Api[Id]>, Api[Id]['answer']> }[keyof Api]

/** A route of any operation. */
export interface AnyRoute extends RouteParts<string, never, unknown, JsonSchema> {
  body?: JsonSchema | 'text' | undefined
}

declare const answer: unique symbol

/** A response, and the type of the JSON in it. */
export type Reply<Answer> = Response & { readonly [answer]?: Answer }

export function json<Answer>(
  value: Answer,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply<Answer> {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  })
}
