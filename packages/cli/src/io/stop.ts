import { constants } from 'node:os'
import type { Io } from './io.ts'

/** How a command is told to stop. */
export interface Stop {
  readonly signal: AbortSignal
  /** The exit status of a command that was stopped; undefined while it was not. */
  readonly status: number | undefined
  /** The same as Ctrl-C, from a prompt that reads the key itself. */
  interrupt(): void
  /** Gives the signals back. */
  release(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Stops a command cleanly at the first Ctrl-C (or when it is told to end, or when nobody reads its output any more),
 * and at once at the second. `tell` is called at the first Ctrl-C.
 */
export function watchStop(io: Pick<Io, 'stdout'>, tell: () => void): Stop {
  const controller = new AbortController()
  let status: number | undefined
  const onSignal = (name: (typeof signals)[number]): void => {
    const code = 128 + constants.signals[name]
    if (status !== undefined) process.exit(code)
    status = code
    if (name === 'SIGINT') tell()
    controller.abort()
  }
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error
    status ??= 128 + constants.signals.SIGPIPE
    controller.abort()
  }
  for (const name of signals) process.on(name, onSignal)
  io.stdout.on('error', onError)
  return {
    signal: controller.signal,
    get status() {
      return status
    },
    interrupt: () => onSignal('SIGINT'),
    release() {
      for (const name of signals) process.off(name, onSignal)
    },
  }
}
