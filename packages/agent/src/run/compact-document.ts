import { ArgotError, accumulate, type Chunk, type Message } from '@argot/core'
import { GrowingPrompt } from '@argot/core/ai-sdk/internal'
import { defined, isSummary, pause, type SummaryPart, summaryType } from '@argot/core/stream/internal'
import { Compaction } from '../loop/compact/compaction.ts'
import { SpendingMeter } from '../loop/spending.ts'
import type { Usage } from '../model/model.ts'
import { createRedactor } from '../tool/output/redact.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import { findContinuation } from './continuation.ts'
import { findPlace } from './document/document-place.ts'
import { type DocumentPlan, planDocument } from './document/plan-document.ts'
import { openMemory } from './open-memory.ts'
import type { RunOptions } from './run-options.ts'
import { newRunId } from './start-run.ts'

export interface CompactedDocument {
  /** Undefined if there was nothing to summarize. */
  summary?: { text: string; replaces: number }
  usage: Usage
  /** Undefined if the price is unknown. */
  cost?: number
  isUnanswered: boolean
}

/**
 * Summarizes a document's older turns now, and appends the summary, which replaces them in the next prompt. Removes
 * nothing from the document. Throws an `ArgotError` if the summary can't be written, or while a run isn't over.
 */
export async function compactDocument(path: string, options: RunOptions = {}): Promise<CompactedDocument> {
  const { now = Date.now, signal = new AbortController().signal } = options
  const place = await findPlace(path, options)
  const transcript = await openTranscript(place.store, place.path, {
    signal,
    now,
    wait: options.waitForLock,
    waitMs: options.lockWaitMs,
    takeOver: options.takeOver,
    notice: options.notice,
    isNew: place.isNew,
  })
  try {
    if (transcript.unfinished !== undefined) {
      throw new ArgotError('RUN_PARKED', "This document's last run isn't over. Continue it, then compact.")
    }
    const memory = await openMemory(place, options)
    const { source, tree } = transcript
    const records = await transcript.readRecords()
    const plan = await planDocument(
      { file: place.source, text: source, tree, records },
      { ...options, ...memory, signal },
    )
    const messages = plan.expanded.messages.filter(({ sent }) => sent).map(({ message }) => message)
    const isUnanswered = findContinuation(plan.expanded.messages) !== undefined
    const { part, spending } = await summarise(plan, messages, { ...options, now, signal })
    const { cost, ...usage } = spending.usage
    const result = { usage, isUnanswered, ...defined({ cost }) }
    if (part === undefined) return result
    const last = messages.at(-1)
    await transcript.writePart(last?.role === 'assistant' ? last.id : `msg-${newRunId(now())}`, part)
    return { ...result, summary: part.data }
  } finally {
    await transcript.close()
  }
}

async function summarise(
  { talk, answer, fetchFile }: DocumentPlan,
  messages: readonly Message[],
  options: RunOptions & { now: () => number; signal: AbortSignal },
): Promise<{ part: SummaryPart | undefined; spending: SpendingMeter }> {
  const { now, signal, notice = () => {}, env = process.env } = options
  const spending = new SpendingMeter(talk.price)
  let part: SummaryPart | undefined
  const prompt = new GrowingPrompt(messages, accumulate(), { syntax: talk.syntax, tools: [], fetchFile, signal })
  const compaction = new Compaction({
    plan: { messages, talk: { ...talk, compact: 'now' }, answer },
    io: { signal, now, notice, pause: options.pause ?? pause, redact: createRedactor(env) },
    stream: {
      earlier: [],
      message: undefined,
      push(chunk: Chunk) {
        const one = chunk as SummaryPart
        if (chunk.type === summaryType && isSummary(one)) part = one
      },
      stepSynced: async () => {},
    },
    spending,
    definitions: () => [],
    prompt: () => prompt,
  })
  const fitted = await compaction.fit()
  if (fitted.type === 'stopped') signal.throwIfAborted()
  // If the prompt still doesn't fit, the next run reports that.
  if (fitted.type === 'failed' && part === undefined) throw new ArgotError(fitted.failure.code, fitted.failure.message)
  return { part, spending }
}
