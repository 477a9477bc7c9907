import { constants } from 'node:os'
import type { Io } from './io.ts'

export interface Stop {
  readonly signal: AbortSignal
  readonly status: number | undefined
  interrupt(): void
  release(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Stops a command cleanly on the first Ctrl-C, on a termination signal, or when its output is closed. A second Ctrl-C
 * ends it immediately. `tell` is called on the first Ctrl-C.
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
