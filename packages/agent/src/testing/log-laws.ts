import { accumulate, type Chunk } from '@argot/core'
import { isInternalMark } from '@argot/core/stream'
import { beginMark, resumeMark } from '../store/marks.ts'
import type { RunState, Store, StoredLog } from '../store/store.ts'
import { check, checkRefused, checkSame } from './check.ts'
import { beginRun, collect, pushAll, recordRun, resumeRun } from './record-run.ts'
import {
  answeredRun,
  finish,
  finishStep,
  lastStep,
  modelDone,
  parkedRun,
  start,
  startStep,
  text,
} from './scripted-chunks.ts'
import { documentPath, documentText, readAnswers, runId, type StoreLaw } from './store-law.ts'

const path = documentPath
const sampleChunks: readonly Chunk[] = [start, startStep, ...text('t', 'Hello', ' there.'), modelDone, finishStep]

/** The chunks of a run, without those that the store adds. */
export function getChunks({ lines }: Pick<StoredLog, 'lines'>): Chunk[] {
  return lines.map(({ chunk }) => chunk).filter(({ type }) => type !== resumeMark && type !== beginMark)
}

export function checkOffsets({ lines, next }: StoredLog): void {
  const offsets = lines.map(({ o }) => o)
  check(
    offsets.every((offset, index) => offset > (offsets[index - 1] ?? -1)),
    `Offsets rise: ${offsets.join(' ')}`,
  )
  check((offsets.at(-1) ?? -1) < next, 'The next offset should be unused.')
}

function checkFinished(log: StoredLog): void {
  checkOffsets(log)
  checkSame(getChunks(log), [...sampleChunks, finish()], 'The chunks')
  checkSame(log.believed, log.lines.length, 'The trusted part of the log')
}

async function readLog(store: Store, run: string = runId): Promise<StoredLog> {
  const log = await store.logs.read(run)
  check(log !== undefined, 'The log should exist.')
  return log
}

/** Begins a log in a process that keeps holding it. */
async function writeLog(store: Store, chunks: readonly Chunk[]): Promise<Awaited<ReturnType<typeof hold>>> {
  const holder = await hold(store)
  for (const chunk of chunks) holder.log.append(chunk)
  await holder.log.flush()
  return holder
}

async function hold(store: Store) {
  const lease = await store.leases.take(path)
  const log = await store.logs.open(path, runId, lease)
  const release = async (): Promise<void> => {
    await log.close()
    await lease.release()
  }
  return { lease, log, release }
}

/** What a process that lost the document tries to write: the elements of a text. */
const element = {
  type: 'message',
  message: { id: 'zombie', role: 'user', status: 'sent', parts: [] },
} as const

async function readState(store: Store): Promise<RunState | undefined> {
  return (await store.logs.find(runId))?.state
}

async function checkState(store: Store, state: RunState): Promise<void> {
  const entry = { run: runId, path, state }
  checkSame(await store.logs.find(runId), entry, `The entry of a run in state ${state}`)
  checkSame(await store.logs.list({ state }), [entry], `The list of runs in state ${state}`)
  checkSame(await store.logs.list({ path, state }), [entry], `The document's list of runs in state ${state}`)
  for (const other of ['running', 'waiting', 'interrupted', 'ended'] as const) {
    if (other !== state) checkSame(await store.logs.list({ state: other }), [], `The list of runs in state ${other}`)
  }
}

export const logLaws: readonly StoreLaw[] = [
  {
    name: "a run without a log doesn't exist",
    async check(place) {
      const { logs } = place.open()
      checkSame(await logs.read('nobody'), undefined, 'Its log')
      checkSame(await logs.find('nobody'), undefined, 'Its entry')
      checkSame(await logs.list(), [], 'The list of runs')
    },
  },
  {
    name: 'chunks are numbered from 0 without gaps, and every process reads flushed chunks with their times',
    async check(place) {
      const { log, release } = await hold(place.open())
      const offsets = sampleChunks.map((chunk, index) => log.append(chunk, 1000 + index))
      checkSame(
        offsets,
        sampleChunks.map((_, index) => index),
        'The offsets',
      )
      checkSame((await place.open().logs.read(runId))?.lines ?? [], [], 'The chunks before the flush')
      await log.flush()
      const lines = sampleChunks.map((chunk, o) => ({ o, t: 1000 + o, chunk }))
      const expected = { run: runId, path, lines, believed: lines.length, next: lines.length }
      checkSame(await readLog(place.open()), expected, 'The log')
      await log.sync()
      await release()
      checkSame(await readLog(place.open()), expected, 'The log after it was closed')
    },
  },
  {
    name: 'a run is found by its id, whatever characters it contains, and no other run is',
    async check(place) {
      const ids = ['a b', 'a_b', 'a/b', '../a_b', 'ä b', 'A: 1', 'x'.repeat(100), `${'x'.repeat(100)}-2`]
      const store = place.open()
      const lease = await store.leases.take(path)
      for (const id of ids) {
        const log = await store.logs.open(path, id, lease)
        log.append({ type: 'start', messageId: id })
        log.append({ type: 'abort' })
        await log.flush()
        await log.close()
      }
      await lease.release()
      for (const id of ids) {
        const other = place.open()
        checkSame((await other.logs.find(id))?.run, id, 'The id of the run found')
        const expected = [{ type: 'start', messageId: id }, { type: 'abort' }]
        checkSame(getChunks(await readLog(other, id)), expected, `The log of ${id}`)
        checkSame(
          (await collect(other, id)).map(({ chunk }) => chunk),
          expected,
          `What ${id} says`,
        )
        await other.inbox.post(id, { id: 'p', type: 'stop', reason: id })
        checkSame(await other.inbox.read(id), [{ id: 'p', type: 'stop', reason: id }], `The posts to ${id}`)
      }
      checkSame((await place.open().logs.list({ path })).length, ids.length, 'The number of runs')
    },
  },
  {
    name: 'the next holder continues the log after its last line',
    async check(place) {
      await (await writeLog(place.open(), sampleChunks)).release()
      const second = await hold(place.open())
      const offset = second.log.append(finish())
      check(offset >= sampleChunks.length, 'No offset should be used twice.')
      await second.log.flush()
      const log = await readLog(place.open())
      checkFinished(log)
      await second.release()
    },
  },
  {
    name: 'a log whose process died before writing anything starts over, and is trusted',
    async check(place) {
      const first = await hold(place.open())
      await first.release()
      await (await writeLog(place.open(), [...sampleChunks, finish()])).release()
      const log = await readLog(place.open())
      checkFinished(log)
    },
  },
  {
    name: 'a torn last line is ignored, and the next holder continues after it',
    needs: 'tear',
    async check(place) {
      await (await writeLog(place.open(), sampleChunks)).release()
      await place.tear!(path, runId)
      const torn = await readLog(place.open())
      checkSame(getChunks(torn), sampleChunks.slice(0, -1), 'The chunks of a torn log')
      const second = await hold(place.open())
      check(second.log.append(finishStep) >= torn.next, 'No offset should be used twice.')
      second.log.append(finish())
      await second.log.flush()
      const log = await readLog(place.open())
      checkFinished(log)
      await second.release()
      checkSame(
        (await collect(place.open())).map(({ chunk }) => chunk),
        withoutInternalMarks([...sampleChunks, finish()]),
        'The posts that the follower got',
      )
    },
  },
  {
    name: "a holder that lost its document can't write, and no process sees its attempts",
    async check(place) {
      const zombie = place.open()
      const old = await writeLog(zombie, sampleChunks)
      const document = await zombie.documents.open(path, old.lease)
      const { version } = await zombie.documents.read(path)
      await place.expire(path)
      const second = await hold(place.open())
      old.log.append({ type: 'text-delta', id: 't', delta: 'zombie' })
      old.log.append({ type: 'error', errorText: 'zombie' })
      // A flush may notice the loss late; readers ignore what it writes until then.
      await old.log.flush().catch(() => {})
      second.log.append(finish())
      await second.log.flush()
      old.log.append({ type: 'error', errorText: 'zombie' })
      await old.log.flush().catch(() => {})
      old.log.append({ type: 'error', errorText: 'zombie' })
      await checkRefused(() => old.log.sync(), 'RUN_LEASE_LOST', 'A sync by the old holder')
      const { documents, logs } = zombie
      await checkRefused(() => document.append([element], 'inline'), 'RUN_LEASE_LOST', 'An append to the document')
      await checkRefused(() => document.cut(0), 'RUN_LEASE_LOST', 'Cutting the document')
      const write = () => documents.write(path, 'zombie', { after: version, lease: old.lease })
      await checkRefused(write, 'RUN_LEASE_LOST', 'A write of the document')
      await checkRefused(() => logs.open(path, runId, old.lease), 'RUN_LEASE_LOST', 'Opening the log again')
      await checkRefused(() => logs.open(path, 'another', old.lease), 'RUN_LEASE_LOST', 'Opening another log')
      await document.close()
      await old.release()
      const log = await readLog(place.open())
      checkFinished(log)
      checkSame(
        (await collect(place.open())).map(({ chunk }) => chunk),
        withoutInternalMarks([...sampleChunks, finish()]),
        'The posts that the follower got',
      )
      checkSame((await place.open().documents.read(path)).text, documentText, 'The document')
      await second.release()
    },
  },
  {
    name: "nothing in a stranger's log is trusted, nor anything that a stranger adds to this user's log",
    needs: 'openAsStranger',
    async check(place, create) {
      await (await writeLog(place.openAsStranger!(), sampleChunks)).release()
      checkSame((await readLog(place.open())).believed, 0, "The trusted part of a stranger's log")
      const other = await create()
      await (await writeLog(other.open(), sampleChunks)).release()
      const stranger = await hold(other.openAsStranger!())
      for (const chunk of lastStep) stranger.log.append(chunk)
      await stranger.log.flush()
      await stranger.release()
      const log = await readLog(other.open())
      check(log.believed <= sampleChunks.length, 'Lines that a stranger adds should not be trusted.')
      const continuing = await hold(other.open())
      continuing.log.append(finish())
      await continuing.log.flush()
      await continuing.release()
      const continued = await readLog(other.open())
      const believed = continued.lines.slice(0, continued.believed)
      checkSame(
        getChunks({ lines: believed }),
        [...sampleChunks, finish()],
        'The trusted part after this user continued it',
      )
    },
  },
  {
    name: 'runs are found by their state: running, waiting, interrupted, ended',
    async check(place) {
      const transcript = await beginRun(place.open())
      await pushAll(transcript, [start, startStep])
      await checkState(place.open(), 'running')
      await place.expire(path)
      await checkState(place.open(), 'interrupted')
      await resumeRun(place.open(), parkedRun)
      await checkState(place.open(), 'waiting')
      await resumeRun(place.open(), answeredRun)
      await checkState(place.open(), 'ended')
      checkSame(await place.open().logs.list({ path: 'other.chatmd' }), [], 'The runs of another document')
    },
  },
  {
    name: 'a parked run continues in the same log, as one message',
    async check(place) {
      await recordRun(place.open(), parkedRun)
      checkSame(await readState(place.open()), 'waiting', 'The state')
      await resumeRun(place.open(), answeredRun)
      const log = await readLog(place.open())
      checkOffsets(log)
      checkSame(log.believed, log.lines.length, 'The trusted part of the log')
      const fold = accumulate()
      for (const { chunk } of await collect(place.open())) fold.push(chunk)
      const messages = await readAnswers(place.open())
      checkSame(messages.length, 1, 'The number of messages')
      checkSame(
        messages[0]!.parts.map(({ type }) => type),
        fold.message?.parts.map(({ type }) => type),
        'The parts of the message',
      )
    },
  },
]

function withoutInternalMarks(chunks: readonly Chunk[]): Chunk[] {
  return chunks.filter(chunk => !isInternalMark(chunk))
}
