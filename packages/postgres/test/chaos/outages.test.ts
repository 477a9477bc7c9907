import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { Cluster } from '../cluster.ts'
import { Door } from './door.ts'
import { Nodes } from './nodes.ts'
import { PlayedRuns } from './played-runs.ts'

/** `npm run test:scale` takes the times of the specification. */
const isLong = process.env.RUNS !== undefined
/** At least so many runs are played, and as many more as it takes. */
const runs = isLong ? 60 : 10
/** Longer than a web node waits for its database. */
const AWAY_MS = isLong ? 10_000 : 2500
const CUTS = isLong ? 40 : 3

interface Place {
  cluster: Cluster
  door: Door
  web: Nodes
  workers: Nodes
  /** Is called after everything was checked. */
  later(cleanup: () => Promise<void>): void
  /** Resolves when so many runs have ended. */
  ended(count: number): Promise<void>
  count(): number
}

/** Plays runs while `happen` does something to the database. Afterwards nothing is lost and nothing is doubled. */
async function play(happen: (place: Place) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'argot-outage-'))
  const cluster = await Cluster.create()
  const door = new Door(cluster.port)
  const url = await door.open()
  const [program] = bundlePrograms([fileURLToPath(new URL('node-program.ts', import.meta.url))])
  const env = { FOLDER: folder, STORE: url, PACE: '10' }
  const web = new Nodes(program!, 2, { ...env, ROLE: 'web' })
  const workers = new Nodes(program!, 2, { ...env, ROLE: 'worker' })
  const cleanups: (() => Promise<void>)[] = []
  try {
    await Promise.all([web.ready(), workers.ready()])
    const played = new PlayedRuns({ folder, url, web })
    let isHappening = true
    let next = 0
    let count = 0
    const lane = async (): Promise<void> => {
      while (next < runs || isHappening) {
        await played.play(next++)
        count++
      }
    }
    const ended = async (least: number): Promise<void> => {
      await expect.poll(() => count, { timeout: 600_000 }).toBeGreaterThanOrEqual(least)
    }
    const playing = Promise.all(Array.from({ length: isLong ? 8 : 5 }, lane))
    const later = (cleanup: () => Promise<void>): void => void cleanups.push(cleanup)
    const happening = ended(2)
      .then(() => happen({ cluster, door, web, workers, ended, count: () => count, later }))
      .finally(() => {
        isHappening = false
      })
    await Promise.all([playing, happening])
    expect([...web.problems, ...workers.problems]).toEqual([])
    expect((await played.check()).runs).toBeGreaterThanOrEqual(runs)
  } finally {
    await Promise.all([web.close(), workers.close()])
    await door.close()
    for (const cleanup of cleanups) await cleanup()
    await cluster.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Connections end in the middle of statements. */
async function dropConnections({ door, ended, count }: Place): Promise<void> {
  for (let index = 0; index < CUTS; index++) {
    await expect.poll(() => door.cut()).toBeGreaterThan(0)
    await ended(count() + 1)
  }
}

/** One node after the other, as for a new version. */
async function restartAll({ web, workers }: Place): Promise<void> {
  for (const nodes of [web, workers]) for (let index = 0; index < nodes.size; index++) await nodes.restart(index)
}

async function killDatabase({ cluster, web, ended, count }: Place): Promise<void> {
  await cluster.kill()
  const begun = performance.now()
  const ask = async () => {
    const response = await fetch(`${await web.url()}/api/documents`)
    await response.body?.cancel()
    return [response.status, response.headers.get('retry-after')]
  }
  // A process of the database may outlive it for a moment.
  await expect.poll(ask).toEqual([503, '2'])
  await pause(Math.max(0, AWAY_MS - (performance.now() - begun)))
  await cluster.start()
  await ended(count() + 1)
}

async function failOver({ cluster, door, ended, count, later }: Place): Promise<void> {
  const replica = await cluster.createReplica()
  later(() => replica.remove())
  await ended(count() + 2)
  await cluster.kill()
  // Those who come now find a replica that only reads.
  door.target = replica.port
  door.cut()
  await pause(isLong ? AWAY_MS : 300)
  replica.promote()
}

test.runIf(isLong)('connections drop, and nothing is lost or doubled', () => play(dropConnections))
test.runIf(isLong)('all nodes are restarted in turn, and nothing is lost or doubled', () => play(restartAll))
test.runIf(isLong)('the database is down for ten seconds, and nothing is lost or doubled', () => play(killDatabase))
test.runIf(isLong)('a replica takes over, and nothing is lost or doubled', () => play(failOver))

test.skipIf(isLong)(
  'connections drop, nodes restart in turn, the database is down, a replica takes over: web nodes answer 503 with retry-after, runs are delayed, and nothing is lost or doubled',
  () =>
    play(async place => {
      await dropConnections(place)
      await restartAll(place)
      await killDatabase(place)
      await failOver(place)
    }),
  // A machine that does other things as well takes long for so many processes.
  300_000,
)
