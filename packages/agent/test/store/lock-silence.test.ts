import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import {
  describeHolder,
  LEASE_MS,
  type LockFile,
  takeLockFile,
  tryLockFile,
  waitForLockFile,
} from '../../src/store/folder/lock-file.ts'
import { describeProcess, getLiveness, type LockOwner } from '../../src/store/folder/lock-holder.ts'
import type { LockClock } from '../../src/store/folder/lock-watch.ts'

function lockPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'argot-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'chat.chatmd.lock')
}

/** Another machine's lock. */
const elsewhere: LockOwner = {
  pid: 12,
  host: 'elsewhere.example',
  since: 0,
  epoch: 1,
  nonce: 'x',
  program: 'argot run',
}

/** A clock that only pauses move; `tick` sees every pause before it ends. */
function clockWith(tick: (now: number) => void = () => {}): LockClock & { time: number } {
  return {
    time: 0,
    now() {
      return this.time
    },
    async pause(ms) {
      this.time += ms
      tick(this.time)
    },
  }
}

function release(lock: LockFile | string): void {
  if (typeof lock !== 'string') lock.release()
}

test('a holder elsewhere that never renews is replaced after the documented time, not before, with a higher epoch', async () => {
  const path = lockPath()
  const epoch = Date.now() + 1e9
  writeFileSync(path, JSON.stringify({ ...elsewhere, epoch }))
  const clock = clockWith(now => {
    if (now < LEASE_MS) expect(readFileSync(path, 'utf8')).toContain('elsewhere')
  })
  const notices: string[] = []
  const lock = await takeLockFile(path, { clock, notice: text => void notices.push(text) })
  expect(clock.time).toBeGreaterThanOrEqual(30_000)
  expect(clock.time).toBeLessThan(31_000)
  expect(lock.epoch).toBe(epoch + 1)
  expect(notices).toEqual([
    expect.stringMatching(
      /^Waiting for argot run, process 12 on elsewhere\.example, since 1970-01-01T00:00:00\.000Z, which holds `chat\.chatmd`\. .*after 30 s without a sign of life.*`--take-over`/,
    ),
  ])
  lock.release()
})

test('gaps between renewals below the limit never lead to a second holder, and a longer one always does', async () => {
  const gaps = fc.array(fc.integer({ min: 1, max: LEASE_MS - 1000 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(gaps, fc.boolean(), async (between, backwards) => {
      const path = lockPath()
      writeFileSync(path, JSON.stringify(elsewhere))
      const ends = between.map((_, index) => between.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0))
      let renewals = 0
      const clock = clockWith(now => {
        expect(readFileSync(path, 'utf8')).toContain('elsewhere')
        while (renewals < ends.length && now >= ends[renewals]!) {
          renewals++
          // The holder's clock may be wrong by years, and be set back: only that it changes means something.
          const time = backwards ? 1e6 - renewals : 4e9 + renewals
          utimesSync(path, time, time)
        }
      })
      const lock = await takeLockFile(path, { clock, wait: true })
      expect(clock.time).toBeGreaterThanOrEqual((ends.at(-1) ?? 0) + LEASE_MS - 250)
      lock.release()
    }),
    { numRuns: 20 },
  )
}, 60_000)

test('without `wait` it is locked with the first renewal', async () => {
  const path = lockPath()
  writeFileSync(path, JSON.stringify(elsewhere))
  const clock = clockWith(now => {
    if (now > 5000) utimesSync(path, 7, 7)
  })
  await expect(takeLockFile(path, { clock })).rejects.toMatchObject({ code: 'RUN_LOCKED' })
  expect(clock.time).toBeLessThan(6000)
})

test('waiting for a holder that renews has a limit', async () => {
  const path = lockPath()
  writeFileSync(path, JSON.stringify(elsewhere))
  const clock = clockWith(now => utimesSync(path, now, now))
  const waiting = takeLockFile(path, { clock, wait: true, waitMs: 100_000 })
  await expect(waiting).rejects.toMatchObject({ code: 'RUN_LOCKED', message: expect.stringContaining('waited 100 s') })
})

test('a machine that slept while it waited has not seen the holder silent', async () => {
  const path = lockPath()
  writeFileSync(path, JSON.stringify(elsewhere))
  let sleeps = 0
  const clock: LockClock & { time: number } = clockWith(() => {
    if (sleeps < 10) clock.time += 3_600_000
    sleeps++
    if (sleeps < 15) expect(readFileSync(path, 'utf8')).toContain('elsewhere')
  })
  const lock = await takeLockFile(path, { clock })
  expect(sleeps).toBeGreaterThan(50)
  lock.release()
})

test.each([
  ['a holder that promised less is given the own time', 1000, 30_000],
  ['a holder that promised more is given that', 100_000, 100_000],
  ['a time that nobody waits for is not believed', 1e15, 600_000],
])('how long silence is borne: %s', async (_, leaseMs, expected) => {
  const path = lockPath()
  writeFileSync(path, JSON.stringify({ ...elsewhere, leaseMs }))
  const clock = clockWith()
  release(await waitForLockFile(path, { clock }))
  expect(clock.time).toBeGreaterThanOrEqual(expected)
  expect(clock.time).toBeLessThan(expected + 1000)
})

test('a person who does not want to wait need not; a process that surely runs is left alone', async () => {
  const path = lockPath()
  writeFileSync(path, JSON.stringify(elsewhere))
  const clock = clockWith()
  release(await waitForLockFile(path, { clock, takeOver: true }))
  expect(clock.time).toBe(0)
  writeFileSync(path, JSON.stringify({ ...describeProcess(0, 1), pid: process.ppid, start: undefined }))
  expect(await waitForLockFile(path, { clock, takeOver: true })).toContain(`process ${process.ppid}`)
})

test('whoever lists runs sees a silent holder as one, and as gone after that time', () => {
  const path = lockPath()
  writeFileSync(path, JSON.stringify(elsewhere))
  const clock = clockWith()
  for (let looks = 0; looks <= 30; looks++) {
    expect(describeHolder(path, { clock })).toContain('process 12 on elsewhere.example')
    if (looks < 30) clock.time += 990
  }
  clock.time += 990
  expect(describeHolder(path, { clock })).toBe(undefined)
  release(tryLockFile(path, { clock }))
})

test('a server that is replaced loses all of its locks, another process does not', async () => {
  for (const replacesProcess of [true, false]) {
    const [server, document] = [lockPath(), lockPath()]
    const holder = { ...elsewhere, pid: replacesProcess ? 100 : 101 }
    for (const path of [server, document]) writeFileSync(path, JSON.stringify(holder))
    release(await waitForLockFile(server, { clock: clockWith(), replacesProcess }))
    const clock = clockWith()
    release(await waitForLockFile(document, { clock }))
    expect(clock.time === 0).toBe(replacesProcess)
  }
})

const here = { host: hostname(), boot: 'b', machine: 'm', space: 'pid:[4026531836]' }
const gone = { pid: 2 ** 22 + 7, since: 0, nonce: 'n' }
const mine = { pid: process.pid, since: 0, nonce: 'n' }

test.each<[string, LockOwner, typeof here, string]>([
  ['a dead process here', { ...here, ...gone }, here, 'gone'],
  ['a process that runs here', { ...here, ...gone, pid: process.ppid }, here, 'running'],
  ['this process, which does not hold it', { ...here, ...mine }, here, 'gone'],
  ['another thread of this process', { ...here, ...mine, thread: 99 }, here, 'unknown'],
  ['a dead process here, before the host was renamed', { ...here, ...gone, host: 'old' }, here, 'gone'],
  ['another container here', { ...here, ...gone, space: 'pid:[1]' }, here, 'unknown'],
  ['this container after a restart', { ...here, ...gone, space: 'pid:[1]' }, { ...here, space: 'pid:[2]' }, 'unknown'],
  ['the machine before its restart', { ...here, ...gone, boot: 'a' }, here, 'gone'],
  ['another machine', { ...here, ...gone, boot: 'a', host: 'x' }, here, 'unknown'],
  ['another machine of the same name', { ...here, ...gone, boot: 'a', machine: 'x' }, here, 'unknown'],
  [
    'a container of the same name on another machine',
    { ...here, ...gone, boot: 'a', space: 'pid:[1]' },
    { ...here, space: 'pid:[2]' },
    'unknown',
  ],
])('whether a holder runs: %s', (_, holder, system, expected) => {
  expect(getLiveness(holder, system)).toBe(expected)
})

test('a lock that this process released in a folder that had been moved away is free when the folder is back', async () => {
  const path = lockPath()
  const folder = join(path, '..')
  const lock = await takeLockFile(path, {})
  renameSync(folder, `${folder}-away`)
  lock.release()
  renameSync(`${folder}-away`, folder)
  // Even for another process: the lock was emptied.
  expect(statSync(path).size).toBe(0)
  ;(await takeLockFile(path, {})).release()
})

test('a lock that this process released and could not remove or empty is free for it', async () => {
  const path = lockPath()
  const lock = await takeLockFile(path, {})
  const text = readFileSync(path, 'utf8')
  lock.release()
  // A disk that was read-only at that moment still has it.
  writeFileSync(path, text)
  ;(await takeLockFile(path, {})).release()
})

test('a lock that this process holds is not free for it, whichever store asks', async () => {
  const path = lockPath()
  const lock = await takeLockFile(path, {})
  await expect(takeLockFile(path, {})).rejects.toMatchObject({ code: 'RUN_LOCKED' })
  lock.release()
  lock.release()
})

test('a holder renews its lock, and is told when it was replaced', async () => {
  const path = lockPath()
  const lock = await takeLockFile(path, { leaseMs: 60 })
  const { mtimeMs } = statSync(path)
  await expect.poll(() => statSync(path).mtimeMs, { timeout: 20_000 }).not.toBe(mtimeMs)
  rmSync(path)
  writeFileSync(path, JSON.stringify(elsewhere))
  await expect.poll(() => lock.lost.aborted, { timeout: 20_000 }).toBe(true)
  const before = statSync(path).mtimeMs
  lock.release()
  expect([readFileSync(path, 'utf8'), statSync(path).mtimeMs]).toEqual([JSON.stringify(elsewhere), before])
})
