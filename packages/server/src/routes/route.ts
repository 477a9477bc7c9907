import type { JsonSchema } from '@argot/core'
import type { Api, ServerProblem } from '../api/index.ts'
import type { Schema } from './schema.ts'
import type { ServerContext } from './server-context.ts'

/** A route's input after the guard: the request's parts, checked against the route's schemas. */
export interface RouteInput<Body = unknown> {
  request: Request
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body: Body
  server: ServerContext
  /** Its address, or `local`. */
  client: string
  /** No one on the network can read the request. */
  isPrivate: boolean
}

export interface RouteAnswer<Content = JsonSchema> {
  description: string
  /** For JSON. */
  schema?: Content
  /** For content that isn't JSON. */
  type?: string
  /** The headers that are always present, with their meaning. */
  headers?: Readonly<Record<string, string>>
}

interface RouteParts<Id, Body, Answer, Content> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  /** As in OpenAPI: `/api/runs/{id}`. `{path}` and `{chat}` may contain slashes. */
  path: string
  id: Id
  summary: string
  query?: Readonly<Record<string, { description: string; schema: JsonSchema }>>
  headers?: Readonly<Record<string, { description: string }>>
  /** The maximum size of a body in bytes, if less than `limits.bodyBytes`. */
  bodyBytes?: number
  answers: Readonly<Record<number, RouteAnswer<Content>>>
  /** Works without a token. */
  isOpen?: boolean
  handle(input: RouteInput<Body>): Promise<TypedResponse<Answer>> | TypedResponse<Answer>
}

type RouteBody<Body> = [Body] extends [undefined]
  ? { body?: undefined }
  : { body: [Body] extends [string] ? 'text' : Schema<Body> }

type OperationBody<Operation> = Operation extends { body: infer Body } ? Body : undefined

type OperationRoute<Id extends keyof Api, Body, Answer> = RouteParts<
  Id,
  Body,
  Answer,
  Schema<Answer> | Schema<ServerProblem>
> &
  RouteBody<Body>

/** One operation of the server with its description. The OpenAPI document is generated from these. */
export type Route = { [Id in keyof Api]: OperationRoute<Id, OperationBody<Api[Id]>, Api[Id]['answer']> }[keyof Api]

export interface AnyRoute extends RouteParts<string, never, unknown, JsonSchema> {
  body?: JsonSchema | 'text' | undefined
}

declare const answer: unique symbol

export type TypedResponse<Answer> = Response & { readonly [answer]?: Answer }

export function json<Answer>(
  value: Answer,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): TypedResponse<Answer> {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  })
}
