import type { Io } from '../io/io.ts'
import { wantsColours } from '../io/paint.ts'
import { JsonView } from './json-view.ts'
import { PipeView } from './pipe-view.ts'
import { TerminalView } from './terminal-view.ts'
import type { View } from './view.ts'

export interface ViewOptions {
  now?: (() => number) | undefined
  model?: (() => string | undefined) | undefined
}

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

/** True if the answer is visible while it is written. Otherwise it is printed when complete. */
export function isLive(io: Io, flags: { json?: boolean; quiet?: boolean }): boolean {
  return io.stdout.isTTY === true && flags.json !== true && flags.quiet !== true
}
