import { getMessageText, type Message } from '@argot/core'
import { defined, pause } from '@argot/core/stream/internal'
import { auto, createAuto, type Syntax } from '@argot/core/syntax'
import type { CallLimit } from '@argot/core/syntax/internal'
import type { ApprovalAnswer, ApprovalPolicy, Ask, InterruptedMode } from '../approval/approval.ts'
import { ApprovalSigner } from '../approval/approval-signer.ts'
import { Approvals } from '../approval/approvals.ts'
import type { RuleBook } from '../approval/rule-book.ts'
import type { AnswerFormat } from '../loop/answer/answer-format.ts'
import { ClientOutputs, type RunClientTool } from '../loop/calls/client-outputs.ts'
import { RecoveredAnswers } from '../loop/calls/recovered-answers.ts'
import { Loop, type LoopResult } from '../loop/loop.ts'
import { type CallOrigin, OpenMessage } from '../loop/open-message.ts'
import { RunStream } from '../loop/run-stream.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { FetchFile } from '../resolver/fetch-file.ts'
import type { Post, Store } from '../store/store.ts'
import { linkSignals } from '../tool/linked-signal.ts'
import { createRedactor } from '../tool/output/redact.ts'
import type { Toolbox } from '../tool/toolbox.ts'
import type { ReplayedRun } from '../transcript/replay-run.ts'
import type { Transcript } from '../transcript/transcript.ts'
import type { Price } from '../words/price.ts'
import { callLimit, salvageSyntax } from './model-and-limit.ts'
import type { RunResult } from './run-options.ts'
import type { RunContext } from './start-run.ts'

/** A model that says nothing for so long is given up. */
const IDLE_MS = 120_000
/** One that sends signs of life for so long, and does not come to an end, too. */
const REPLY_MS = 30 * 60_000
const RUN_MS = 24 * 60 * 60_000
const REPLY_LENGTH = 8 * 1024 * 1024

/** What a run of messages in memory and a run of a document have in common. */
export interface RunSettings {
  /** Signs what is asked; see `AgentOptions`. */
  approvalKey?: string | Uint8Array | undefined
  ask?: Ask | 'wait' | undefined
  leave?: AbortSignal | undefined
  /** See `RunOptions`. */
  interrupted?: InterruptedMode | undefined
  /** The agents that this run is inside of. */
  agents?: readonly string[] | undefined
  runClientTool?: RunClientTool | undefined
  tokenBudget?: number | undefined
  idleMs?: number | undefined
  replyMs?: number | undefined
  runMs?: number | undefined
  replyLength?: number | undefined
  price?: Price | undefined
  limit?: CallLimit | undefined
  salvage?: boolean | string | undefined
  notice?: ((text: string) => void) | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  now?: (() => number) | undefined
  /** Waits before a retry; ends early when the signal is aborted. */
  pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/** A run that is about to start: everything is read, checked and chosen. */
export interface RunSetup {
  model: Model
  syntax: Syntax
  toolbox: Toolbox
  policy: ApprovalPolicy
  rules?: RuleBook | undefined
  /** As the document or the settings say; what the caller says wins before it comes here. */
  limit?: CallLimit | undefined
  settings: ModelSettings
  maxSteps: number
  /** What was said before. */
  history: readonly Message[]
  /** The message of the assistant that is continued, and who vouches for the calls that it left open. */
  continued?: { message: Message; origin: CallOrigin } | undefined
  messageId: string
  /** The form that the final answer must have. */
  format?: AnswerFormat | undefined
  fetchFile?: FetchFile | undefined
  /** Where the run is kept, once it has begun there. */
  kept?: { store: Store; transcript: Transcript; resumed: ReplayedRun | undefined } | undefined
}

/** Runs to the end: the one way from a setup to a result. */
export async function openRun(setup: RunSetup, run: RunSettings, context: RunContext): Promise<RunResult> {
  const over = new AbortController()
  const { signal, release } = linkSignals([context.signal, over.signal, setup.kept?.transcript.lost, run.leave])
  try {
    return await runLoop(setup, run, context, { over, signal })
  } finally {
    release()
  }
}

/** `over` ends the run from inside; `signal` is aborted with it, and with everything else that ends the run. */
async function runLoop(
  setup: RunSetup,
  run: RunSettings,
  context: RunContext,
  { over, signal }: { over: AbortController; signal: AbortSignal },
): Promise<RunResult> {
  const { model, toolbox, policy, settings, format, maxSteps, history, messageId, fetchFile, kept } = setup
  const { now = Date.now, env = process.env, notice = () => {}, tokenBudget, price } = run
  const message = setup.continued?.message
  const continued = message && new OpenMessage(message, setup.continued!.origin)
  const ask = run.ask === 'wait' ? () => new Promise<undefined>(() => {}) : run.ask
  const approvals = new Approvals({ policy, rules: setup.rules, ask, awaited: continued?.questions })
  context.approvals = approvals
  // An answer that is JSON must not be taken for a call without a mark of its own.
  const marked = (one: Syntax): Syntax => (format !== undefined && one === auto ? createAuto({ bare: false }) : one)
  const syntax = marked(setup.syntax)
  const leaked = salvageSyntax(run.salvage)
  const salvage = leaked && marked(leaked)
  const outputs = new ClientOutputs({ run: run.runClientTool, waits: run.ask === 'wait' })
  context.outputs = outputs
  const stream = new RunStream({
    messageId,
    continued,
    transcript: kept?.transcript,
    resumed: kept?.resumed,
    reader: context.chunks,
    now,
    onUnsaved: error => over.abort(error),
  })
  const loop = new Loop({
    model,
    syntax,
    limit: callLimit(setup.limit ?? run.limit, syntax, salvage),
    toolbox,
    messages: history,
    continued,
    answers: kept?.resumed && new RecoveredAnswers(kept.resumed.answers),
    approvalIds: kept?.resumed?.approvalIds,
    spent: kept?.resumed?.spent,
    messageId,
    settings,
    format,
    maxSteps,
    tokenBudget,
    time: { idleMs: run.idleMs ?? IDLE_MS, totalMs: run.replyMs ?? REPLY_MS },
    runMs: run.runMs ?? RUN_MS,
    replyLength: run.replyLength ?? REPLY_LENGTH,
    price,
    approvals,
    outputs,
    signer: run.approvalKey === undefined ? undefined : new ApprovalSigner(run.approvalKey),
    interrupted: run.interrupted ?? interruptedMode(policy),
    hasUniqueIds: kept === undefined && run.agents !== undefined,
    redact: createRedactor(env),
    salvage,
    fetchFile,
    stream,
    signal,
    notice,
    now,
    pause: run.pause ?? pause,
  })
  const closed = new AbortController()
  const taken = new Set<string>()
  const take = (post: Post): void => {
    // A post counts once, when it comes: later it might meet another question.
    if (taken.has(post.id)) return
    taken.add(post.id)
    if (post.type === 'stop') over.abort(post.reason ?? new DOMException('The run was stopped.', 'AbortError'))
    if (post.type === 'answer') context.answer(post.approvalId, post.answer as ApprovalAnswer, post.inputHash)
    if (post.type === 'output') outputs.give(post.toolCallId, post)
  }
  if (kept !== undefined) await takePosts(kept.store, context.id, take, closed.signal)
  try {
    return toRunResult(await loop.run())
  } finally {
    closed.abort()
  }
}

/** Takes what others have said to the run, and then what they say: a stop ends it, an answer counts if it is wanted. */
async function takePosts(store: Store, run: string, take: (post: Post) => void, signal: AbortSignal): Promise<void> {
  for (const post of await store.inbox.read(run)) take(post)
  const follow = async (): Promise<void> => {
    for await (const post of store.inbox.follow(run, signal)) take(post)
  }
  // Who cannot be heard any more cannot stop the run, and must not end it either.
  void follow().catch(() => {})
}

/** Nobody is there to be asked where everything is approved. */
function interruptedMode(policy: ApprovalPolicy): InterruptedMode {
  return (typeof policy === 'string' ? policy : policy.default) === 'all' ? 'tell' : 'ask'
}

function toRunResult(result: LoopResult): RunResult {
  const { usage, ...rest } = result
  const { cost, ...tokens } = usage
  return { ...rest, text: getMessageText(result.message), usage: tokens, ...defined({ cost }) }
}
