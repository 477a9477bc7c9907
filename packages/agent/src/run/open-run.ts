import { getMessageText } from '@argot/core'
import { defined, pause } from '@argot/core/stream/internal'
import type { ApprovalAnswer, ApprovalPolicy, Ask, InterruptedMode } from '../approval/approval.ts'
import { ApprovalSigner } from '../approval/approval-signer.ts'
import { Approvals } from '../approval/approvals.ts'
import type { KeepFiles } from '../files/keep-files.ts'
import { ClientOutputs, type RunClientTool } from '../loop/calls/client-outputs.ts'
import { Loop, type LoopResult } from '../loop/loop.ts'
import type { People, Plan } from '../loop/plan.ts'
import { RunStream } from '../loop/run-stream.ts'
import type { Steering } from '../loop/steering.ts'
import { messageInPost } from '../store/message-post.ts'
import type { Post, Store } from '../store/store.ts'
import { linkSignals } from '../tool/linked-signal.ts'
import { createRedactor } from '../tool/output/redact.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { versionKeeper } from './changes/version-keeper.ts'
import type { RunOptions, RunResult, SharedOptions } from './run-options.ts'
import { notRun } from './settle-calls.ts'
import type { RunContext } from './start-run.ts'

/** What a run is told about the people around it, besides what every run is. */
type OpenOptions = SharedOptions &
  Pick<RunOptions, 'leave' | 'interrupted' | 'pause' | 'relax'> & {
    /** The agents that this run is inside of. */
    agents?: readonly string[] | undefined
    keepFiles?: KeepFiles | undefined
  }

/** Where a run is kept, once it has begun there. */
export type Kept = { store: Store; transcript: Transcript; directory: string } | undefined

/** Runs a plan to its end: the one way to a result. */
export async function openRun(plan: Plan, kept: Kept, options: OpenOptions, context: RunContext): Promise<RunResult> {
  const over = new AbortController()
  const { signal, release } = linkSignals([context.signal, over.signal, kept?.transcript.lost, options.leave])
  try {
    const people = findPeople(plan, kept, options, context.steering)
    context.steering.know(plan.resumed?.joined ?? [])
    context.approvals = people.approvals
    context.outputs = people.outputs
    const { now = Date.now, env = process.env, notice = () => {} } = options
    const { messageId, continued, resumed } = plan
    const stream = new RunStream({
      run: context.id,
      messageId,
      continued,
      transcript: kept?.transcript,
      resumed,
      reader: context.chunks,
      now,
      onUnsaved: error => over.abort(error),
    })
    const io = {
      signal,
      now,
      pause: options.pause ?? pause,
      notice,
      redact: createRedactor(env),
      people,
      inner: context.inner,
      keepVersions: kept && versionKeeper({ ...kept, path: kept.transcript.path }),
      keepOutside: options.keepFiles,
    }
    return await runLoop(new Loop(plan, stream, io), kept, context, over)
  } finally {
    release()
  }
}

/** Who answers the questions of a run. */
function findPeople({ rules, continued }: Plan, kept: Kept, options: OpenOptions, steering: Steering): People {
  const { approvalKey, interrupted, agents, runClientTool } = options
  const waits = options.ask === 'wait'
  const person = options.ask === 'wait' ? () => new Promise<undefined>(() => {}) : options.ask
  // A user who has just said something else is not asked about what the model did before it read that.
  const ask: Ask | undefined = person && (async request => steering.denial ?? (await person(request)))
  // Agents and forks inside a run have no log of their own to say it in: they ask.
  const relax = kept === undefined ? undefined : options.relax
  return {
    approvals: new Approvals({ policy: rules.policy, rules, ask, awaited: continued?.questions, relax }),
    outputs: new ClientOutputs({ run: unlessSteered(runClientTool, steering), waits }),
    steering,
    signer: approvalKey === undefined ? undefined : new ApprovalSigner(approvalKey),
    interrupted: interrupted ?? interruptedMode(rules.policy),
    // Calls of all documents are numbered alike: an answer that was meant for another one must not fit.
    hasUniqueIds: kept !== undefined || agents !== undefined,
  }
}

/** Nobody is asked for the output of a call while a message waits that was sent in its place. */
function unlessSteered(run: RunClientTool | undefined, steering: Steering): RunClientTool {
  return async call => (steering.denial === undefined ? run?.(call) : { errorText: notRun })
}

/** Runs the loop, and hands it what others say to the run; `over` ends the run from inside. */
async function runLoop(loop: Loop, kept: Kept, context: RunContext, over: AbortController): Promise<RunResult> {
  const closed = new AbortController()
  const usedNames = new Set<string>()
  const take = (post: Post): void => {
    // A post counts once, when it comes: later it might meet another question.
    if (usedNames.has(post.id)) return
    usedNames.add(post.id)
    if (post.type === 'stop') over.abort(post.reason ?? new DOMException('The run was stopped.', 'AbortError'))
    if (post.type === 'answer') context.answer(post.approvalId, post.answer as ApprovalAnswer, post.inputHash)
    if (post.type === 'output') context.outputs?.give(post.toolCallId, post)
    const message = messageInPost(post)
    if (message !== undefined) void context.join(message)
  }
  if (kept !== undefined) {
    context.steering.look = async () => {
      // Who cannot be heard any more does not keep the run from ending.
      for (const post of await kept.store.inbox.read(context.id).catch(() => [])) take(post)
    }
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
