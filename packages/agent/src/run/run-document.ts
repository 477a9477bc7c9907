import { dirname } from 'node:path'
import type { Diagnostic, Message } from '@argot/core'
import type { ChatDocument } from '@argot/core/chatmd'
import { defined } from '@argot/core/stream/internal'
import { OpenMessage } from '../loop/open-message.ts'
import type { PricedUsage } from '../store/logged-spending.ts'
import type { SchemaOutput, StandardSchema } from '../tool/schema/standard-schema.ts'
import type { Toolbox } from '../tool/toolbox.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import { toMessage } from '../words/to-message.ts'
import { agentQuestion } from './agents/agent-question.ts'
import { type ForkedPlan, runFork } from './agents/run-fork.ts'
import { runSubAgent } from './agents/run-sub-agent.ts'
import { createSubAgents } from './agents/sub-agents.ts'
import type { DocumentOptions } from './document/document-options.ts'
import { createPlace, findPlace } from './document/document-place.ts'
import { openDocumentTools } from './document/open-document-tools.ts'
import { ParamValues } from './document/param-values.ts'
import { type DocumentPlan, planDocument } from './document/plan-document.ts'
import type { DocumentSource } from './document/read-document.ts'
import { refineSource } from './meta-refine.ts'
import { openMemory } from './open-memory.ts'
import { openRun, type RunStorage } from './open-run.ts'
import type { Run, RunOptions, RunResult } from './run-options.ts'
import { newRunId, type RunContext, startRun } from './start-run.ts'
import { Turn } from './turn.ts'
import { describeUnknownApproved } from './unknown-approved.ts'

/**
 * Runs a document: answers its last message and appends all output to the file, so that running it again picks up where
 * it stopped. Continues a run that an earlier process left unfinished. A parsed document runs in memory, unless
 * `output` names a file for it. The run starts immediately; a reader that leaves stops it.
 */
export function runDocument<Schema extends StandardSchema>(
  source: string | ChatDocument,
  options: RunOptions & { outputSchema: Schema },
): Run<SchemaOutput<Schema>>
export function runDocument<Output = unknown>(source: string | ChatDocument, options?: RunOptions): Run<Output>
export function runDocument(source: string | ChatDocument, options: RunOptions = {}): Run {
  const id = options.id ?? newRunId((options.now ?? Date.now)())
  return startRun(id, options, context =>
    typeof source === 'string' || options.output !== undefined
      ? runFile(source, options, context)
      : answer(source, undefined, options, context),
  )
}

async function runFile(document: string | ChatDocument, options: RunOptions, context: RunContext): Promise<RunResult> {
  const find = typeof document === 'string' ? findPlace(document, options) : createPlace(document, options)
  const { store, path, source, target, isNew } = await find
  const transcript = await openTranscript(store, path, {
    signal: context.signal,
    now: options.now,
    wait: options.waitForLock,
    waitMs: options.lockWaitMs,
    takeOver: options.takeOver,
    notice: options.notice,
    isNew,
  })
  const leave = (): void => transcript.leave()
  try {
    options.leave?.addEventListener('abort', leave)
    if (options.leave?.aborted === true) leave()
    const runOptions = {
      ...options,
      protect: [source, target],
      ...(await openMemory({ store, path, source, isNew }, options)),
    }
    return await answer(
      { file: source, text: transcript.source, tree: transcript.tree, records: await transcript.readRecords() },
      { store, transcript, directory: dirname(target) },
      runOptions,
      context,
    )
  } catch (error) {
    // A run that didn't begin leaves no copy, so that the same command can be repeated.
    if (isNew) await transcript.removeUnused()
    throw error
  } finally {
    // The signal is a server's and outlives every run.
    await transcript.close().finally(() => options.leave?.removeEventListener('abort', leave))
  }
}

async function answer(
  source: DocumentSource,
  storage: RunStorage,
  options: DocumentOptions,
  context: RunContext,
): Promise<RunResult> {
  const { notice = () => {} } = options
  if (storage === undefined) context.reportLog('none')
  for (const text of storage?.transcript.notices ?? []) notice(text)
  let forkedPlan: ForkedPlan | undefined
  const agentUsage: PricedUsage[] = []
  const answerOptions: DocumentOptions = {
    ...options,
    signal: context.signal,
    // No call is made before the tools are open.
    fork: (task, call) => runFork(task, call, forkedPlan!, options),
    paramValues: new ParamValues({ ...options, signal: context.signal }, options.frozen),
    createSubAgents: (approve, strict) =>
      createSubAgents(async sub => {
        const result = await runSubAgent(sub, { ...options, approve, strict }, context, (document, inside, inner) =>
          answer(document, undefined, inside, inner),
        )
        // An agent that is a tool reports its usage to the run while it works.
        if (sub.call === undefined && result.usage !== undefined) {
          agentUsage.push({ ...result.usage, ...defined({ cost: result.cost }) })
        }
        return result
      }),
  }
  const plan = await planRefined(source, answerOptions)
  const warnings = plan.problems.filter(isWarning)
  if (warnings.length > 0) options.warn?.(warnings, plan.expanded.sources)
  for (const text of plan.notices) notice(text)
  options.chosen?.({ model: plan.talk.model.name, syntax: plan.talk.syntax.name })
  const tools = await openDocumentTools(plan, answerOptions, notice)
  // A nested agent has its document's policy, which may name tools that the agent doesn't have.
  if (options.agents === undefined)
    for (const text of describeUnknownApproved(options.approve, tools.tools.keys())) notice(text)
  forkedPlan = { ...plan, tools }
  try {
    return await answerPlanned({ storage, plan, tools, agentUsage }, options, context)
  } finally {
    await tools.close()
  }
}

async function planRefined(source: DocumentSource, options: DocumentOptions): Promise<DocumentPlan> {
  const plan = await planDocument(source, options)
  if (!('text' in source)) return plan
  const text = await refineSource(source, plan, options)
  return text === undefined ? plan : planDocument({ file: source.file, text, records: source.records }, options)
}

interface PlannedAnswer {
  storage: RunStorage
  plan: DocumentPlan
  tools: Toolbox
  agentUsage: readonly PricedUsage[]
}

async function answerPlanned(
  planned: PlannedAnswer,
  options: DocumentOptions,
  context: RunContext,
): Promise<RunResult> {
  const { storage, plan, tools } = planned
  const turn = new Turn(context.id, plan, tools.tools, storage?.transcript, options)
  turn.refuseAnswered()
  await turn.refuseInput(plan.resolver, plan.document.file)
  turn.expanded = await plan.askAgents()
  if (storage !== undefined) await saveSources(options)
  if (options.isCached !== true) return runTurn(turn, planned, options, context)
  const question = agentQuestion(plan, turn.expanded, options.parts ?? [])
  const cached = await options.agentCache?.find(question)
  if (cached !== undefined)
    return { status: 'done', message: answerMessage(context.id, cached.text), text: cached.text }
  const result = await runTurn(turn, planned, options, context)
  if (result.status === 'done') await options.agentCache?.keep(question, result.text)
  return result
}

async function runTurn(
  turn: Turn,
  { storage, plan: { talk, rules, budget, answer, fetchFile }, tools, agentUsage }: PlannedAnswer,
  options: DocumentOptions,
  context: RunContext,
): Promise<RunResult> {
  const { history: messages, continued: open } = await turn.findNext()
  const { resumed, messageId } = await turn.begin(open, messages)
  if (resumed !== undefined) context.id = turn.runId
  if (storage !== undefined) context.reportLog(storage.store)
  const continued = open && new OpenMessage(open, turn.findOrigin(open))
  const lastCall = storage?.transcript.lastCall
  const start = { messages, continued, messageId, lastCall, resumed }
  const plan = { ...start, tools, talk, rules, budget, agentUsage, answer, fetchFile }
  return openRun(plan, storage, options, context)
}

function answerMessage(run: string, text: string): Message {
  const id = `msg-${run}`
  return { id, role: 'assistant', status: 'sent', parts: [{ type: 'text', id: `${id}:0`, text, state: 'done' }] }
}

/** What a person is warned about. The run itself settles a call without a response, so that is no warning. */
function isWarning({ severity, code }: Diagnostic): boolean {
  return severity === 'warning' && code !== 'CHATMD_CALL_WITHOUT_RESPONSE'
}

/** If the disk fails, the run continues, and the next one reads the sources again. */
async function saveSources({ frozen, notice }: Pick<DocumentOptions, 'frozen' | 'notice'>): Promise<void> {
  try {
    await frozen?.save()
  } catch (error) {
    notice?.(`The document's inserted sources couldn't be saved: ${toMessage(error)}`)
  }
}
