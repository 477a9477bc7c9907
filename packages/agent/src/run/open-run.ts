import { getMessageText } from '@argot/core'
import { defined, pause } from '@argot/core/stream/internal'
import type { ApprovalAnswer, ApprovalPolicy, Ask, InterruptedMode } from '../approval/approval.ts'
import { ApprovalSigner } from '../approval/approval-signer.ts'
import { Approvals } from '../approval/approvals.ts'
import type { KeepFiles } from '../files/keep-files.ts'
import { ClientOutputs, type RunClientTool } from '../loop/calls/client-outputs.ts'
import { Loop, type LoopResult } from '../loop/loop.ts'
import type { People, RunPlan } from '../loop/plan.ts'
import { RunStream } from '../loop/run-stream.ts'
import type { Steering } from '../loop/steering.ts'
import { messageInPost } from '../store/message-post.ts'
import type { Post, Store } from '../store/store.ts'
import { linkSignals } from '../tool/linked-signal.ts'
import { createRedactor } from '../tool/output/redact.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { createVersionKeeper } from './changes/version-keeper.ts'
import type { RunOptions, RunResult, SharedOptions } from './run-options.ts'
import { notRun } from './settle-calls.ts'
import type { RunContext } from './start-run.ts'

type OpenOptions = SharedOptions &
  Pick<RunOptions, 'leave' | 'interrupted' | 'pause' | 'relax'> & {
    agents?: readonly string[] | undefined
    keepFiles?: KeepFiles | undefined
  }

export type RunStorage = { store: Store; transcript: Transcript; directory: string } | undefined

/** Runs a plan to its end. Every run passes through here. */
export async function openRun(
  plan: RunPlan,
  storage: RunStorage,
  options: OpenOptions,
  context: RunContext,
): Promise<RunResult> {
  const over = new AbortController()
  const { signal, release } = linkSignals([context.signal, over.signal, storage?.transcript.lost, options.leave])
  try {
    const people = findPeople(plan, storage, options, context.steering)
    context.steering.markKnown(plan.resumed?.joinedMessageIds ?? [])
    context.approvals = people.approvals
    context.outputs = people.outputs
    const { now = Date.now, env = process.env, notice = () => {} } = options
    const { messageId, continued, resumed } = plan
    const stream = new RunStream({
      run: context.id,
      messageId,
      continued,
      transcript: storage?.transcript,
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
      keepVersions: storage && createVersionKeeper({ ...storage, path: storage.transcript.path }),
      keepOutside: options.keepFiles,
    }
    return await runLoop(new Loop(plan, stream, io), storage, context, over)
  } finally {
    release()
  }
}

function findPeople(
  { rules, continued }: RunPlan,
  storage: RunStorage,
  options: OpenOptions,
  steering: Steering,
): People {
  const { approvalKey, interrupted, agents, runClientTool } = options
  const waits = options.ask === 'wait'
  const askPerson = options.ask === 'wait' ? () => new Promise<undefined>(() => {}) : options.ask
  // A user who has just sent something else isn't asked about what the model did before it read that.
  const ask: Ask | undefined = askPerson && (async request => steering.denial ?? (await askPerson(request)))
  // Nested agents and forks have no log to record it in, so they ask.
  const relax = storage === undefined ? undefined : options.relax
  return {
    approvals: new Approvals({ policy: rules.policy, rules, ask, awaited: continued?.questions, relax }),
    outputs: new ClientOutputs({ run: unlessSteered(runClientTool, steering), waits }),
    steering,
    signer: approvalKey === undefined ? undefined : new ApprovalSigner(approvalKey),
    interrupted: interrupted ?? interruptedMode(rules.policy),
    // All documents number their calls alike, so an answer for another document must not fit here.
    hasUniqueIds: storage !== undefined || agents !== undefined,
  }
}

/** Asks no one for a call's output while a message waits that was sent instead. */
function unlessSteered(run: RunClientTool | undefined, steering: Steering): RunClientTool {
  return async call => (steering.denial === undefined ? run?.(call) : { errorText: notRun })
}

/** Runs the loop, and delivers messages sent to the run. `over` ends the run from inside. */
async function runLoop(
  loop: Loop,
  storage: RunStorage,
  context: RunContext,
  over: AbortController,
): Promise<RunResult> {
  const closed = new AbortController()
  const usedIds = new Set<string>()
  const take = (post: Post): void => {
    // A post is used once, when it arrives: later it might reach another question.
    if (usedIds.has(post.id)) return
    usedIds.add(post.id)
    if (post.type === 'stop') over.abort(post.reason ?? new DOMException('The run was stopped.', 'AbortError'))
    if (post.type === 'answer') context.answer(post.approvalId, post.answer as ApprovalAnswer, post.inputHash)
    if (post.type === 'output') context.outputs?.give(post.toolCallId, post)
    const message = messageInPost(post)
    if (message !== undefined) void context.join(message)
  }
  if (storage !== undefined) {
    context.steering.checkInbox = async () => {
      // An unreadable inbox doesn't keep the run from ending.
      for (const post of await storage.store.inbox.read(context.id).catch(() => [])) take(post)
    }
  }
  if (storage !== undefined) await takePosts(storage.store, context.id, take, closed.signal)
  try {
    return toRunResult(await loop.run())
  } finally {
    closed.abort()
  }
}

/** Takes the posts that were sent to the run, and then new ones. */
async function takePosts(store: Store, run: string, take: (post: Post) => void, signal: AbortSignal): Promise<void> {
  for (const post of await store.inbox.read(run)) take(post)
  const follow = async (): Promise<void> => {
    for await (const post of store.inbox.follow(run, signal)) take(post)
  }
  // An unreadable inbox can't stop the run, and must not end it either.
  void follow().catch(() => {})
}

/** If everything is approved, there may be no one to ask. */
function interruptedMode(policy: ApprovalPolicy): InterruptedMode {
  return (typeof policy === 'string' ? policy : policy.default) === 'all' ? 'tell' : 'ask'
}

function toRunResult(result: LoopResult): RunResult {
  const { usage, ...rest } = result
  const { cost, ...tokens } = usage
  return { ...rest, text: getMessageText(result.message), usage: tokens, ...defined({ cost }) }
}
