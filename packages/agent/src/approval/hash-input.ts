import { createHash } from 'node:crypto'

/** The hash of a call's input. An answer names it, so that a yes is only ever for the input that the person was shown. */
export function hashInput(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(input) ?? 'undefined')
    .digest('hex')
}
