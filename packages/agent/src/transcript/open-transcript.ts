import type { Chunk } from '@argot/core'
import { parseTree } from '@argot/core/chatmd'
import type { Tree } from '@argot/core/chatmd/internal'
import { callNumber, toUserMessageChunk } from '@argot/core/stream/internal'
import { type DocumentRecords, readRecords } from '../store/element-records.ts'
import { mark, writtenMark } from '../store/marks.ts'
import { matchDocument } from '../store/match-document.ts'
import { messageInPost } from '../store/message-post.ts'
import type { Lease, LeaseOptions, OpenDocument, RunLog, ScannedLog, Store } from '../store/store.ts'
import { getAttribute, topElements } from '../store/written-element.ts'
import {
  type BegunLog,
  compareRun,
  currentLog,
  findUnlogged,
  lengthBefore,
  type RunComparison,
  toBegunLog,
} from './recover-run.ts'
import { findCutElement } from './repair-tail.ts'
import { ReplayedRun } from './replay-run.ts'
import { Transcript } from './transcript.ts'
import { UnfinishedRun } from './unfinished-run.ts'

/** The longest chain of runs that each began in place of a dead one. */
const LONGEST_CHAIN = 100

export interface TranscriptOptions extends LeaseOptions {
  /** The document was just created: runs of an earlier document with its name don't belong to it. */
  isNew?: boolean | undefined
  now?: (() => number) | undefined
}

/**
 * Takes the document for one run at a time, repairs an end that a crash cut off, and appends what it still lacks from
 * the log of a run whose process is gone. Throws `RUN_LOCKED` while another process holds the document, and the
 * system's error if it can't be read.
 */
export async function openTranscript(store: Store, path: string, options: TranscriptOptions = {}): Promise<Transcript> {
  const { now = Date.now, isNew = false, ...lock } = options
  const lease = await store.leases.take(path, lock)
  let document: OpenDocument | undefined
  try {
    document = await store.documents.open(path, lease)
    return await new TranscriptOpening(store, lease, document, now).run(isNew)
  } catch (error) {
    await document?.close()
    await lease.release()
    throw error
  }
}

class TranscriptOpening {
  readonly #store: Store
  readonly #lease: Lease
  readonly #document: OpenDocument
  readonly #now: () => number
  readonly #name: string
  readonly #notices: string[] = []
  #lastCall = 0
  /** Undefined once there may be more of them. */
  #records: DocumentRecords | undefined

  constructor(store: Store, lease: Lease, document: OpenDocument, now: () => number) {
    this.#store = store
    this.#lease = lease
    this.#document = document
    this.#now = now
    this.#name = lease.path.split('/').at(-1)!
  }

  async run(isNew: boolean): Promise<Transcript> {
    const logs = await this.#openLogs()
    const log = isNew ? undefined : currentLog(logs.begun)
    const before = log === undefined ? undefined : await lengthBefore(this.#document.text, log.beginning)
    const tree = await this.#repair(log, before)
    this.#noteCalls(tree, logs.begun)
    const stale = logs.names.filter(name => name !== log?.run)
    if (log === undefined) return this.#createTranscript(tree, undefined, stale)
    const { replayed, open } = await this.#closeStep(log)
    const comparison = compareRun(replayed, tree, before)
    if (before === undefined && !comparison.hasMatch) {
      await open?.close()
      this.#notices.push(
        `\`${this.#name}\` changed after its last run (\`${log.beginning.run}\`) began. That run's output stays in its log.`,
      )
      return this.#createTranscript(tree, undefined, [...stale, log.run])
    }
    await this.#appendMissing(log, replayed, comparison)
    if (replayed.ended) {
      await this.#closeLog(log, open)
      return this.#createTranscript(tree, undefined, stale)
    }
    const isTrusted = before !== undefined && log.believed > 0
    const writer = { store: this.#store, lease: this.#lease, open }
    const unfinished = new UnfinishedRun(log, replayed, isTrusted, writer)
    await this.#addEarlierInputs(log, unfinished.earlierInputs)
    return this.#createTranscript(tree, unfinished, stale)
  }

  /** No call may get a number that another call has in the text or in a log. */
  #noteCalls(tree: Tree, logs: readonly BegunLog[]): void {
    const ids = topElements(tree).map(node => getAttribute(node, 'tool_call_id') ?? '')
    for (const { lines } of logs) {
      for (const { chunk } of lines) if (chunk.type === 'tool-input-start') ids.push(chunk.toolCallId)
    }
    for (const id of ids) this.#lastCall = Math.max(this.#lastCall, callNumber(id))
  }

  #createTranscript(tree: Tree, unfinished: UnfinishedRun | undefined, stale: readonly string[]): Transcript {
    return new Transcript({
      store: this.#store,
      lease: this.#lease,
      document: this.#document,
      notices: this.#notices,
      now: this.#now,
      tree,
      records: this.#records,
      unfinished,
      lastCall: this.#lastCall,
      stale,
    })
  }

  /** The logs that may have more than the document; usually none. */
  async #openLogs(): Promise<{ names: string[]; begun: BegunLog[] }> {
    const entries = await this.#store.logs.list({ path: this.#lease.path })
    const names = entries.filter(({ state }) => state !== 'ended').map(({ run }) => run)
    const logs = await Promise.all(names.map(run => this.#scan(run)))
    const begunLogs = logs.flatMap(log => {
      const one = log === undefined ? undefined : toBegunLog(log)
      return one === undefined ? [] : [one]
    })
    return { names, begun: begunLogs }
  }

  #scan(run: string): Promise<ScannedLog | undefined> {
    const { logs } = this.#store
    return logs.scan === undefined ? logs.read(run) : logs.scan(run)
  }

  async #repair(log: BegunLog | undefined, before: number | undefined): Promise<Tree> {
    const document = this.#document
    const tree = readTree(document)
    const records = await readRecords(this.#store, this.#lease.path)
    this.#records = records
    this.#lastCall = records.calls
    const cutAt = findCutElement(tree, { runFrom: before, tornFrom: this.#tornFrom(records) })
    if (cutAt !== undefined) {
      const place = await document.cut(cutAt)
      this.#notices.push(
        `\`${this.#name}\` ended in the middle of an element. The incomplete element was moved to \`${place}\`.`,
      )
    } else if (document.damage !== undefined) throw document.damage
    const intactTree = cutAt === undefined ? tree : readTree(document)
    const unlogged = log === undefined ? undefined : findUnlogged(log, intactTree, matchDocument(intactTree, records))
    if (unlogged === undefined) return intactTree
    const place = await document.cut(unlogged)
    this.#notices.push(
      `The last elements of \`${this.#name}\` were not in their run's log, so they were moved to \`${place}\`.`,
    )
    return readTree(document)
  }

  /** Where the last append began, if the document ends before that append did. */
  #tornFrom({ lastAppend }: DocumentRecords): number | undefined {
    const bytes = Buffer.from(this.#document.text)
    if (lastAppend === undefined || bytes.length < lastAppend.start || bytes.length >= lastAppend.end) return undefined
    return bytes.subarray(0, lastAppend.start).toString().length
  }

  /** Ends the open step in the log: keeps it if the model had finished it, else resets it. May end the run, too. */
  async #closeStep(log: BegunLog): Promise<{ replayed: ReplayedRun; open: RunLog | undefined }> {
    const replayed = new ReplayedRun(log.lines, log.beginning)
    const closing = await this.#withWaiting(log, replayed)
    if (closing.length === 0) return { replayed, open: undefined }
    const open = await this.#store.logs.open(this.#lease.path, log.run, this.#lease)
    for (const chunk of closing) replayed.push({ o: open.append(chunk), t: this.#now(), chunk })
    await open.sync()
    return { replayed, open }
  }

  /** A run that has answered isn't over while a user's message to it is waiting. */
  async #withWaiting({ run, believed }: BegunLog, { closingChunks, joinedMessageIds }: ReplayedRun): Promise<Chunk[]> {
    if (closingChunks.at(-1)?.type !== 'finish' || believed === 0) return closingChunks
    const messages = (await this.#store.inbox.read(run)).flatMap(post => messageInPost(post) ?? [])
    const waiting = messages.filter(({ id }) => !joinedMessageIds.has(id))
    return waiting.length === 0 ? closingChunks : [...closingChunks.slice(0, -1), ...waiting.map(toUserMessageChunk)]
  }

  /** In version 1 logs, the input that a person entered may be in the log of an earlier run that died. */
  async #addEarlierInputs(log: BegunLog, inputs: Map<string, unknown>): Promise<void> {
    let { from } = log.beginning
    for (let links = 0; from !== undefined && links < LONGEST_CHAIN; links++) {
      const stored = await this.#scan(from)
      const earlier = stored && toBegunLog(stored)
      if (earlier === undefined) return
      const replayed = new ReplayedRun(earlier.lines, earlier.beginning)
      for (const [id, input] of replayed.questionInputs) if (!inputs.has(id)) inputs.set(id, input)
      from = earlier.beginning.from
    }
  }

  async #appendMissing(
    log: BegunLog,
    { ended, isParked }: ReplayedRun,
    { missing, present }: RunComparison,
  ): Promise<void> {
    const { run, payloads } = log.beginning
    this.#records = undefined
    await this.#document.restore(present, payloads)
    const records = missing.flatMap(element => element.records)
    if (records.length > 0) await this.#document.append(records, payloads)
    await this.#document.sync()
    if (!ended && !isParked) this.#notices.push(`The last run of \`${this.#name}\` (\`${run}\`) was interrupted.`)
    const shownCount = missing.filter(({ isShown }) => isShown).length
    if (shownCount === 0) return
    const what = shownCount === 1 ? 'One element was' : `${shownCount} elements were`
    this.#notices.push(`${what} missing from \`${this.#name}\` and appended from the log of run \`${run}\`.`)
  }

  /** Marks the log as completely written to the document, so that it isn't read again. */
  async #closeLog(log: BegunLog, open: RunLog | undefined): Promise<void> {
    const file = open ?? (await this.#store.logs.open(this.#lease.path, log.run, this.#lease))
    file.append(mark(writtenMark))
    await file.sync()
    await file.close()
  }
}

function readTree(document: OpenDocument): Tree {
  return document.tree ?? parseTree(document.text)
}
