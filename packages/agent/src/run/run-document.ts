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
import { type Kept, openRun } from './open-run.ts'
import type { Run, RunOptions, RunResult } from './run-options.ts'
import { newRunId, type RunContext, startRun } from './start-run.ts'
import { Turn } from './turn.ts'
import { describeUnknownApproved } from './unknown-approved.ts'

/**
 * Runs a document: answers its last message and appends everything that is said to the file, so that running it again
 * continues where it stopped. A run that an earlier process left unfinished is continued. A parsed document is run in
 * memory, unless `output` says where it is kept. The run starts at once; a reader that leaves stops it.
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
    const own = {
      ...options,
      protect: [source, target],
      ...(await openMemory({ store, path, source, isNew }, options)),
    }
    return await answer(
      { file: source, text: transcript.source, tree: transcript.tree, records: await transcript.readRecords() },
      { store, transcript, directory: dirname(target) },
      own,
      context,
    )
  } catch (error) {
    // A run that did not begin leaves no copy, so that the same command can be given again.
    if (isNew) await transcript.takeBack()
    throw error
  } finally {
    // The signal is that of a server: it outlives every run.
    await transcript.close().finally(() => options.leave?.removeEventListener('abort', leave))
  }
}

/** Answers the last message of a document: plans the run, opens its tools, runs the loop, and closes the tools. */
async function answer(
  source: DocumentSource,
  kept: Kept,
  options: DocumentOptions,
  context: RunContext,
): Promise<RunResult> {
  const { notice = () => {} } = options
  if (kept === undefined) context.opened('none')
  for (const text of kept?.transcript.notices ?? []) notice(text)
  let ready: ForkedPlan | undefined
  const agentUsage: PricedUsage[] = []
  const own: DocumentOptions = {
    ...options,
    signal: context.signal,
    // No call is made before the tools are there.
    fork: (task, call) => runFork(task, call, ready!, options),
    paramValues: new ParamValues({ ...options, signal: context.signal }, options.frozen),
    createSubAgents: (approve, strict) =>
      createSubAgents(async sub => {
        const result = await runSubAgent(sub, { ...options, approve, strict }, context, (document, inside, inner) =>
          answer(document, undefined, inside, inner),
        )
        // One that is a tool tells the run what it used while it runs.
        if (sub.call === undefined && result.usage !== undefined) {
          agentUsage.push({ ...result.usage, ...defined({ cost: result.cost }) })
        }
        return result
      }),
  }
  const plan = await planRefined(source, own)
  const warnings = plan.problems.filter(isWarning)
  if (warnings.length > 0) options.warn?.(warnings, plan.expanded.sources)
  for (const text of plan.notices) notice(text)
  options.chosen?.({ model: plan.talk.model.name, syntax: plan.talk.syntax.name })
  const tools = await openDocumentTools(plan, own, notice)
  // An agent inside it has the policy of the document, which may name other tools than its own.
  if (options.agents === undefined)
    for (const text of describeUnknownApproved(options.approve, tools.tools.keys())) notice(text)
  ready = { ...plan, tools }
  try {
    return await answerPlanned({ kept, plan, tools, agentUsage }, options, context)
  } finally {
    await tools.close()
  }
}

/** Plans the run of a document, and plans it again if refining its prompt changed the text. */
async function planRefined(source: DocumentSource, options: DocumentOptions): Promise<DocumentPlan> {
  const plan = await planDocument(source, options)
  if (!('text' in source)) return plan
  const text = await refineSource(source, plan, options)
  return text === undefined ? plan : planDocument({ file: source.file, text, records: source.records }, options)
}

/** A document that is ready to be answered. */
interface Ready {
  kept: Kept
  plan: DocumentPlan
  tools: Toolbox
  /** What the agents in its text have used. */
  agentUsage: readonly PricedUsage[]
}

/** Asks the agents of the document, then gives the answer that is in the cache, or runs the turn. */
async function answerPlanned(ready: Ready, options: DocumentOptions, context: RunContext): Promise<RunResult> {
  const { kept, plan, tools } = ready
  const turn = new Turn(context.id, plan, tools.tools, kept?.transcript, options)
  turn.refuseAnswered()
  await turn.refuseInput(plan.resolver, plan.document.file)
  turn.expanded = await plan.askAgents()
  if (kept !== undefined) await saveSources(options)
  if (options.isCached !== true) return runTurn(turn, ready, options, context)
  const question = agentQuestion(plan, turn.expanded, options.parts ?? [])
  const cached = await options.agentCache?.find(question)
  if (cached !== undefined)
    return { status: 'done', message: answerMessage(context.id, cached.text), text: cached.text }
  const result = await runTurn(turn, ready, options, context)
  if (result.status === 'done') await options.agentCache?.keep(question, result.text)
  return result
}

/** Runs the loop for a turn, in a new log or in that of the run that it continues. */
async function runTurn(
  turn: Turn,
  { kept, plan: { talk, rules, budget, answer, fetchFile }, tools, agentUsage }: Ready,
  options: DocumentOptions,
  context: RunContext,
): Promise<RunResult> {
  const { history: messages, continued: open } = await turn.find()
  const { resumed, messageId } = await turn.begin(open, messages)
  if (resumed !== undefined) context.id = turn.runId
  if (kept !== undefined) context.opened(kept.store)
  const continued = open && new OpenMessage(open, turn.originOf(open))
  const lastCall = kept?.transcript.lastCall
  const begun = { messages, continued, messageId, lastCall, resumed }
  const plan = { ...begun, tools, talk, rules, budget, agentUsage, answer, fetchFile }
  return openRun(plan, kept, options, context)
}

/** An answer that an agent gave before, as a message of this run. */
function answerMessage(run: string, text: string): Message {
  const id = `msg-${run}`
  return { id, role: 'assistant', status: 'sent', parts: [{ type: 'text', id: `${id}:0`, text, state: 'done' }] }
}

/** What a person is warned about. The run itself settles a call without a response, so that is no warning. */
function isWarning({ severity, code }: Diagnostic): boolean {
  return severity === 'warning' && code !== 'CHATMD_CALL_WITHOUT_RESPONSE'
}

/** Keeps what the document brings in. A disk that refuses does not stop the run: the next one reads the sources again. */
async function saveSources({ frozen, notice }: Pick<DocumentOptions, 'frozen' | 'notice'>): Promise<void> {
  try {
    await frozen?.save()
  } catch (error) {
    notice?.(`What the document brings in could not be kept: ${toMessage(error)}`)
  }
}
