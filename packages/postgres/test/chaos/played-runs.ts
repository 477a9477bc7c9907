import { setTimeout as pause } from 'node:timers/promises'
import { stepMark } from '@argot/core/stream/internal'
import { type PostgresStore, postgresStore } from '@argot/postgres'
import type { AnswerResult, RunResource } from '@argot/server/api'
import { expect } from 'vitest'
import { checkReplay, fold, logOf, viewOf } from '../../../server/test/crash/conversation.ts'
import { type Replay, readByDurableStreams, readBySse, readReplays } from '../../../server/test/crash/readers.ts'
import { callName, documentText, readEffects } from '../../../server/test/crash/scenario.ts'
import type { Nodes } from './nodes.ts'
import { singleMachineText } from './single-machine.ts'

export interface RunsReport {
  runs: number
  /** Documents with a call that had begun when its worker died. */
  interrupted: number
  resets: number
  /** Documents that are byte for byte those of a single machine. */
  equal: number
  /** Times that a person said yes. */
  yeses: number
}

interface PlayedRunsOptions {
  /** Where the tools record what they do. */
  folder: string
  url: string
  web: Nodes
}

/** Payloads are in the document, as in a database. */
export function chaosDocument(name: string): string {
  return `<config show_tool_call/>\n${documentText(name)}`
}

/** Every fourth document asks before it changes something. */
function toName(index: number): string {
  return `${index % 4 === 3 ? 'q' : 'd'}${index}`
}

/** Runs of scripted documents, each read in three ways to its end, and what must be true of all of them afterwards. */
export class PlayedRuns {
  readonly #options: PlayedRunsOptions
  /** How often each call was allowed. */
  readonly #yeses: Map<string, number> = new Map()
  #count = 0

  constructor(options: PlayedRunsOptions) {
    this.#options = options
  }

  /** Sends one document, answers its questions, reads its run in three ways to its end, and compares what was read. */
  async play(index: number): Promise<void> {
    const { web } = this.#options
    const name = toName(index)
    const random = randomFrom(index)
    this.#count++
    const put = await web.ask('PUT', `/api/documents/${name}.chatmd`, chaosDocument(name))
    // One that was made by a request whose answer was lost is there.
    expect([201, 412]).toContain(put.status)
    const body = { document: `${name}.chatmd` }
    const { status, value } = await web.ask<RunResource>('POST', '/api/runs', body, { 'idempotency-key': name })
    expect({ status, value }).toMatchObject({ status: 201 })
    let isOver = false
    const replaying = readReplays(web, name, random, () => isOver)
    const answering = name.startsWith('q') ? this.#answer(value.id, () => isOver) : undefined
    answering?.catch(() => {})
    const [lines, durable] = await Promise.all([
      readBySse(web, value.id, random),
      readByDurableStreams(web, value.id),
    ]).finally(() => {
      isOver = true
    })
    await answering
    await this.#compare(value.id, lines, durable, await replaying)
  }

  /** Says yes to every question, through any node, until the run is over. */
  async #answer(run: string, isOver: () => boolean): Promise<void> {
    const { web } = this.#options
    const answered = new Set<string>()
    while (!isOver()) {
      const { value } = await web.ask<RunResource>('GET', `/api/runs/${run}`)
      for (const { approvalId, inputHash, toolName, input } of value.pending ?? []) {
        if (answered.has(approvalId)) continue
        answered.add(approvalId)
        // An answer that was sent may count, whatever came back.
        const call = callName(toolName, input)
        this.#yeses.set(call, (this.#yeses.get(call) ?? 0) + 1)
        const answers = [{ approvalId, inputHash, approved: true }]
        const posted = await web.ask<{ results: AnswerResult[] }>('POST', `/api/runs/${run}/approvals`, { answers })
        // A node whose connection drops may be behind for longer than it waits, and says so: then it is answered again.
        if (posted.value.results?.[0]?.status === 410) answered.delete(approvalId)
      }
      await pause(20)
    }
  }

  async #compare(run: string, lines: unknown[], durable: unknown[], replays: readonly Replay[]): Promise<void> {
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
    return postgresStore(this.#options.url, { connections: 3 })
  }

  /** What holds for all of them together. */
  async check(): Promise<RunsReport> {
    const store = this.#open()
    const report: RunsReport = { runs: this.#count, interrupted: 0, resets: 0, equal: 0, yeses: 0 }
    for (const count of this.#yeses.values()) report.yeses += count
    try {
      const entries = await store.logs.list()
      expect(entries.length, 'runs').toBe(this.#count)
      expect(
        entries.filter(({ state }) => state !== 'ended'),
        'runs that are not over',
      ).toEqual([])
      for (const { run, path } of entries) await this.#checkDocument(store, run, path, report)
      this.#checkEffects()
      return report
    } finally {
      await store.close()
    }
  }

  /** The document has what the log says, every step once, and the bytes that a single machine would have written. */
  async #checkDocument(store: PostgresStore, run: string, path: string, report: RunsReport): Promise<void> {
    const log = (await store.logs.read(run))!
    const chunks = log.lines.map(({ chunk }) => chunk)
    expect(chunks.filter(({ type }) => type === stepMark).length, `finished steps of ${path}`).toBe(3)
    const { value } = await this.#options.web.ask<{ messages: never[] }>('GET', `/api/documents/${path}/messages`)
    expect(value.messages.map(viewOf).slice(1), `the messages of ${path}`).toEqual([
      viewOf(fold((await logOf(store, run)).map(({ chunk }) => chunk))),
    ])
    // The moment of an answer is all that differs from run to run.
    const text = (await store.documents.read(path)).text.replaceAll(/ approved_at="[^"]*"/g, '')
    const isInterrupted = text.includes('Interrupted; its effect is unknown.')
    const resets = chunks.filter(({ type }) => type === 'reset-step').length
    report.resets += resets
    if (isInterrupted) report.interrupted++
    const expected = await singleMachineText(path.replace('.chatmd', ''))
    const isPlain = resets === 0 && !isInterrupted
    if (text === expected) report.equal++
    expect(isPlain ? text : withoutChance(text), path).toBe(isPlain ? expected : withoutChance(expected))
  }

  /** What changes something is done once at most, and no more often than a person said yes to it. */
  #checkEffects(): void {
    const starts = new Map<string, number>()
    for (const { what, which } of readEffects(this.#options.folder)) {
      if (what === 'start' && /-w\d$/.test(which)) starts.set(which, (starts.get(which) ?? 0) + 1)
    }
    expect(starts.size, 'calls that began').toBeGreaterThan(this.#count)
    for (const [call, count] of starts) {
      const most = call.startsWith('q') ? (this.#yeses.get(call) ?? 0) : 1
      expect(count, `starts of ${call}`).toBeLessThanOrEqual(most)
    }
  }
}

/** Without what a death may change: the numbers of calls, and the result of a call that was interrupted. */
function withoutChance(text: string): string {
  const result = /<tool_response[^>]*>\nRAW\|\n[^\n]*(?: gave |Interrupted; its effect is unknown\.)[^\n]*\n/g
  return text.replace(/tool_call_id="c\d+"/g, 'tool_call_id="c"').replace(result, '<tool_response>\n')
}

/** Numbers from 0 to 1 that only the seed decides. */
function randomFrom(seed: number): () => number {
  let state = (seed + 1) * 7919
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
