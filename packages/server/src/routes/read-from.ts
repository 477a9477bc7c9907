import { Problem } from '../guard/problem.ts'
import type { RouteInput } from './route.ts'

/** Where a reader continues: after the last event it has seen, otherwise at the offset that it names. */
export function readFrom({ request, query }: Pick<RouteInput, 'request' | 'query'>): number {
  const last = request.headers.get('last-event-id')
  if (last !== null && last !== '') return parseOffset(last) + 1
  return query.from === undefined ? 0 : parseOffset(query.from)
}

export function parseOffset(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Problem(400, 'SERVER_BAD_OFFSET', 'An offset is a number of chunks.')
  return Number(text)
}
