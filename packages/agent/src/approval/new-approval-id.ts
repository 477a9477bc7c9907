import { randomBytes } from 'node:crypto'

/** An id that no other question has, so that an answer or a signature is good for this one only. */
export function newApprovalId(base: string): string {
  return `${base}-${randomBytes(9).toString('base64url')}`
}
