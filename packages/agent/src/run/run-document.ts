import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ArgotError, type Message } from 'argot'
import type { AgentRequest, ChatDocument } from 'argot/chatmd'
import { createApprovals } from '../approval/approvals.ts'
import { Loop } from '../loop/loop.ts'
import { OpenMessage } from '../loop/open-message.ts'
import { RecoveredAnswers } from '../loop/recovered-answers.ts'
import { createRedactor } from '../tool/redact.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { callLimit, salvageSyntaxes } from './choose.ts'
import { copyDocument } from './copy-document.ts'
import { hasOpenCalls, whereToGoOn } from './go-on.ts'
import { type PrepareOptions, prepareDocument } from './prepare-document.ts'
import type { Run, RunOptions, RunResult } from './run-options.ts'
import { settleCalls } from './settle-calls.ts'
import { newRunId, type RunContext, startRun, toRunResult, wait } from './start-run.ts'
import { createSubAgents, type SubRun } from './sub-agents.ts'

/**
 * Runs a document: answers its last message and appends everything that is said to the file, so that running it again
 * goes on where it stopped. A parsed document is run in memory. The run starts at once; a reader that leaves stops it.
 */
export function runDocument(source: string | ChatDocument, options: RunOptions = {}): Run {
  const id = options.id ?? newRunId((options.now ?? Date.now)())
  return startRun(id, options.signal, context =>
    typeof source === 'string'
      ? runFile(id, source, options, context)
      : answer(id, source, undefined, options, context),
  )
}

async function runFile(id: string, path: string, options: RunOptions, context: RunContext): Promise<RunResult> {
  const { cwd = process.cwd(), output, now, wait: waits } = options
  const source = await realpath(resolve(cwd, path))
  const file = output === undefined ? source : resolve(cwd, output)
  if (file !== source) await copyDocument(source, file)
  const transcript = await openTranscript(file, {
    signal: context.signal,
    ...(now === undefined ? {} : { now }),
    ...(waits === undefined ? {} : { wait: waits }),
  })
  try {
    const own = { ...options, protect: [source, file] }
    return await answer(id, { file: source, text: transcript.source }, transcript, own, context)
  } finally {
    await transcript.close()
  }
}

async function answer(
  id: string,
  source: ChatDocument | { file: string; text: string },
  transcript: Transcript | undefined,
  options: PrepareOptions & { parts?: AgentRequest['input'] },
  { chunks, signal }: RunContext,
): Promise<RunResult> {
  const { now = Date.now, notice = () => {}, env = process.env } = options
  for (const text of transcript?.notices ?? []) notice(text)
  const prepared = await prepareDocument(source, {
    ...options,
    signal,
    createSubAgents: approve => createSubAgents(sub => runInMemory(sub, { ...options, approve })),
  })
  const { expanded, model, syntax, maxSteps, policy, settings } = prepared
  for (const text of prepared.notices) notice(text)
  const tools = await prepared.openTools(notice)
  const payloads = expanded.config?.showToolCall === true ? 'inline' : 'external'
  const recovered = transcript?.recovered
  let where = whereToGoOn(expanded.messages)
  const input = inputMessage(id, options, now())
  if (input !== undefined) {
    const { history, continued } = where ?? {
      history: expanded.messages.filter(one => one.sent).map(one => one.message),
    }
    const before = continued === undefined ? history : [...history, continued]
    if (continued !== undefined && hasOpenCalls(continued)) {
      before.pop()
      before.push(await settleCalls(`${id}-settled`, continued, { transcript, payloads, now, tools }))
    }
    await transcript?.write(input)
    where = { history: [...before, input] }
  }
  if (where === undefined) {
    const error =
      'The document has nothing to answer: its last message is an answer. Add a message of the user, or give one with --input.'
    throw new ArgotError('RUN_NOTHING_TO_ANSWER', error)
  }
  const { history, continued } = where
  const unsaid = recovered !== undefined && input === undefined && !history.some(one => one.id === recovered.messageId)
  const messageId = continued?.id ?? (unsaid ? recovered.messageId : `msg-${id}`)
  await transcript?.begin({ id, payloads, ...(continued === undefined ? {} : { message: continued }) })
  const salvage = salvageSyntaxes(options.salvage)
  const { ask, maxTokens, price } = options
  const loop = new Loop({
    ...{ model, syntax, maxSteps, settings, tools, chunks, signal, notice, now, messageId },
    messages: history,
    limit: callLimit(syntax),
    approvals: createApprovals({ policy, ...(ask === undefined ? {} : { ask }) }),
    redact: createRedactor(env),
    fetchFile: prepared.fetchFile,
    wait: options.sleep ?? wait,
    ...(transcript === undefined ? {} : { transcript }),
    ...(continued === undefined ? {} : { continued: new OpenMessage(continued, recovered) }),
    ...(recovered === undefined || input !== undefined ? {} : { answers: new RecoveredAnswers(recovered.answers) }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(price === undefined ? {} : { price }),
    ...(salvage === undefined ? {} : { salvage }),
  })
  return toRunResult(await loop.run())
}

/** Runs the document of a sub-agent with the rights of the run that it is part of, and keeps nothing. */
function runInMemory(sub: SubRun, options: PrepareOptions): Promise<RunResult> {
  const { id: _, input: __, output: ___, signal: ____, ...shared } = options
  const run = newRunId((options.now ?? Date.now)())
  return startRun(run, sub.signal, context => {
    const { file } = sub.document
    const protect = [...(options.protect ?? []), ...(file === undefined || !sub.local ? [] : [file])]
    const own = { agents: sub.agents, remote: !sub.local, parts: sub.input, protect }
    return answer(run, sub.document, undefined, { ...shared, ...own }, context)
  }).result
}

function inputMessage(
  id: string,
  { input, parts }: { input?: string; parts?: AgentRequest['input'] },
  now: number,
): Message | undefined {
  const given = parts ?? (input === undefined ? undefined : [{ type: 'text', text: input } as const])
  if (given === undefined || given.length === 0) return undefined
  const message = `user-${id}`
  return {
    ...{ id: message, role: 'user', status: 'sent', createdAt: new Date(now).toISOString() },
    parts: given.map((part, index) =>
      part.type === 'text' ? { ...part, id: `${message}:${index}`, state: 'done' } : part,
    ),
  }
}
