import { isInternalMark, type LogLine } from '@argot/core/stream'
import type { Store, TailLine } from '../store/store.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import { check, checkSame, inTime } from './check.ts'
import { beginRun, collect, pushAll, recordRun, resumeRun } from './record-run.ts'
import { answeredRun, lastStep, parkedRun, start, startStep, text, wholeRun } from './scripted-chunks.ts'
import { documentPath, runId, type StoreLaw } from './store-law.ts'

function follow(store: Store, from?: number): { lines: LogLine[]; over: Promise<void>; leave(): void } {
  const lines: LogLine[] = []
  const stop = new AbortController()
  const read = async (): Promise<void> => {
    for await (const line of store.logs.follow(runId, from, stop.signal)) lines.push(line)
  }
  return { lines, over: read(), leave: () => stop.abort() }
}

async function waitUntil(condition: () => boolean, what: string): Promise<void> {
  const wait = async (): Promise<void> => {
    while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
  }
  await inTime(wait(), what)
}

/** The lines of a finished log that every reader sees. */
async function readVisibleLines(store: Store, from = 0): Promise<LogLine[]> {
  const { lines } = (await store.logs.read(runId))!
  return lines.filter(({ o, chunk }) => o >= from && !isInternalMark(chunk))
}

export const followLaws: readonly StoreLaw[] = [
  {
    name: 'a follower from any offset gets exactly the chunks from there, without internal marks, and then the end',
    async check(place) {
      await recordRun(place.open(), wholeRun)
      const { next } = (await place.open().logs.read(runId))!
      const store = place.open()
      for (let from = 0; from < next - 2; from++) {
        checkSame(
          await inTime(collect(store, runId, from), 'The end'),
          await readVisibleLines(store, from),
          `What follows ${from}`,
        )
      }
      const chunks = (await collect(store)).map(({ chunk }) => chunk)
      checkSame(
        chunks,
        wholeRun.filter(chunk => !isInternalMark(chunk)),
        'The chunks that the follower got',
      )
    },
  },
  {
    name: 'a follower that starts before the run gets each chunk once, when it is flushed',
    async check(place) {
      const readers = [follow(place.open()), follow(place.open(), 0), follow(place.open(), 5)]
      const transcript = await beginRun(place.open())
      await pushAll(transcript, wholeRun.slice(0, 8))
      await waitUntil(() => readers[0]!.lines.length >= 8, 'The flushed chunks')
      const late = follow(place.open())
      await pushAll(transcript, [{ type: 'abort', reason: 'Enough.' }])
      await transcript.close()
      await inTime(Promise.all([...readers, late].map(({ over }) => over)), 'The end')
      for (const { lines } of [readers[0]!, readers[1]!, late]) {
        checkSame(lines, await readVisibleLines(place.open()), 'The chunks of a follower from the beginning')
      }
      checkSame(readers[2]!.lines, await readVisibleLines(place.open(), 5), 'The chunks of a follower from the middle')
      checkSame(readers[0]!.lines.at(-1)!.chunk.type, 'abort', 'The last chunk')
    },
  },
  {
    name: "repeated requests for a log's tail return every line once, even if its process dies",
    async check(place) {
      const reader = place.open()
      checkSame(await reader.logs.tail(runId, 0), [], 'The tail of a run without a log')
      const lines: TailLine[] = []
      const ask = async (): Promise<void> => {
        lines.push(...(await reader.logs.tail(runId, (lines.at(-1)?.o ?? -1) + 1)))
      }
      const transcript = await beginRun(place.open())
      for (const piece of [[start, startStep], text('t', 'Half', ' a ')]) {
        await pushAll(transcript, piece)
        await ask()
      }
      await place.expire(documentPath)
      await ask()
      const second = await openTranscript(place.open(), documentPath)
      const resumed = await second.resume()
      await ask()
      await pushAll(second, lastStep, resumed)
      await second.close()
      await ask()
      const whole = await place.open().logs.tail(runId, 0)
      checkSame(lines, whole, 'The lines read in pieces')
      checkSame(
        await reader.logs.tail(runId, 3),
        whole.filter(({ o }) => o >= 3),
        'The tail from the middle',
      )
      checkSame(await reader.logs.tail(runId, 1e9), [], 'The tail beyond the end')
      const visibleLines = whole.flatMap(({ o, t, chunk }) => (isInternalMark(chunk) ? [] : [{ o, t, chunk }]))
      checkSame(visibleLines, await inTime(collect(place.open()), 'The end'), 'The tail without internal marks')
    },
  },
  {
    name: "the tail reports which lines this user wrote: every line that decides something, and none of a stranger's",
    needs: 'openAsStranger',
    async check(place) {
      const transcript = await beginRun(place.open())
      await pushAll(transcript, [start, startStep, ...text('t', 'A ', 'text')])
      const decides = ({ chunk }: LogLine): boolean => chunk.type === 'start' || chunk.type === 'text-end'
      const signed = async (): Promise<boolean[]> => {
        const lines = await place.open().logs.tail(runId, 0)
        return lines.filter(decides).map(({ isSigned }) => isSigned)
      }
      checkSame(await signed(), [true, true], "This user's lines during the run")
      const stranger = place.openAsStranger!()
      const tail = await stranger.logs.tail(runId, 0)
      checkSame(
        tail.some(({ isSigned }) => isSigned),
        false,
        'Whether a stranger confirms them',
      )
      await place.expire(documentPath)
      const forged = await openTranscript(stranger, documentPath)
      await forged.begin({ id: 'forged', payloads: 'inline' })
      await pushAll(forged, [start, startStep])
      await forged.close()
      const lines = await place.open().logs.tail('forged', 0)
      checkSame(lines.length > 0, true, "Whether a stranger's log can be read")
      checkSame(
        lines.some(({ isSigned }) => isSigned),
        false,
        "Whether a stranger's line is trusted",
      )
    },
  },
  {
    name: 'a follower of a parked run stays connected, and gets the chunks after the answer',
    async check(place) {
      const reader = follow(place.open())
      await recordRun(place.open(), parkedRun)
      const parked = parkedRun.filter(chunk => !isInternalMark(chunk)).length
      await waitUntil(() => reader.lines.length === parked, 'The parking')
      const isOver = await Promise.race([
        reader.over.then(() => true),
        new Promise<false>(resolve => setTimeout(() => resolve(false), 50)),
      ])
      check(!isOver, 'A parked run should not have ended.')
      await resumeRun(place.open(), answeredRun)
      await inTime(reader.over, 'The end')
      const all = [...parkedRun, ...answeredRun].filter(chunk => !isInternalMark(chunk))
      checkSame(
        reader.lines.map(({ chunk }) => chunk),
        all,
        'The chunks that the follower got',
      )
    },
  },
  {
    name: "a follower of a run whose process dies gets the reset of the open step, then the next process's chunks",
    async check(place) {
      const reader = follow(place.open())
      const transcript = await beginRun(place.open())
      const beginning = [start, startStep, ...text('t', 'Half a ')]
      await pushAll(transcript, beginning)
      await waitUntil(() => reader.lines.length === beginning.length, 'The flushed chunks')
      await place.expire(documentPath)
      const second = await openTranscript(place.open(), documentPath)
      checkSame(second.unfinished?.runId, runId, 'The unfinished run')
      await pushAll(second, lastStep, await second.resume())
      await second.close()
      await inTime(reader.over, 'The end')
      const all = [...beginning, { type: 'reset-step' }, ...lastStep.filter(chunk => !isInternalMark(chunk))]
      checkSame(
        reader.lines.map(({ chunk }) => chunk),
        all,
        'The chunks that the follower got',
      )
      const offsets = reader.lines.map(({ o }) => o)
      checkSame(
        [...new Set(offsets)].sort((a, b) => a - b),
        offsets,
        'The offsets',
      )
    },
  },
  {
    name: 'a follower can leave at any time, even if the run never begins',
    async check(place) {
      const readers = [follow(place.open())]
      const transcript = await beginRun(place.open())
      await pushAll(transcript, [start, startStep])
      readers.push(follow(place.open()), follow(place.open(), 1000))
      await waitUntil(() => readers[1]!.lines.length === 2, 'The flushed chunks')
      for (const reader of readers) reader.leave()
      await inTime(Promise.all(readers.map(({ over }) => over)), 'The end')
      await transcript.close()
      const nobody = new AbortController()
      const never = place.open().logs.follow('never', 0, nobody.signal)[Symbol.asyncIterator]().next()
      nobody.abort()
      checkSame((await inTime(never, 'The end')).done, true, 'The end of a run that never began')
    },
  },
]
