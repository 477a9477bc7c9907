import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApprovalPolicy, runDocument, type Store, type Tool } from '@argot/agent'
import type { InterruptedMode } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { folderStoreOn } from '../../../agent/src/store/folder/folder-store.ts'
import { call, finish, scriptedModel, text } from '../../../agent/test/scripted-model.ts'
import { dropLock } from '../../../agent/test/transcript/runs.ts'
import { DeadlyDisk } from '../../../agent/test/transcript/unsafe-disk.ts'
import { type LogSummary, SummaryFold } from '../../src/runs/log-summary.ts'
import { postAnswer } from '../../src/runs/post-answer.ts'
import { getQuestions } from '../../src/runs/run-describer.ts'

/*
 * The law: an answer belongs to one asking. However often and wherever the processes of a run die,
 *   a tool starts at most once for each yes (and once more if the policy allows it without a question),
 *   an answer that was accepted is in the log once, under the id of its asking, and is never asked for again,
 *   a process that has nothing new to say adds nothing to the document,
 *   and the run ends.
 */

const runId = 'run-1'
const key = Buffer.alloc(32, 7)
/** Each is called once, so an effect is named after its tool: a step that is made again has calls with other ids. */
const changing = ['change', 'free']

interface Case {
  policy: ApprovalPolicy
  interrupted?: InterruptedMode
  /** A call that only reads is asked about, while the model still writes. */
  asksToRead?: boolean
  /** The answer to the N-th question. */
  yes: (question: number) => boolean
}

const cases: Readonly<Record<string, Case>> = {
  'asked about each call': { policy: 'ask', yes: () => true },
  'asked about each call, with every other answer a no': { policy: 'ask', yes: question => question % 2 === 0 },
  'asked about one of two calls': { policy: { default: 'ask', free: 'all' }, yes: () => true },
  'asked only about what was interrupted': { policy: 'all', interrupted: 'ask', yes: () => true },
  'asked about nothing': { policy: 'all', yes: () => true },
  'asked while the model writes': { policy: 'all', asksToRead: true, yes: () => true },
}

class Story {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'argot-one-answer-'))
  readonly file: string = join(this.folder, 'chat.chatmd')
  readonly effectsFile: string = join(this.folder, 'effects.txt')
  readonly case: Case
  /** The tool that each accepted yes is about, by approval id. */
  readonly yes: Map<string, string> = new Map()
  readonly accepted: Set<string> = new Set()
  lives = 0

  constructor(one: Case) {
    this.case = one
    writeFileSync(
      this.file,
      '<tool name="look"/>\n<tool name="change"/>\n<tool name="free"/>\n\n<user>\nGo.\n</user>\n',
    )
    writeFileSync(this.effectsFile, '')
    mkdirSync(join(this.folder, '.chatmd'), { recursive: true })
  }

  store(disk: DeadlyDisk): Store {
    return folderStoreOn(disk, this.folder, { key })
  }

  /** Runs until the process dies at this operation, the run waits, or it is over. Gives how many operations it made. */
  async live(at: number, when: 'before' | 'within' | 'behind'): Promise<{ status: string; operations: number }> {
    this.lives++
    const disk = new DeadlyDisk(at, when)
    const { policy: approve, interrupted, asksToRead = false } = this.case
    const effect = (name: string): Tool => ({
      name,
      effect: name === 'look' ? 'read' : 'write',
      description: 'Changes something.',
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
      validate: input => ({ ok: true, input }),
      execute: async () => {
        // The effect is an operation of the same process: it dies before it, or behind it.
        const fd = disk.open(this.effectsFile, 'a')
        disk.write(fd, Buffer.from(`${name}\n`))
        disk.close(fd)
        return { output: 'done' }
      },
    })
    const model = scriptedModel([
      ({ prompt }) =>
        prompt.some(({ role }) => role === 'tool')
          ? 'All done.'
          : [
              ...text('Both. '),
              ...(asksToRead ? call('r1', 'look', { a: 'one' }) : []),
              ...text('And more. ', '1'),
              ...call('w1', 'change', { a: 'one' }),
              ...call('w2', 'free', { a: 'two' }),
              finish('tool-calls'),
            ],
    ])
    const run = runDocument('chat.chatmd', {
      ...{ id: runId, model, tools: [effect('look'), effect('change'), effect('free')], approve },
      ...(interrupted === undefined ? {} : { interrupted }),
      ...(asksToRead ? { rules: { ask: ['look'] } } : {}),
      store: this.store(disk),
      ask: async () => undefined,
      ...{ env: {}, cwd: this.folder, configFolder: join(this.folder, 'config') },
    })
    const result = await run.result
    dropLock(this.file)
    // The process before had written its whole answer when it died.
    const isAnswered = result.status === 'failed' && result.code === 'RUN_NOTHING_TO_ANSWER'
    return { status: isAnswered ? 'done' : result.status, operations: disk.count }
  }

  async summary(): Promise<LogSummary | undefined> {
    const { logs } = this.store(new DeadlyDisk(Number.POSITIVE_INFINITY))
    const fold = new SummaryFold()
    for (;;) {
      const lines = await logs.tail(runId, fold.next)
      if (lines.length === 0) return fold.next === 0 ? undefined : fold.result()
      for (const line of lines) fold.push(line)
    }
  }

  /** Answers every question that waits and has no answer yet, as the route of the server does. */
  async answer(): Promise<void> {
    const { inbox } = this.store(new DeadlyDisk(Number.POSITIVE_INFINITY))
    const summary = await this.summary()
    // No process is there: only what outlives one can be answered.
    const questions = summary === undefined ? [] : getQuestions(summary, false)
    for (const { approvalId, inputHash, toolName } of questions) {
      const approved = this.case.yes(this.accepted.size)
      const given = { approvalId, inputHash, approved }
      const { status } = await postAnswer(
        {
          isOver: summary!.isOver,
          summary: summary!,
          posts: () => inbox.read(runId),
          post: post => inbox.post(runId, post),
        },
        given,
        'Ada',
      )
      if (this.accepted.has(approvalId)) expect(status, 'a second answer').toBe(409)
      else {
        expect(status, 'the answer to an open question').toBe(200)
        this.accepted.add(approvalId)
        if (approved) this.yes.set(approvalId, toolName)
      }
    }
  }

  get effects(): string[] {
    return readFileSync(this.effectsFile, 'utf8')
      .split('\n')
      .filter(line => line !== '')
  }

  async chunks(): Promise<Chunk[]> {
    const log = await this.store(new DeadlyDisk(Number.POSITIVE_INFINITY)).logs.read(runId)
    return log?.lines.slice(0, log.believed).map(({ chunk }) => chunk) ?? []
  }

  /** Effects by call are at most the answers that allow them. */
  check(): void {
    const { policy } = this.case
    const isFree = (tool: string): boolean => (typeof policy === 'string' ? policy : policy[tool]) === 'all'
    for (const tool of changing) {
      const allowed = [...this.yes.values()].filter(one => one === tool).length + (isFree(tool) ? 1 : 0)
      expect(this.effects.filter(one => one === tool).length, `effects of ${tool}`).toBeLessThanOrEqual(allowed)
    }
  }

  /** To the end, without any death. */
  async end(): Promise<void> {
    for (let round = 0; ; round++) {
      expect(round, 'rounds to the end').toBeLessThan(6)
      const { status } = await this.live(Number.POSITIVE_INFINITY, 'before')
      this.check()
      if (status === 'done') break
      expect(status).toBe('parked')
      const before = readFileSync(this.file, 'utf8')
      expect(await this.live(Number.POSITIVE_INFINITY, 'before')).toMatchObject({ status: 'parked' })
      expect(readFileSync(this.file, 'utf8'), 'the document after a process without news').toBe(before)
      await this.answer()
    }
    const answers = (await this.chunks()).filter(chunk => chunk.type === 'tool-approval-response')
    const written = answers.filter(({ known }) => known !== true).map(({ approvalId }) => approvalId)
    expect(written.sort(), 'the answers in the log').toEqual([...this.accepted].sort())
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Plays a story in which processes die at these operations; false if the first one was over before. */
async function play(
  one: Case,
  deaths: readonly [at: number, when: 'before' | 'within' | 'behind'][],
): Promise<boolean> {
  const story = new Story(one)
  try {
    for (const [index, [at, when]] of deaths.entries()) {
      const { operations, status } = await story.live(at, when)
      story.check()
      if (index === 0 && operations <= at) return false
      if (status === 'done') break
      await story.answer()
    }
    await story.end()
    return true
  } catch (error) {
    throw new Error(`Deaths at ${JSON.stringify(deaths)} in ${story.folder}: ${error}`, { cause: error })
  }
}

const moments = ['before', 'within', 'behind'] as const

test.each(Object.entries(cases))(
  'one yes is one effect, and no answer is lost, wherever processes die: %s',
  async (_, one) => {
    // With a share of the cases, the first process dies at every third operation, others for each story.
    let at = share === 1 ? 0 : Object.values(cases).indexOf(one) % 3
    while (await play(one, [[at, 'before']])) {
      // The second process dies at every operation of a life, in turn, and so does a third; here at some of them.
      const stride = share === 1 ? 7 : 59
      for (let other = at % stride; other < 60; other += stride) {
        await play(one, [
          [at, moments[(at + other) % 3]!],
          [other, moments[other % 3]!],
          [(at * 7 + other * 3) % 50, 'behind'],
        ])
      }
      at += share === 1 ? 1 : 3
    }
    expect(at, 'operations of a life').toBeGreaterThan(20)
  },
)
