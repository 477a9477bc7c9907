import { existsSync } from 'node:fs'
import type { RunResult } from '@argot/agent'
import { readDocumentText } from '@argot/agent/internal'
import { type Diagnostic, toolCalls } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'
import { readQuestion } from '../ask/read-question.ts'
import { type Io, jsonLine, print, tell } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { report } from '../io/report.ts'
import { safeText } from '../io/safe-text.ts'
import { quoteWord } from '../options/repeat-flags.ts'
import { isLive } from '../view/create-view.ts'

export interface EndingContext {
  file: string | undefined
  again: string | undefined
  hasInput: boolean
  summary: string
  flags: { json?: boolean; quiet?: boolean }
  io: Io
}

/** Reports how the run ended, and prints the answer if it wasn't shown yet. Returns the exit status. */
export async function concludeRun(result: RunResult, ending: EndingContext): Promise<number> {
  const { flags, io } = ending
  const isLiveView = isLive(io, flags)
  if (flags.json === true) await reportAsJson(result, io)
  else {
    if (!isLiveView && result.text !== '' && (result.status === 'done' || isAnswer(result))) {
      await print(io, `${answerText(result)}\n`)
    }
    if (result.status === 'failed') await reportFailure(result, ending)
    // Even with `--quiet`, users learn that the run waits for them.
    if (flags.quiet !== true || result.status === 'parked') await reportEnding(result, isLiveView, ending)
  }
  return result.status === 'done' ? 0 : 1
}

/** The answer for a pipe. Requested JSON comes alone. */
function answerText(result: RunResult): string {
  const isJson = result.status === 'done' && result.output !== undefined
  return isJson ? JSON.stringify(result.output, null, 2) : result.text
}

/** The model finished its answer, even if a notice reported a problem with it. */
function isAnswer({ status, finishReason }: RunResult): boolean {
  return finishReason !== undefined && finishReason !== 'error' && status !== 'parked'
}

async function reportFailure(
  result: Extract<RunResult, { status: 'failed' }>,
  { flags, io }: Pick<EndingContext, 'flags' | 'io'>,
): Promise<void> {
  const { code, error, diagnostics = [] } = result
  const sources = await readSources(diagnostics)
  // Without a stored document there is no line to show.
  const located = diagnostics.map(({ file, range, ...rest }) => (sources.has(file) ? { ...rest, file, range } : rest))
  await report(located as Diagnostic[], sources, false, io)
  if (flags.quiet === true || !isAnswer(result)) await tell(io, `argot: ${safeText(error)} (${code})\n`)
}

async function reportEnding(result: RunResult, isLiveView: boolean, ending: EndingContext): Promise<void> {
  const { file, summary, hasInput, io } = ending
  const paint = createPaint(wantsColours(io, io.stderr))
  const where = file === undefined ? undefined : visibleLine(file)
  const again = ending.again === undefined ? '' : ` To continue, run: ${safeText(ending.again)}`
  if (isLiveView && ending.flags.quiet !== true) {
    const transcript = where === undefined ? '' : ` Transcript: ${where}`
    await tell(io, `\n${paint(`${summary}.${transcript}`, 'dim')}\n`)
  }
  switch (result.status) {
    case 'parked':
      return tell(io, describeWaiting(result, again, ending.again))
    case 'stopped':
      // A copy made for a run that didn't start is deleted.
      if (file !== undefined && !existsSync(file)) return tell(io, 'Stopped before the model answered.\n')
      return tell(io, `Stopped.${where === undefined ? '' : ` The transcript so far is in ${where}.`}${again}\n`)
    case 'failed':
      if (result.message === undefined || again === '') return
      // Running the same command again would add the message again.
      if (hasInput) await tell(io, `Your message is in ${where}.${again}\n`)
      else if (isAnswer(result)) await tell(io, `${again.trim()}\n`)
      return
    default:
  }
}

function describeWaiting({ message }: RunResult, again: string, command: string | undefined): string {
  const openCalls = message === undefined ? [] : toolCalls(message).filter(call => !isSettled(call))
  const [waitingCall] = openCalls.filter(({ state }) => state === 'input-available')
  if (waitingCall === undefined) return `A call is waiting for your approval.${again}\n`
  const question = readQuestion(waitingCall)
  const options = question === undefined || question.options.length === 0 ? '' : ` (${question.options.join(', ')})`
  const what =
    question === undefined
      ? `The call to ${waitingCall.toolName} is waiting for a result from outside.`
      : `The model asks: ${question.question}${options}`
  if (command === undefined) return `${safeText(what)}\nNo one could answer. To answer later, use --output FILE.\n`
  const example = quoteWord(question?.options[0] ?? '…')
  const how = `Answer on a terminal: ${command}\nAnswer from the command line: ${command} --answer ${example}`
  return `${safeText(what)}\n${safeText(how)}\n`
}

async function reportAsJson(result: RunResult, io: Io): Promise<void> {
  const { status, finishReason, usage, cost, steps } = result
  const failure = status === 'failed' ? { code: result.code, error: result.error } : {}
  const diagnostics = (status === 'failed' && result.diagnostics) || []
  const output = status === 'done' ? result.output : undefined
  const ending = { status, ...failure, finishReason, usage, cost, steps, output }
  const lines = [...diagnostics.map(diagnostic => ({ diagnostic })), { result: ending }]
  await tell(io, lines.map(line => jsonLine(line)).join(''))
}

async function readSources(diagnostics: readonly Diagnostic[]): Promise<Map<string | undefined, string>> {
  const sources = new Map<string | undefined, string>()
  for (const { file } of diagnostics) {
    if (file === undefined || sources.has(file)) continue
    const content = await readDocumentText(file).catch(() => undefined)
    if (content?.ok === true) sources.set(file, content.text)
  }
  return sources
}
