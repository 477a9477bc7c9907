import type { Io } from '../io/io.ts'
import { wantsColours } from '../io/paint.ts'
import { JsonView } from './json-view.ts'
import { PipeView } from './pipe-view.ts'
import { TerminalView } from './terminal-view.ts'
import type { View } from './view.ts'

export interface ViewOptions {
  /** The time that calls are measured with. */
  now?: (() => number) | undefined
  /** The model that is asked, once it is known; without it nobody is waited for. */
  model?: (() => string | undefined) | undefined
}

/** The view that fits: JSON where it is asked for, a live one on a terminal, a silent one in a pipe. */
export function createView(
  io: Io,
  flags: { json?: boolean; quiet?: boolean },
  { now = Date.now, model }: ViewOptions = {},
): View {
  const quiet = flags.quiet === true
  if (flags.json === true) return new JsonView(io, { quiet })
  if (isLive(io, flags)) {
    return new TerminalView({
      out: io.stdout,
      errors: io.stderr,
      colours: wantsColours(io, io.stdout),
      canMove: io.env.TERM !== 'dumb',
      now,
      model,
    })
  }
  return new PipeView(io, { quiet, now })
}

/** True where the answer is seen while it is written; otherwise it is printed when it is complete. */
export function isLive(io: Io, flags: { json?: boolean; quiet?: boolean }): boolean {
  return io.stdout.isTTY === true && flags.json !== true && flags.quiet !== true
}
