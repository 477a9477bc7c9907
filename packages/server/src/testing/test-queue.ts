import type { Job, Queue, QueuedJob } from '../runs/queue/queue.ts'

/** A queue that can be left and reopened, as after its process died. */
export interface QueuePlace {
  /** The queue as a new process finds it. Jobs that an earlier process took are free again. */
  open(): Promise<Queue>
  /**
   * The same on a disk with room for this many more bytes. Rejects if a queue can't be opened there. Leave it out if
   * this queue's disk can't be full.
   */
  openFull?(room: number): Promise<Queue>
  remove(): Promise<void>
}

export interface QueueHarness {
  name: string
  /** Declares a test, for example with Vitest's or Node's `test`. */
  test: (name: string, work: () => Promise<void>) => void
  create(): Promise<QueuePlace>
}

interface QueueLaw {
  name: string
  needs?: 'openFull'
  check(place: QueuePlace, create: () => Promise<QueuePlace>): Promise<void>
}

function job(run: string, more: Partial<Job> = {}): Job {
  return { run, document: 'a.chatmd', at: 1, ...more }
}

function check(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence)
}

/** How long an expected job may take on a busy machine, and how long to wait for one that must not come. */
const PATIENCE_MS = 10_000
const SOON_MS = 50

async function takeRun(queue: Queue, ms: number = PATIENCE_MS): Promise<string | undefined> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), ms)
  const next = await queue.take(stop.signal)
  clearTimeout(timer)
  return next?.run
}

async function readState(queue: Queue, run: string): Promise<QueuedJob['state'] | undefined> {
  return (await queue.list({ run }))[0]?.state
}

/** More bytes than the jobs of one test have. */
const MOST_ROOM = 20_000

async function checkRoom(place: QueuePlace, room: number): Promise<boolean> {
  const accepted = new Set<string>()
  const before = await place.open()
  for (const run of ['1', '2', '3']) await before.enqueue(job(run, { document: `${run}.chatmd`, key: `k${run}` }))
  for (const run of ['1', '2', '3']) accepted.add(run)
  await takeRun(before)
  await before.finish('1')
  accepted.delete('1')
  let isRoomy = false
  const small = await place.openFull!(room).catch(() => undefined)
  if (small !== undefined) {
    const sent = ['4', 'ü'.repeat(20), '5'].map(async run => {
      await small.enqueue(job(run, { document: `${run}.chatmd` }))
      accepted.add(run)
    })
    isRoomy = (await Promise.allSettled(sent)).every(({ status }) => status === 'fulfilled')
  }
  const after = (await (await place.open()).list()).map(({ job: one }) => one.run)
  check(
    [...after].sort().join() === [...accepted].sort().join(),
    `With room for ${room} bytes, ${[...accepted].join()} were accepted, and ${after.join()} are there.`,
  )
  return isRoomy
}

const laws: readonly QueueLaw[] = [
  {
    name: 'what is forgotten is gone with its key, for the next process too; what is not over is not forgotten',
    async check(place) {
      const queue = await place.open()
      for (const [run, document] of [
        ['1', 'a.chatmd'],
        ['2', 'b.chatmd'],
        ['3', 'a.chatmd'],
      ] as const) {
        await queue.enqueue(job(run, { document, key: `k${run}`, digest: run }))
      }
      for (const run of ['1', '2']) await queue.finish(run)
      await queue.forget(({ document }) => document === 'a.chatmd')
      for (const one of [queue, await place.open()]) {
        check((await one.list({ run: '1' })).length === 0, 'The job is gone.')
        check((await one.list({ key: 'k1' })).length === 0, 'Its key is gone.')
        check((await readState(one, '2')) === 'finished', 'That of another document is there.')
        check((await one.list({ document: 'a.chatmd' })).length === 1, 'One that is not over is there.')
      }
    },
  },
  {
    name: 'jobs of one document are given out one at a time, in their order',
    async check(place) {
      const queue = await place.open()
      for (const run of ['1', '2', '3']) await queue.enqueue(job(run))
      for (const run of ['1', '2', '3']) {
        check((await takeRun(queue)) === run, `The next job is ${run}.`)
        check((await takeRun(queue, SOON_MS)) === undefined, 'No other job of the document is given out meanwhile.')
        await queue.finish(run)
      }
      check((await takeRun(queue, SOON_MS)) === undefined, 'No job is given out twice.')
    },
  },
  {
    name: 'jobs of several documents are given out at once',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1'))
      await queue.enqueue(job('2'))
      await queue.enqueue(job('3', { document: 'b.chatmd' }))
      check((await takeRun(queue)) === '1', 'The first of the first document is given out.')
      check((await takeRun(queue)) === '3', 'The first of the second document is given out, too.')
    },
  },
  {
    name: 'who waits for a job gets it when it comes',
    async check(place) {
      const queue = await place.open()
      const next = queue.take(new AbortController().signal)
      await queue.enqueue(job('1'))
      check((await next)?.run === '1', 'The job is given to who waited.')
    },
  },
  {
    name: 'a key makes one job, even when it is sent twice at once and after its end',
    async check(place) {
      const queue = await place.open()
      const sent = await Promise.all(['1', '2'].map(run => queue.enqueue(job(run, { key: 'k', digest: 'd' }))))
      check(sent.filter(({ isNew }) => isNew).length === 1, 'One of the two is new.')
      const runs = new Set(sent.map(({ queued }) => queued.job.run))
      check(runs.size === 1, 'Both are told of the same run.')
      const [run] = [...runs]
      await takeRun(queue)
      await queue.finish(run!)
      const later = await queue.enqueue(job('3', { key: 'k', digest: 'd' }))
      check(!later.isNew && later.queued.job.run === run, 'The key is still known after the job is over.')
      check((await queue.list({ key: 'k' }))[0]?.job.digest === 'd', 'What was sent can be told from something else.')
    },
  },
  {
    name: 'a job that is parked keeps its document, and is given out again when it is sent again',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1'))
      await queue.enqueue(job('2'))
      check((await takeRun(queue)) === '1', 'The first job is given out.')
      await queue.park('1')
      check((await readState(queue, '1')) === 'parked', 'It is parked.')
      check((await takeRun(queue, SOON_MS)) === undefined, 'What waits after it still waits.')
      await queue.enqueue(job('1'))
      check((await takeRun(queue)) === '1', 'It is given out again.')
      await queue.finish('1')
      check((await takeRun(queue)) === '2', 'Then comes the next.')
    },
  },
  {
    name: 'a run that is woken after its end is what it was: with its model, and known by its key',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1', { key: 'k', digest: 'd', model: 'm', approve: 'none' }))
      await takeRun(queue)
      await queue.finish('1')
      await queue.enqueue(job('1'))
      const again = await queue.take(AbortSignal.timeout(PATIENCE_MS))
      check(again?.model === 'm' && again.approve === 'none', 'It is given out with what was asked for.')
      check((await queue.list({ key: 'k' }))[0]?.job.digest === 'd', 'What was sent can be told from something else.')
    },
  },
  {
    name: 'a job that is over before it was taken is never given out',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1'))
      await queue.finish('1', { code: 'RUN_FAILED', message: 'No.' })
      check((await takeRun(queue, SOON_MS)) === undefined, 'It is not given out.')
      const [queued] = await queue.list({ run: '1' })
      check(queued?.state === 'finished' && queued.failure?.code === 'RUN_FAILED', 'Why it failed is known.')
    },
  },
  {
    name: 'what was accepted survives the process: waiting, taken and parked jobs come back, finished ones do not',
    async check(place) {
      const first = await place.open()
      for (const run of ['1', '2', '3', '4'])
        await first.enqueue(job(run, { document: `${run}.chatmd`, key: `k${run}` }))
      for (const run of ['1', '2', '3']) check((await takeRun(first)) === run, `${run} is given out.`)
      await first.park('2')
      await first.finish('3')
      const second = await place.open()
      const openRuns = (await second.list()).map(({ job: one }) => one.run)
      check(openRuns.join() === '1,2,4', `The open jobs are 1, 2 and 4, and not ${openRuns.join()}.`)
      check(!(await second.enqueue(job('9', { document: '3.chatmd', key: 'k3' }))).isNew, 'Keys are known.')
      const again = [
        await takeRun(second),
        await takeRun(second),
        await takeRun(second),
        await takeRun(second, SOON_MS),
      ]
      check(again.join() === '1,2,4,', `The next process gets 1, 2 and 4, and not ${again.join()}.`)
    },
  },
  {
    name: 'on a disk with any room, what was accepted is there after the next start, and what was refused is not',
    needs: 'openFull',
    async check(_, create) {
      for (let room = 0, isRoomy = false; !isRoomy; room++) {
        check(room < MOST_ROOM, 'Five short jobs need less room.')
        const place = await create()
        try {
          isRoomy = await checkRoom(place, room)
        } finally {
          await place.remove()
        }
      }
    },
  },
  {
    name: 'a taken job can be renewed, and no other can',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1'))
      check(!(await queue.renew('1')), 'A job that waits is not kept.')
      await takeRun(queue)
      check(await queue.renew('1'), 'A taken job is kept.')
      await queue.finish('1')
      check(!(await queue.renew('1')), 'A job that is over is not kept.')
    },
  },
]

/**
 * Declares one test for each promise of a queue.
 *
 *     import { testQueue } from '@argot/server/testing'
 *     import { test } from 'vitest'
 *
 *     testQueue({ name: 'my queue', test, create: () => makePlace() })
 */
export function testQueue({ name, test, create }: QueueHarness): void {
  for (const law of laws) {
    test(`${name}: ${law.name}`, async () => {
      const place = await create()
      try {
        if (law.needs === undefined || place[law.needs] !== undefined) await law.check(place, create)
      } finally {
        await place.remove()
      }
    })
  }
}
