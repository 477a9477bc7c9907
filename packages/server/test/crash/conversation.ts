import { isDeepStrictEqual } from 'node:util'
import { folderStore, type Store } from '@argot/agent'
import { accumulate, type Chunk, type Message, toolCalls } from '@argot/core'
import { isInternalMark, WireAdapter } from '@argot/core/stream'
import { ResetFilter, ResetWatch, stepMark } from '@argot/core/stream/internal'
import type { RunResource } from '@argot/server'
import { expect } from 'vitest'
import {
  type Random,
  type ReadLine,
  type Replay,
  readByDurableStreams,
  readByEvents,
  readBySse,
  readReplays,
} from './readers.ts'
import { answerTo, callName, type Effect, readEffects } from './scenario.ts'
import type { ServerLives } from './server-process.ts'

/** What a case is made of. */
export interface Conversation {
  /** The document is `NAME.chatmd`. */
  name: string
  /** Its first run asks before it changes something. */
  asks: boolean
  /** Messages that are sent while the first run works, or after its question was answered. */
  more: readonly string[]
}

export function openStore(docs: string): Store {
  return folderStore(docs, { key: Buffer.alloc(32, 7) })
}

/** One person with a document: sends, answers, and reads in every way, whatever happens to the server. */
export class Person {
  readonly #lives: ServerLives
  readonly #one: Conversation
  readonly #random: Random
  readonly runs: string[] = []
  readonly #reading: Promise<{ run: string; lines: ReadLine[]; durable: ReadLine[] }>[] = []
  /** The call that each yes is for, by approval id. */
  readonly yes: Map<string, string> = new Map()
  #isOver = false

  constructor(lives: ServerLives, one: Conversation, random: Random) {
    this.#lives = lives
    this.#one = one
    this.#random = random
  }

  /** To the end of every run; then everything that was read is compared with what the disk has. */
  async talk(store: Store): Promise<void> {
    const { name, asks, more } = this.#one
    const replays = readReplays(this.#lives, name, this.#random, () => this.#isOver)
    await this.#send(undefined, 0)
    // A message that comes while a question waits denies it.
    while (asks && (await this.#answer()) && new Set(this.yes.values()).size < 2);
    for (const [index, input] of more.entries()) await this.#send(input, index + 1)
    const byEvents = readByEvents(this.#lives, this.runs, this.#random)
    byEvents.catch(() => {})
    for (const run of this.runs) await this.#until(run)
    this.#isOver = true
    const read = await Promise.all(this.#reading)
    const events = await byEvents
    for (const { run, lines, durable } of read) {
      const log = await logOf(store, run)
      expect(lines, `${run} by its own stream`).toEqual(log)
      expect(durable, `${run} by Durable Streams`).toEqual(log)
      expect(events.get(run), `${run} by the stream of a browser`).toEqual(log)
      expect(fold(lines.map(({ chunk }) => chunk)), `the message of ${run}`).toEqual(await believedOf(store, run))
    }
    for (const replay of await replays) checkReplay(replay, await logOf(store, replay.run))
    await this.#checkDocument(store)
  }

  /** Sends until it was accepted. What was accepted has one run, however often it was sent. */
  async #send(input: string | undefined, index: number): Promise<void> {
    const { name } = this.#one
    const body = { document: `${name}.chatmd`, ...(input !== undefined && { input }) }
    const headers = { 'idempotency-key': `${name} ${index}` }
    const { status, value } = await this.#lives.ask<RunResource>('POST', '/api/runs', body, headers)
    expect({ status, value }).toMatchObject({ status: 201 })
    this.runs.push(value.id)
    const reading = Promise.all([
      readBySse(this.#lives, value.id, this.#random),
      readByDurableStreams(this.#lives, value.id),
    ])
    const named = reading.then(([lines, durable]) => ({ run: value.id, lines, durable }))
    // Whoever awaits it hears of a failure; without this it would bury the first one.
    named.catch(() => {})
    this.#reading.push(named)
  }

  async #get(run: string): Promise<RunResource> {
    const { status, value } = await this.#lives.ask<RunResource>('GET', `/api/runs/${run}`)
    expect({ status, value }).toMatchObject({ status: 200 })
    return value
  }

  /** Says yes to the next question; false if there is none any more. */
  async #answer(): Promise<boolean> {
    const run = this.runs[0]!
    for (;;) {
      const { state, pending } = await this.#get(run)
      if (['done', 'failed', 'stopped'].includes(state)) return false
      const question = pending.find(({ approvalId }) => !this.yes.has(approvalId))
      if (question === undefined) {
        if (pending.length > 0 && new Set(this.yes.values()).size === 2) return true
        await pause()
        continue
      }
      // Once a message was sent, it may deny the question meanwhile.
      if (this.runs.length === 1 && this.#random() < 0.3) {
        await this.#lives.kill()
        const after = await this.#get(run)
        expect(after.pending, `what is asked after the death: ${JSON.stringify(after)}`).toContainEqual(question)
      }
      const { approvalId, inputHash, toolName, input } = question
      this.yes.set(approvalId, callName(toolName, input))
      const answers = [{ approvalId, inputHash, approved: true }]
      const { status } = await this.#lives.ask('POST', `/api/runs/${run}/approvals`, { answers })
      expect(status).toBe(200)
      return true
    }
  }

  async #until(run: string): Promise<void> {
    for (;;) {
      const { state, error, pending } = await this.#get(run)
      if (state === 'done') return
      expect({ run, state, error }).not.toMatchObject({ state: expect.stringMatching(/failed|stopped/) })
      if (pending.length > 0) await this.#answer()
      await pause()
    }
  }

  /** Every message once, in its order, and the assistant's as the logs have them. */
  async #checkDocument(store: Store): Promise<void> {
    const { name, more } = this.#one
    const { value } = await this.#lives.ask<{ messages: Message[] }>('GET', `/api/documents/${name}.chatmd/messages`)
    const { messages } = value
    const ofUser = messages.filter(({ role }) => role === 'user').map(message => viewOf(message).text)
    expect(ofUser.slice(1)).toEqual(more)
    const ofAssistant = messages.filter(({ role }) => role === 'assistant').map(viewOf)
    const logged: View[] = []
    for (const run of this.runs) logged.push(viewOf(fold((await logOf(store, run)).map(({ chunk }) => chunk))))
    expect(ofAssistant).toEqual(logged)
    expect(logged.slice(1).map(({ text }) => text)).toEqual(more.map(answerTo))
    const logs = await store.logs.list({ path: `${name}.chatmd` })
    expect(logs.map(({ run }) => run).sort()).toEqual([...this.runs].sort())
  }
}

function pause(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 20))
}

/** Everything that a reader of the run is shown: also pieces of a step that was taken back. */
export async function logOf(store: Store, run: string): Promise<ReadLine[]> {
  const lines: ReadLine[] = []
  for await (const { o, chunk } of store.logs.follow(run)) lines.push({ o, chunk })
  return lines
}

/** What the run is believed to have said, as the next process takes it. */
async function believedOf(store: Store, run: string): Promise<Message | undefined> {
  const log = await store.logs.read(run)
  const lines = log?.lines.slice(0, log.believed) ?? []
  return fold(lines.map(({ chunk }) => chunk).filter(chunk => !isInternalMark(chunk)))
}

/**
 * What was replayed is the beginning of the one message, as it was then: a step that was taken back later may be in it. Where the
 * stream was read to its end, it is all of the message, or all of it up to a place at which the run waited.
 */
export function checkReplay({ run, chunks, isDone }: Replay, log: readonly ReadLine[]): void {
  const whole = replayOf(log)
  if (!isDone) {
    const then = log.flatMap(({ chunk }, index) => (chunk.type === 'reset-step' ? [replayOf(log.slice(0, index))] : []))
    // The server sends a client away whose parts are taken back.
    const read = chunks.at(-1)?.type === 'error' ? chunks.slice(0, -1) : chunks
    const same = then.find(one => isDeepStrictEqual(one.slice(0, read.length), read)) ?? whole
    return expect(read, `${run} as it was replayed`).toEqual(same.slice(0, read.length))
  }
  const ends = [...log.keys()].filter(index => isParked(log[index]!.chunk)).map(index => replayOf(log, index))
  // A run that waited, died and waits again has two such places, which differ in what was spent before each.
  const alike = [whole, ...ends].filter(({ length }) => length === chunks.length)
  const same = alike.find(one => isDeepStrictEqual(one, chunks))
  expect(chunks, `${run} as it was replayed`).toEqual(same ?? alike[0] ?? whole)
}

/** The chunks of a log as one message without what was taken back, to its end or to the line at which the run waits. */
function replayOf(log: readonly ReadLine[], end = log.length - 1): Chunk[] {
  const wire = new WireAdapter('ai-sdk')
  const resets = new ResetWatch()
  for (const { o, chunk } of log) resets.watch(chunk, o)
  const filter = new ResetFilter(resets.ranges)
  let hasStarted = false
  return log.slice(0, end + 1).flatMap((line, index) => {
    const { chunk } = line
    const isSeam = (chunk.type === 'start' && hasStarted) || (isParked(chunk) && index < end)
    hasStarted ||= chunk.type === 'start'
    return filter.take(line) === 'skip' || isSeam ? [] : wire.push(chunk)
  })
}

function isParked(chunk: Chunk): boolean {
  return chunk.type === 'finish' && chunk.finishReason === 'tool-calls'
}

export function fold(chunks: readonly Chunk[]): Message | undefined {
  const accumulator = accumulate({ commentary: 'given', now: () => 0 })
  for (const chunk of chunks) accumulator.push(chunk)
  return accumulator.message
}

export interface View {
  text: string
  calls: unknown[]
}

export function viewOf(message: Message | undefined): View {
  const texts = (message?.parts ?? []).map(part => (part.type === 'text' ? part.text : ''))
  const calls = message === undefined ? [] : toolCalls(message)
  return {
    text: texts.join('').trim(),
    calls: calls.map(({ toolCallId, toolName, state, ...rest }) => {
      const { input, output, errorText } = rest as { input?: unknown; output?: unknown; errorText?: unknown }
      return { toolCallId, toolName, state, input, output, errorText }
    }),
  }
}

/** How far each run is, for whoever looks for why one is stuck. */
export async function describeRuns(store: Store, people: ReadonlyMap<string, Person>): Promise<string> {
  const lines: string[] = []
  for (const [name, { runs }] of people) {
    for (const run of runs) {
      const found = await store.logs.find(run)
      const last = (await store.logs.read(run))?.lines.at(-1)
      lines.push(`${name} ${run}: ${found?.state ?? 'not begun'}, ${last === undefined ? '' : JSON.stringify(last)}`)
    }
  }
  return lines.join('\n')
}

/** What had been done when a server died. */
export interface Remains {
  effects: number
  /** How many steps each document's first run had finished. */
  steps: Map<string, number>
}

export async function readRemains(folder: string, store: Store, people: ReadonlyMap<string, Person>): Promise<Remains> {
  const steps = new Map<string, number>()
  for (const [name, { runs }] of people) {
    const log = runs[0] === undefined ? undefined : await store.logs.read(runs[0])
    steps.set(name, log?.lines.filter(({ chunk }) => chunk.type === stepMark).length ?? 0)
  }
  return { effects: readEffects(folder).length, steps }
}

/** No step that was finished is made again, and nothing is changed more often than somebody said yes to it. */
export function checkEffects(
  effects: readonly Effect[],
  deaths: readonly Remains[],
  asking: ReadonlyMap<string, ReadonlyMap<string, string>>,
  policy: string,
): void {
  for (const { effects: count, steps } of deaths) {
    for (const { what, which } of effects.slice(count)) {
      const [name, step] = which.split(' ')
      if (what === 'model') expect(Number(step), `step of ${name} after a death`).toBeGreaterThan(steps.get(name!) ?? 0)
    }
  }
  for (const [name, yes] of asking) {
    const names = effects.flatMap(({ what, which }) => (what === 'start' ? [which] : []))
    expect(names, 'the names by which calls are counted').toContain(`${name}-r1`)
    for (const call of [`${name}-w1`, `${name}-w2`]) {
      const starts = effects.filter(({ what, which }) => what === 'start' && which === call)
      const allowed = policy === 'all' ? 1 : [...yes.values()].filter(id => id === call).length
      expect(starts.length, `starts of ${call}`).toBeLessThanOrEqual(allowed)
    }
  }
}
