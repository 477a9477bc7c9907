import type { Run, RunOptions } from '@argot/agent'
import { findPromptTerminal } from '../ask/prompt-terminal.ts'
import { Questions } from '../ask/questions.ts'
import type { Io } from '../io/io.ts'
import { wantsColours } from '../io/paint.ts'
import { watchStop } from '../io/stop.ts'
import { createView } from '../view/create-view.ts'
import { Tally } from '../view/tally.ts'
import { concludeRun, type EndingContext } from './run-ending.ts'

export interface ShowRunOptions extends Omit<EndingContext, 'summary'> {
  options: RunOptions
  flags: { json?: boolean; quiet?: boolean }
  io: Io
  start: (options: RunOptions) => Run
}

/** Starts a run, shows it live, asks its questions and reports how it ended. Returns the exit status. */
export async function showRun({ options, start, ...ending }: ShowRunOptions): Promise<number> {
  const { flags, io } = ending
  let model: string | undefined
  const view = createView(io, flags, { model: () => model })
  const stop = watchStop(io, () => view.notice('Stopping. Press Ctrl-C again to exit immediately.'))
  const terminal = findPromptTerminal(io, flags)
  const { signal } = stop
  const questions =
    terminal &&
    new Questions({ terminal, view, signal, interrupt: stop.interrupt, colours: wantsColours(io, terminal.output) })
  const startedAt = Date.now()
  const tally = new Tally()
  const running = start({
    ...options,
    signal,
    notice: (text, { always } = {}) => view.notice(text, always),
    warn: (warnings, sources) => view.warn(warnings, sources),
    chosen: about => {
      model = about.model
    },
    runClientTool: async call => (await options.runClientTool?.(call)) ?? questions?.answer(call),
    ...(questions !== undefined && { ask: questions.approve, trust: questions.trust, askParam: questions.param }),
  })
  try {
    for await (const chunk of running) {
      tally.push(chunk)
      const slow = view.push(chunk)
      if (slow !== undefined) await slow
      if (chunk.type === 'tool-input-available') questions?.noteShown(chunk.toolCallId)
      if (chunk.type === 'tool-approval-request') questions?.noteShown(chunk.approvalId ?? chunk.toolCallId)
    }
  } finally {
    await view.end()
    stop.release()
  }
  const summary = tally.describe(Date.now() - startedAt)
  const status = await concludeRun(await running.result, { ...ending, summary })
  return stop.status ?? status
}
