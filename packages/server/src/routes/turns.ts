import type { RunOptions } from '@argot/agent'
import { readTurnChanges, undoTurn } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { Api } from '../api/index.ts'
import { requireDocument } from '../guard/document-path.ts'
import { notFound, Problem, tooMany } from '../guard/problem.ts'
import { json, type Route, type RouteInput } from './route.ts'
import { choice, count, date, flag, list, object, optional, text } from './schema.ts'
import { problemSchema } from './schemas.ts'
import type { ServerContext } from './server-context.ts'

type ChangesAnswer = Api['readChanges']['answer']
type Undo = Api['undoTurn']['answer']

/** These read and compare files, so only this many run at a time. */
const TURNS_AT_A_TIME = 4

const effects = list(object<ChangesAnswer['effects'][number]>({ toolName: text, text }))

const changesSchema = object<ChangesAnswer>({
  run: text,
  message: optional(text),
  isOver: flag,
  files: list(
    object<ChangesAnswer['files'][number]>({
      path: text,
      from: optional(text),
      operation: choice('add', 'update', 'move', 'delete'),
      added: optional(count),
      removed: optional(count),
      diff: optional(text),
      state: choice('ready', 'undone', 'refused'),
      reason: optional(text),
    }),
  ),
  effects,
  undoneAt: optional(date),
})

const undoSchema = object<Undo>({
  run: text,
  files: list(
    object<Undo['files'][number]>({
      path: text,
      outcome: choice('restored', 'already', 'refused'),
      reason: optional(text),
    }),
  ),
  effects,
  undoneAt: date,
})

const noTurn = { description: 'There is no such document, or no such turn in it.', schema: problemSchema }

const turnCounts = new WeakMap<ServerContext, number>()

/** Works on a turn of an existing document, a few at a time. */
async function onTurn<Result>(
  { params, server }: RouteInput<undefined>,
  work: (path: string, turn: string, options: RunOptions) => Promise<Result>,
): Promise<Result> {
  const path = await requireDocument(server.store, params.path!)
  const count = turnCounts.get(server) ?? 0
  if (count >= TURNS_AT_A_TIME) throw tooMany('turns open at the same time', TURNS_AT_A_TIME)
  turnCounts.set(server, count + 1)
  try {
    await server.runs.afterEnding(path)
    const { store } = server
    const place = store.root === undefined ? {} : { cwd: store.root }
    return await work(path, params.turn!, { ...server.run, ...place, store, now: () => server.now() })
  } catch (error) {
    throw toProblem(error)
  } finally {
    turnCounts.set(server, (turnCounts.get(server) ?? 1) - 1)
  }
}

function toProblem(error: unknown): unknown {
  if (!(error instanceof ArgotError)) return error
  if (error.code === 'RUN_NOT_FOUND') return notFound('such turn')
  if (error.code === 'RUN_PARKED') return new Problem(409, error.code, error.message)
  return error.code === 'RUN_LOCKED' ? new Problem(409, 'SERVER_BUSY', error.message) : error
}

function toDate(time: number): string {
  return new Date(time).toISOString()
}

export const turnRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/documents/{path}/turns/{turn}/changes',
    id: 'readChanges',
    summary: 'What a turn changed. `turn` is the id of its run, or of a message that the run wrote.',
    answers: { 200: { description: 'Its files and other effects.', schema: changesSchema }, 404: noTurn },
    async handle(input) {
      const { undoneAt, ...changes } = await onTurn(input, readTurnChanges)
      return json({ ...changes, ...defined({ undoneAt: undoneAt === undefined ? undefined : toDate(undoneAt) }) })
    },
  },
  {
    method: 'POST',
    path: '/api/documents/{path}/turns/{turn}/undo',
    id: 'undoTurn',
    summary: "Restores a turn's files to their content before it, except files that have changed since.",
    answers: {
      200: { description: 'The result for each file. A second undo writes nothing.', schema: undoSchema },
      404: noTurn,
      409: { description: 'A run is using the document, or the turn has not ended.', schema: problemSchema },
    },
    async handle(input) {
      const undo = (path: string, turn: string, options: RunOptions): ReturnType<typeof undoTurn> =>
        undoTurn(path, turn, { ...options, by: input.client })
      const { undoneAt, ...rest } = await onTurn(input, undo)
      return json({ ...rest, undoneAt: toDate(undoneAt) })
    },
  },
]
