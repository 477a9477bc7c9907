import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { Cluster } from '../cluster.ts'
import { Nodes } from './nodes.ts'
import { PlayedRuns, type RunsReport } from './played-runs.ts'

export interface ChaosOptions {
  runs: number
  webNodes: number
  workers: number
  /** A worker dies for every so many finished runs, and a web node. */
  workerEvery: number
  webEvery: number
  /** The database dies after each of these shares of the runs. */
  databaseAt: readonly number[]
  /** A worker is paused for longer than its lease after each of these shares. */
  pauseAt: readonly number[]
  /** Runs that are on their way at a time. */
  atOnce: number
}

export interface ChaosReport extends RunsReport {
  workerKills: number
  webKills: number
  databaseKills: number
  pauses: number
  /** Milliseconds from the death of a worker to the first line of the next one, of each run that it had. */
  takeovers: number[]
}

/** Longer than a lease. */
const PAUSE_MS = 8000
/** How long the database is away. */
const AWAY_MS = 1500

/** Plays runs on two kinds of nodes and a database, all of which die, and checks what came of them. */
export async function playChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'argot-chaos-'))
  const cluster = await Cluster.create()
  const [program] = bundlePrograms([fileURLToPath(new URL('node-program.ts', import.meta.url))])
  const env = { FOLDER: folder, STORE: cluster.url }
  const web = new Nodes(program!, options.webNodes, { ...env, ROLE: 'web' })
  const workers = new Nodes(program!, options.workers, { ...env, ROLE: 'worker' })
  try {
    await Promise.all([web.ready(), workers.ready()])
    const runs = new PlayedRuns({ folder, url: cluster.url, web })
    return await new Chaos(options, runs, cluster, web, workers).play()
  } finally {
    await Promise.all([web.close(), workers.close()])
    await cluster.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

class Chaos {
  readonly #options: ChaosOptions
  readonly #runs: PlayedRuns
  readonly #cluster: Cluster
  readonly #web: Nodes
  readonly #workers: Nodes
  #finished = 0
  #databaseKills = 0
  #pauses = 0
  #killing: Promise<void> = Promise.resolve()
  #deaths: { at: number; path: string; epoch: number }[] = []

  constructor(options: ChaosOptions, runs: PlayedRuns, cluster: Cluster, web: Nodes, workers: Nodes) {
    this.#options = options
    this.#runs = runs
    this.#cluster = cluster
    this.#web = web
    this.#workers = workers
  }

  async play(): Promise<ChaosReport> {
    const { runs, atOnce } = this.#options
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < runs) await this.#playRun(next++)
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
    await this.#killing
    return this.#check()
  }

  async #playRun(index: number): Promise<void> {
    await this.#runs.play(index)
    const finished = ++this.#finished
    this.#killing = this.#killing.then(() => this.#kill(finished))
  }

  async #kill(finished: number): Promise<void> {
    const { runs, workerEvery, webEvery, databaseAt, pauseAt } = this.#options
    if (finished % workerEvery === 0) await this.#killWorker(finished / workerEvery)
    if (finished % webEvery === 0) await this.#web.kill(finished / webEvery)
    if (databaseAt.some(share => Math.floor(share * runs) === finished)) await this.#killDatabase()
    if (pauseAt.some(share => Math.floor(share * runs) === finished)) this.#pauseWorker(finished)
  }

  async #killWorker(number: number): Promise<void> {
    const { pid } = this.#workers.at(number).child
    const client = new pg.Client(this.#cluster.url)
    client.on('error', () => {})
    try {
      await client.connect()
      const text = `select path, epoch, extract(epoch from clock_timestamp()) * 1000 as at from argot.lease where holder like $1`
      const { rows } = await client.query(text, [`process ${pid} on %`])
      for (const { path, epoch, at } of rows) this.#deaths.push({ path, epoch: Number(epoch), at: Number(at) })
    } catch {
      // The database is away: then it is not known what the worker has.
    } finally {
      await client.end().catch(() => {})
    }
    await this.#workers.kill(number)
  }

  async #killDatabase(): Promise<void> {
    this.#databaseKills++
    // A run that is taken over now waits for the database, too.
    this.#deaths = this.#deaths.filter(({ at }) => at < Date.now() - 10_000)
    await this.#cluster.kill()
    await new Promise(resolve => setTimeout(resolve, AWAY_MS))
    await this.#cluster.start()
  }

  #pauseWorker(number: number): void {
    const { child } = this.#workers.at(number)
    this.#pauses++
    child.kill('SIGSTOP')
    setTimeout(() => child.kill('SIGCONT'), PAUSE_MS)
  }

  async #check(): Promise<ChaosReport> {
    expect([...this.#web.problems, ...this.#workers.problems]).toEqual([])
    return {
      ...(await this.#runs.check()),
      workerKills: this.#workers.kills,
      webKills: this.#web.kills,
      databaseKills: this.#databaseKills,
      pauses: this.#pauses,
      takeovers: await this.#takeovers(),
    }
  }

  async #takeovers(): Promise<number[]> {
    const client = new pg.Client(this.#cluster.url)
    await client.connect()
    const times: number[] = []
    for (const { at, path, epoch } of this.#deaths) {
      const text = `select min(l.t) as t from argot.log l join argot.run r on r.run = l.run join argot.document d on d.id = r.document where d.path = $1 and l.e > $2`
      const { rows } = await client.query(text, [path, epoch])
      if (rows[0].t !== null) times.push(Math.round(rows[0].t - at))
    }
    await client.end()
    return times.sort((a, b) => a - b)
  }
}
