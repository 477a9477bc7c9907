import { createHash } from 'node:crypto'

/** The hash of a call's input. Answers carry it, so that a yes applies only to the input that the person saw. */
export function hashInput(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(input) ?? 'undefined')
    .digest('hex')
}
