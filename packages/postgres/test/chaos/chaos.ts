import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stepMark } from '@argot/core/stream/internal'
import { type PostgresStore, postgresStore } from '@argot/postgres'
import type { RunResource } from '@argot/server'
import pg from 'pg'
import { expect } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { checkReplay, fold, logOf, viewOf } from '../../../server/test/crash/conversation.ts'
import { type Replay, readByDurableStreams, readBySse, readReplays } from '../../../server/test/crash/readers.ts'
import { documentText, readEffects } from '../../../server/test/crash/scenario.ts'
import { Cluster } from '../cluster.ts'
import { Nodes } from './nodes.ts'

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

export interface ChaosReport {
  workerKills: number
  webKills: number
  databaseKills: number
  pauses: number
  /** Milliseconds from the death of a worker to the first line of the next one, of each run that it had. */
  takeovers: number[]
  interrupted: number
  resets: number
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
    return await new Chaos(options, folder, cluster, web, workers).play()
  } finally {
    await Promise.all([web.close(), workers.close()])
    await cluster.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

class Chaos {
  readonly #options: ChaosOptions
  readonly #folder: string
  readonly #cluster: Cluster
  readonly #web: Nodes
  readonly #workers: Nodes
  #finished = 0
  #databaseKills = 0
  #pauses = 0
  #killing: Promise<void> = Promise.resolve()
  #deaths: { at: number; path: string; epoch: number }[] = []

  constructor(options: ChaosOptions, folder: string, cluster: Cluster, web: Nodes, workers: Nodes) {
    this.#options = options
    this.#folder = folder
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

  /** Sends one document, reads its run in three ways to its end, and compares what was read. */
  async #playRun(index: number): Promise<void> {
    const name = `d${index}`
    const random = randomFrom(index)
    const put = await this.#web.ask('PUT', `/api/documents/${name}.chatmd`, documentText(name))
    // One that was made by a request whose answer was lost is there.
    expect([201, 412]).toContain(put.status)
    const body = { document: `${name}.chatmd` }
    const { status, value } = await this.#web.ask<RunResource>('POST', '/api/runs', body, { 'idempotency-key': name })
    expect({ status, value }).toMatchObject({ status: 201 })
    let isOver = false
    const replaying = readReplays(this.#web, name, random, () => isOver)
    const [lines, durable] = await Promise.all([
      readBySse(this.#web, value.id, random),
      readByDurableStreams(this.#web, value.id),
    ])
    isOver = true
    const replays = await replaying
    await this.#checkRun(value.id, lines, durable, replays)
    const finished = ++this.#finished
    this.#killing = this.#killing.then(() => this.#kill(finished))
  }

  async #checkRun(run: string, lines: unknown[], durable: unknown[], replays: readonly Replay[]): Promise<void> {
    const store = this.#open()
    try {
      const log = await logOf(store, run)
      expect(lines, `${run} by its own stream`).toEqual(log)
      expect(durable, `${run} by Durable Streams`).toEqual(log)
      for (const replay of replays) if (replay.run === run) checkReplay(replay, log)
    } finally {
      await store.close()
    }
  }

  #open(): PostgresStore {
    return postgresStore(this.#cluster.url, { connections: 3 })
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

  /** What holds for all of them together. */
  async #check(): Promise<ChaosReport> {
    const { runs } = this.#options
    expect([...this.#web.problems, ...this.#workers.problems]).toEqual([])
    const store = this.#open()
    try {
      const entries = await store.logs.list()
      expect(entries.length, 'runs').toBe(runs)
      expect(
        entries.filter(({ state }) => state !== 'ended'),
        'runs that are not over',
      ).toEqual([])
      let interrupted = 0
      let resets = 0
      for (const { run, path } of entries) {
        const result = await this.#checkDocument(store, run, path)
        interrupted += result.isInterrupted ? 1 : 0
        resets += result.resets
      }
      this.#checkEffects()
      return {
        workerKills: this.#workers.kills,
        webKills: this.#web.kills,
        databaseKills: this.#databaseKills,
        pauses: this.#pauses,
        takeovers: await this.#takeovers(),
        interrupted,
        resets,
      }
    } finally {
      await store.close()
    }
  }

  /** The document has what the log says, every step once, and what a single machine would have written. */
  async #checkDocument(
    store: PostgresStore,
    run: string,
    path: string,
  ): Promise<{ isInterrupted: boolean; resets: number }> {
    const log = (await store.logs.read(run))!
    const chunks = log.lines.map(({ chunk }) => chunk)
    expect(chunks.filter(({ type }) => type === stepMark).length, `finished steps of ${path}`).toBe(3)
    const { value } = await this.#web.ask<{ messages: never[] }>('GET', `/api/documents/${path}/messages`)
    const views = value.messages.map(viewOf)
    expect(views.slice(1), `the messages of ${path}`).toEqual([
      viewOf(fold((await logOf(store, run)).map(({ chunk }) => chunk))),
    ])
    const isInterrupted = JSON.stringify(views).includes('Interrupted; its effect is unknown.')
    const name = path.replace('.chatmd', '')
    if (!isInterrupted) expect(views[1], path).toEqual(expectedView(name))
    return { isInterrupted, resets: chunks.filter(({ type }) => type === 'reset-step').length }
  }

  /** What changes something is done once at most; what had begun when its worker died is not done again. */
  #checkEffects(): void {
    const counts = new Map<string, number>()
    for (const { what, which } of readEffects(this.#folder)) {
      if (what !== 'model') counts.set(`${what} ${which}`, (counts.get(`${what} ${which}`) ?? 0) + 1)
    }
    const doubled = [...counts].filter(([effect, count]) => /-w\d$/.test(effect) && count > 1)
    expect(doubled, 'effects that were made twice').toEqual([])
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

/** What the scripted model says and does if nothing dies. */
function expectedView(name: string): unknown {
  // Its number is another one if a step was made again.
  const call = (toolName: string, a: string) => ({
    toolCallId: expect.stringMatching(/^c\d+$/),
    toolName,
    state: 'output-available',
    input: { a },
    output: `${toolName} gave ${JSON.stringify({ a })}`,
    errorText: undefined,
  })
  return {
    text: expect.stringContaining(`All of ${name} is done, and this is the end.`),
    calls: [call('look', name), call('change', name), call('change', `more ${name}`)],
  }
}

/** Numbers from 0 to 1 that only the seed decides. */
function randomFrom(seed: number): () => number {
  let state = (seed + 1) * 7919
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
