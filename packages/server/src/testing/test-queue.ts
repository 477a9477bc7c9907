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
    `With room for ${room} bytes, ${[...accepted].join()} were accepted, but ${after.join()} are stored.`,
  )
  return isRoomy
}

const laws: readonly QueueLaw[] = [
  {
    name: 'forgotten jobs are removed with their keys, also for the next process; jobs that have not ended stay',
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
        check((await one.list({ run: '1' })).length === 0, 'The forgotten job should be removed.')
        check((await one.list({ key: 'k1' })).length === 0, "The forgotten job's key should be removed.")
        check((await readState(one, '2')) === 'finished', "The other document's job should stay.")
        check((await one.list({ document: 'a.chatmd' })).length === 1, 'A job that has not ended should stay.')
      }
    },
  },
  {
    name: 'jobs of one document run one at a time, in order',
    async check(place) {
      const queue = await place.open()
      for (const run of ['1', '2', '3']) await queue.enqueue(job(run))
      for (const run of ['1', '2', '3']) {
        check((await takeRun(queue)) === run, `The next job should be ${run}.`)
        check(
          (await takeRun(queue, SOON_MS)) === undefined,
          'No other job of the document should be taken before this one ends.',
        )
        await queue.finish(run)
      }
      check((await takeRun(queue, SOON_MS)) === undefined, 'No job should be taken twice.')
    },
  },
  {
    name: 'jobs of different documents run in parallel',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1'))
      await queue.enqueue(job('2'))
      await queue.enqueue(job('3', { document: 'b.chatmd' }))
      check((await takeRun(queue)) === '1', "The first document's first job should be taken.")
      check((await takeRun(queue)) === '3', "The second document's first job should be taken too.")
    },
  },
  {
    name: 'a waiting worker gets a job when it arrives',
    async check(place) {
      const queue = await place.open()
      const next = queue.take(new AbortController().signal)
      await queue.enqueue(job('1'))
      check((await next)?.run === '1', 'The waiting worker should get the job.')
    },
  },
  {
    name: 'a key makes one job, even if it is sent twice at the same time and again after the job ends',
    async check(place) {
      const queue = await place.open()
      const sent = await Promise.all(['1', '2'].map(run => queue.enqueue(job(run, { key: 'k', digest: 'd' }))))
      check(sent.filter(({ isNew }) => isNew).length === 1, 'Exactly one of the two should be new.')
      const runs = new Set(sent.map(({ queued }) => queued.job.run))
      check(runs.size === 1, 'Both should get the same run.')
      const [run] = [...runs]
      await takeRun(queue)
      await queue.finish(run!)
      const later = await queue.enqueue(job('3', { key: 'k', digest: 'd' }))
      check(!later.isNew && later.queued.job.run === run, 'The key should still be known after the job ends.')
      check((await queue.list({ key: 'k' }))[0]?.job.digest === 'd', 'The job should keep its digest.')
    },
  },
  {
    name: 'a parked job keeps its document, and is taken again when it is sent again',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1'))
      await queue.enqueue(job('2'))
      check((await takeRun(queue)) === '1', 'The first job should be taken.')
      await queue.park('1')
      check((await readState(queue, '1')) === 'parked', 'It should be parked.')
      check((await takeRun(queue, SOON_MS)) === undefined, 'The next job should still wait.')
      await queue.enqueue(job('1'))
      check((await takeRun(queue)) === '1', 'It should be taken again.')
      await queue.finish('1')
      check((await takeRun(queue)) === '2', 'The next job should follow.')
    },
  },
  {
    name: 'a run that is woken after its end keeps its model and its key',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1', { key: 'k', digest: 'd', model: 'm', approve: 'none' }))
      await takeRun(queue)
      await queue.finish('1')
      await queue.enqueue(job('1'))
      const again = await queue.take(AbortSignal.timeout(PATIENCE_MS))
      check(again?.model === 'm' && again.approve === 'none', 'It should keep its model and approvals.')
      check((await queue.list({ key: 'k' }))[0]?.job.digest === 'd', 'The job should keep its digest.')
    },
  },
  {
    name: 'a job that ends before it is taken is never taken',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1'))
      await queue.finish('1', { code: 'RUN_FAILED', message: 'No.' })
      check((await takeRun(queue, SOON_MS)) === undefined, 'It should not be taken.')
      const [queued] = await queue.list({ run: '1' })
      check(queued?.state === 'finished' && queued.failure?.code === 'RUN_FAILED', 'Its failure should be stored.')
    },
  },
  {
    name: "accepted jobs survive the process: waiting, taken and parked jobs come back, finished ones don't",
    async check(place) {
      const first = await place.open()
      for (const run of ['1', '2', '3', '4'])
        await first.enqueue(job(run, { document: `${run}.chatmd`, key: `k${run}` }))
      for (const run of ['1', '2', '3']) check((await takeRun(first)) === run, `${run} should be taken.`)
      await first.park('2')
      await first.finish('3')
      const second = await place.open()
      const openRuns = (await second.list()).map(({ job: one }) => one.run)
      check(openRuns.join() === '1,2,4', `The open jobs should be 1, 2 and 4, not ${openRuns.join()}.`)
      check(!(await second.enqueue(job('9', { document: '3.chatmd', key: 'k3' }))).isNew, 'Keys should be known.')
      const again = [
        await takeRun(second),
        await takeRun(second),
        await takeRun(second),
        await takeRun(second, SOON_MS),
      ]
      check(again.join() === '1,2,4,', `The next process should get 1, 2 and 4, not ${again.join()}.`)
    },
  },
  {
    name: 'however full the disk is, accepted jobs are there after the next start, and refused ones are not',
    needs: 'openFull',
    async check(_, create) {
      for (let room = 0, isRoomy = false; !isRoomy; room++) {
        check(room < MOST_ROOM, 'Five short jobs should need less room.')
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
    name: 'only a taken job can be renewed',
    async check(place) {
      const queue = await place.open()
      await queue.enqueue(job('1'))
      check(!(await queue.renew('1')), 'A waiting job should not be renewed.')
      await takeRun(queue)
      check(await queue.renew('1'), 'A taken job should be renewed.')
      await queue.finish('1')
      check(!(await queue.renew('1')), 'A job that has ended should not be renewed.')
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
