import { ArgotError, accumulate, isToolPart, type Message, type ToolInvocation } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import { describeCallWith, moreWords } from '@argot/core/stream/internal'
import { type LoggedFiles, readFilesMark } from '../../store/file-records.ts'
import { findBeginning, startedCall } from '../../store/marks.ts'
import type { Store } from '../../store/store.ts'
import { foldTurnFiles, type TurnFile, type TurnRecord } from './turn-files.ts'

export interface TurnEffect {
  toolName: string
  /** In words: "Ran npm test". */
  text: string
}

/** A turn, according to the signed part of its runs' logs. */
export interface LoggedTurn {
  run: string
  lastMessageId: string | undefined
  isOver: boolean
  files: readonly TurnFile[]
  effects: readonly TurnEffect[]
}

const fileTools: ReadonlySet<string> = new Set(['write_file', 'append_to_file', 'find_and_replace', 'apply_patch'])

/**
 * Reads the turn of a run, or of the run that wrote a message: its log, and those of the runs that continued it.
 * Without `id`, the last turn. Throws `RUN_NOT_FOUND` if the document has no such run.
 */
export async function readTurn(store: Store, path: string, id?: string): Promise<LoggedTurn> {
  // A log that only settled an earlier message's calls is no turn.
  const all = (await store.logs.list({ path })).filter(({ run }) => !run.endsWith('-settled'))
  const entries = all.sort((a, b) => (a.run < b.run ? -1 : 1))
  const names = id === undefined ? [entries.at(-1)?.run ?? ''] : possibleRunNames(id)
  let at = names.map(name => entries.findIndex(({ run }) => run === name)).find(index => index >= 0) ?? -1
  if (at < 0) {
    const message = id === undefined ? 'The document has no turn yet.' : `There is no run \`${id.slice(0, 200)}\`.`
    throw new ArgotError('RUN_NOT_FOUND', message)
  }
  let log = await readLog(store, entries[at]!.run)
  // A run that was started to continue a message belongs to that message's turn.
  for (; id === undefined && at > 0 && log.continues !== undefined; at--) {
    const before = await readLog(store, entries[at - 1]!.run)
    if (!before.messages.some(one => one.id === log.continues)) break
    log = before
  }
  const turn = [{ ...log, entry: entries[at]! }]
  for (const entry of entries.slice(at + 1)) {
    const next = await readLog(store, entry.run)
    const isSame = turn.some(({ messages }) => messages.some(one => one.id === next.continues))
    if (!isSame) break
    turn.push({ ...next, entry })
  }
  return {
    run: turn[0]!.entry.run,
    lastMessageId: turn.flatMap(({ messages }) => messages).findLast(({ role }) => role === 'assistant')?.id,
    isOver: turn.at(-1)!.entry.state === 'ended',
    files: foldTurnFiles(turn.flatMap(({ records }) => records)),
    effects: turn.flatMap(({ effects }) => effects),
  }
}

function possibleRunNames(id: string): string[] {
  const name = id.startsWith('msg-') ? id.slice('msg-'.length) : id
  return [...new Set([id, name, name.replace(/-\d+$/, '')])]
}

interface TurnLog {
  messages: readonly Message[]
  continues: string | undefined
  records: readonly TurnRecord[]
  effects: readonly TurnEffect[]
}

/** Reads a log as far as its signatures go. Anything after that may come from anyone. */
async function readLog({ logs }: Store, run: string): Promise<TurnLog> {
  const log = (await logs.scan?.(run)) ?? (await logs.read(run))
  const lines = log === undefined ? [] : firstLines(log.lines, log.believed)
  const fold = accumulate({ own: true, commentary: 'given' })
  const marks: LoggedFiles[] = []
  const started = new Set<string>()
  const fileCalls = new Set<string>()
  for (const { chunk } of lines) {
    const mark = readFilesMark(chunk)
    const call = startedCall(chunk)
    if (mark !== undefined) marks.push(mark)
    if (mark?.isInner === false) fileCalls.add(mark.toolCallId)
    if (call !== undefined) started.add(call)
    fold.push(chunk)
  }
  const beginning = log === undefined ? undefined : findBeginning(firstLines(log.lines, log.believed))
  const messages = fold.messages
  const calls = messages.flatMap(({ parts }) => parts.filter(isToolPart).map(one => one.toolInvocation))
  const succeeded = new Set(calls.filter(one => one.state === 'output-available').map(one => one.toolCallId))
  const records = marks.flatMap(({ files, toolCallId, isInner }) =>
    files.map(file => ({ ...file, isDone: !isInner && succeeded.has(toolCallId) })),
  )
  return { messages, continues: beginning?.message?.id, records, effects: findEffects(calls, started, fileCalls) }
}

function* firstLines(lines: Iterable<LogLine>, count: number): Generator<LogLine> {
  let remaining = count
  for (const line of lines) {
    if (remaining-- <= 0) return
    yield line
  }
}

/** The calls that changed something, except those that only changed files whose earlier version is stored. */
function findEffects(
  calls: readonly ToolInvocation[],
  started: ReadonlySet<string>,
  fileCalls: ReadonlySet<string>,
): TurnEffect[] {
  return calls.flatMap(call => {
    const { toolCallId, toolName } = call
    if (!started.has(toolCallId) || fileCalls.has(toolCallId)) return []
    // It failed before it changed anything.
    if (fileTools.has(toolName) && call.state === 'output-error') return []
    const { verb, subject } = describeCallWith(moreWords, call)
    return [{ toolName, text: subject === undefined ? verb : `${verb} ${subject}` }]
  })
}
