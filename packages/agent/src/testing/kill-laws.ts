import { type Accumulator, accumulate, type Chunk, type Message } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { writtenMark } from '../store/marks.ts'
import type { Payloads, Post, Store, StoredLog } from '../store/store.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import { check, checkSame, toPlainJson } from './check.ts'
import { KillPoint } from './kill-point.ts'
import { checkOffsets, getChunks } from './log-laws.ts'
import { collect, pushAll, recordRun } from './record-run.ts'
import { lastStep, parkedRun, steeredRun, wholeRun } from './scripted-chunks.ts'
import type { StorePlace } from './store-harness.ts'
import { documentPath, documentText, readAnswers, readConversation, runId, type StoreLaw } from './store-law.ts'

/** After a death, the process that opens the document dies too, at one of this many operations in turn. */
const SECOND_DEATHS = 9
/** A store that needs more operations than this for one short run never ends. */
const MOST_OPERATIONS = 5000

function killLaw(name: string, chunks: readonly Chunk[], payloads: Payloads): StoreLaw {
  return {
    name: `${name} killed at any operation loses nothing flushed, repeats nothing, and keeps its id (payloads ${payloads})`,
    check: (_, create) =>
      killAtEveryOperation(create, chunks, payloads, (place, death) => checkDeath(place, chunks, death)),
  }
}

/** Kills the run once at each of its operations, every time in a new place, which is removed after `checkPlace`. */
async function killAtEveryOperation(
  create: () => Promise<StorePlace>,
  chunks: readonly Chunk[],
  payloads: Payloads,
  checkPlace: (place: StorePlace, death: KilledRun) => Promise<void>,
): Promise<void> {
  let operation = 0
  for (; ; operation++) {
    check(operation < MOST_OPERATIONS, 'A run should end.')
    const place = await create()
    // The state before an operation is the state after the previous one, so one of the two is enough.
    const kill = new KillPoint(operation, 'before')
    const flushed = await runUntilDeath(place, kill, chunks, payloads)
    if (!kill.isDead) break
    await checkPlace(place, { flushed, operation })
    await place.remove()
  }
  check(operation > chunks.length, 'A run should have operations.')
}

/** Returns how many chunks were flushed before the process died. */
async function runUntilDeath(
  place: StorePlace,
  kill: KillPoint,
  chunks: readonly Chunk[],
  payloads: Payloads,
): Promise<number> {
  let flushed = 0
  const onFlushed = (count: number): void => {
    flushed = count
  }
  await survives(kill, () => recordRun(place.open(kill), chunks, { payloads, onFlushed }))
  return flushed
}

interface KilledRun {
  flushed: number
  operation: number
}

async function checkDeath(place: StorePlace, chunks: readonly Chunk[], death: KilledRun): Promise<void> {
  try {
    await place.expire(documentPath)
    const log = await place.open().logs.read(runId)
    checkKept(log, chunks, death.flushed)
    await dieAgain(place, new KillPoint(death.operation % SECOND_DEATHS, 'after'))
    await checkRecovered(place, log)
  } catch (error) {
    throw new Error(`Killed before operation ${death.operation}: ${(error as Error).message}`, { cause: error })
  }
}

/** Everything flushed is in the log, and the log is a prefix of what the run wrote. */
function checkKept(log: StoredLog | undefined, chunks: readonly Chunk[], flushed: number): void {
  if (log === undefined) return check(flushed === 0, 'The log should exist.')
  checkOffsets(log)
  const logged = getChunks(log).filter(({ type }) => type !== writtenMark)
  check(logged.length >= flushed, `The log should have all ${flushed} flushed chunks, but has ${logged.length}.`)
  checkSame(logged, chunks.slice(0, logged.length), 'The chunks in the log')
}

/** The next process dies while it repairs what the first one left. */
async function dieAgain(place: StorePlace, kill: KillPoint): Promise<void> {
  await survives(kill, async () => (await openTranscript(place.open(kill), documentPath)).close())
  await place.expire(documentPath)
}

async function checkRecovered(place: StorePlace, log: StoredLog | undefined): Promise<void> {
  const expected = expectedParts(log)
  const source = await reopen(place.open())
  check(source.startsWith(documentText), 'The document should keep its earlier text.')
  checkSame((await readAnswers(place.open())).flatMap(toComparableParts), expected, 'The messages in the document')
  checkSame(await reopen(place.open()), source, 'The document after it is opened again')
  const transcript = await openTranscript(place.open(), documentPath)
  const { unfinished } = transcript
  const state = (await place.open().logs.find(runId))?.state
  if (unfinished === undefined) {
    await transcript.close()
    return check(
      state === undefined || state === 'ended' || expected.length === 0,
      "A run that hasn't ended should be kept.",
    )
  }
  checkSame(unfinished.runId, runId, "The run's id")
  check(unfinished.isTrusted, 'The log should be trusted.')
  await pushAll(transcript, lastStep, await transcript.resume())
  await transcript.close()
  await checkEnded(place.open())
}

/** One run, one message, and all followers have seen the same. */
async function checkEnded(store: Store): Promise<void> {
  checkSame(await store.logs.list(), [{ run: runId, path: documentPath, state: 'ended' }], 'The list of runs')
  checkOffsets((await store.logs.read(runId))!)
  const fold = accumulate()
  for (const { chunk } of await collect(store)) fold.push(chunk)
  const messages = await readAnswers(store)
  checkSame(messages.length, 1, 'The number of messages')
  checkSame(
    messages.flatMap(toComparableParts),
    toComparableParts(fold.message),
    'The message in the document at the end',
  )
}

async function reopen(store: Store): Promise<string> {
  const transcript = await openTranscript(store, documentPath)
  await transcript.close()
  const { text } = await store.documents.read(documentPath)
  checkSame(text, transcript.source, 'The text')
  return text
}

/** What the document must contain: the steps that the model had finished, and no others. */
function expectedParts(log: StoredLog | undefined): unknown[] {
  return toComparableParts(foldLog(log).message)
}

function foldLog(log: StoredLog | undefined): Accumulator {
  const chunks = log?.lines.slice(0, log.believed).map(({ chunk }) => chunk) ?? []
  const lastBoundary = chunks.findLastIndex(({ type }) => type === 'start-step' || type === 'finish-step')
  const hasEnded = chunks.some(({ type }) => type === 'finish' || type === 'abort')
  const isDone = chunks.slice(lastBoundary).some(({ type }) => type === 'data-argot-step' || type === 'error')
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  if (chunks[lastBoundary]?.type === 'start-step' && !hasEnded)
    fold.push({ type: isDone ? 'finish-step' : 'reset-step' })
  return fold
}

/** Who wrote what. Empty messages don't appear in a document. */
function getTurns(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, parts }) => {
    const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
    return text === '' ? [] : [`${role}: ${text}`]
  })
}

/** The parts without times; for an open call, only its id. */
function toComparableParts(message: Message | undefined): unknown[] {
  const parts = (message?.parts ?? []).map(part => {
    if (!('toolInvocation' in part)) return toPlainJson(part)
    const { startedAt: _, endedAt: __, ...call } = part.toolInvocation
    return isSettled(call) ? toPlainJson(call) : { open: call.toolCallId }
  })
  while ((parts.at(-1) as { type?: string } | undefined)?.type === 'step-start') parts.pop()
  return parts
}

/** False if the process died meanwhile. */
async function survives(kill: KillPoint, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
  } catch (error) {
    if (!kill.isDead) throw error
  }
  return !kill.isDead
}

export const killLaws: readonly StoreLaw[] = [
  killLaw('a run', wholeRun, 'external'),
  killLaw('a run', wholeRun, 'inline'),
  killLaw('a parked run', parkedRun, 'external'),
  {
    name: 'a run that a user joins has each message once, in order, if it is killed at any operation',
    check: (_, create) =>
      killAtEveryOperation(create, steeredRun, 'inline', async (place, { operation }) => {
        await place.expire(documentPath)
        const log = await place.open().logs.read(runId)
        await dieAgain(place, new KillPoint(operation % SECOND_DEATHS, 'after'))
        await reopen(place.open())
        const turns = getTurns((await readConversation(place.open())).slice(1))
        checkSame(turns, getTurns(foldLog(log).messages), `The messages, killed before operation ${operation}`)
      }),
  },
  {
    name: 'a post whose process is killed at any operation is kept or not, and is stored once if it is posted again',
    async check(_, create) {
      const post: Post = { id: 'p', type: 'stop', reason: 'Enough.' }
      for (let operation = 0, isOver = false; !isOver; operation++) {
        const place = await create()
        await recordRun(place.open(), parkedRun)
        const kill = new KillPoint(operation, 'after')
        isOver = await survives(kill, () => place.open(kill).inbox.post(runId, post))
        const stored = await place.open().inbox.read(runId)
        checkSame(stored, stored.length === 0 ? [] : [post], 'The stored posts')
        const result = await place.open().inbox.post(runId, post)
        checkSame(result, stored.length === 0 ? 'accepted' : 'already', 'The result of the second post')
        checkSame(await place.open().inbox.read(runId), [post], 'The posts at the end')
      }
    },
  },
  {
    name: 'a document whose writer is killed at any operation has either the old text or the new one',
    async check(_, create) {
      for (let operation = 0, isOver = false; !isOver; operation++) {
        const place = await create()
        const kill = new KillPoint(operation, 'after')
        const store = place.open(kill)
        const { version } = await store.documents.read(documentPath)
        isOver = await survives(kill, async () => {
          const lease = await store.leases.take(documentPath)
          await store.documents.write(documentPath, 'new', { after: version, lease })
        })
        const { text } = await place.open().documents.read(documentPath)
        check(
          text === 'new' || (!isOver && text === documentText),
          `The text should be the old or the new one, but is: ${text}`,
        )
        checkSame(await place.open().documents.list(), [documentPath], 'The list')
      }
    },
  },
]
