import { createHash } from 'node:crypto'

/** Answers carry it, so that an approval applies only to the input that the person saw. */
export function hashInput(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(input) ?? 'undefined')
    .digest('hex')
}
