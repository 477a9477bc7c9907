import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

export interface OperationOptions {
  /** Writes a byte to the standard output behind each operation. */
  tick: boolean
  /** Called before each operation; the first one is 1. */
  before: (number: number) => void
  /** True where the process dies when half of the bytes of this operation are written. */
  half: (number: number) => boolean
  die: () => void
}

/** What changes something on a disk. To a process that is killed, waiting for the disk makes no difference. */
const changing = [
  ...['writeSync', 'ftruncateSync', 'linkSync', 'renameSync', 'unlinkSync'],
  ...['mkdirSync', 'writeFileSync', 'appendFileSync', 'openSync'],
] as const

type Operation = (...args: unknown[]) => unknown

/** Counts every operation of this process on the disk, whoever makes it, from now on. */
export function countOperations({ tick, before, half, die }: OperationOptions): void {
  const own = fs as unknown as Record<string, Operation>
  const { writeSync } = fs
  let count = 0
  /** An operation that is made of others counts once. */
  let isInside = false
  for (const name of changing) {
    const operation = own[name]!
    own[name] = (...args) => {
      if (isInside || (name === 'openSync' && isReading(args[1]))) return operation(...args)
      isInside = true
      try {
        count++
        before(count)
        if (half(count)) {
          const [target, bytes] = args
          if (name === 'writeSync')
            operation(target, (bytes as Uint8Array).subarray(0, (bytes as Uint8Array).length >> 1))
          die()
        }
        return operation(...args)
      } finally {
        if (tick) writeSync(1, '.')
        isInside = false
      }
    }
  }
  syncBuiltinESMExports()
}

function isReading(flags: unknown): boolean {
  return flags === undefined || flags === 'r' || flags === fs.constants.O_RDONLY
}
