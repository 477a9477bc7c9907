import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { ArgotError } from '@argot/core'

export interface SignedQuestion {
  approvalId: string
  toolCallId: string
  toolName: string
  input: unknown
}

/**
 * Signs a server's questions when its clients keep the conversations, and recognizes them when they come back with an
 * answer. The signature covers the id, the call, the tool and the input, so changing any of them invalidates it.
 */
export class ApprovalSigner {
  readonly #key: string | Uint8Array

  constructor(key: string | Uint8Array) {
    if (key.length === 0)
      throw new ArgotError('RUN_BAD_KEY', 'The `approvalKey` is empty, so anyone could sign with it.')
    this.#key = key
  }

  sign(question: SignedQuestion): string | undefined {
    return this.#digest(question)?.toString('base64url')
  }

  isSigned(question: SignedQuestion, signature: string | undefined): boolean {
    const expected = this.#digest(question)
    if (expected === undefined || signature === undefined) return false
    const bytes = Buffer.from(signature, 'base64url')
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  }

  #digest({ approvalId, toolCallId, toolName, input }: SignedQuestion): Buffer | undefined {
    const text = canonicalJson(input)
    if (text === undefined) return undefined
    const inputDigest = createHash('sha256').update(text).digest('base64url')
    const signed = JSON.stringify(['argot-approval-1', approvalId, toolCallId, toolName, inputDigest])
    return createHmac('sha256', this.#key).update(signed).digest()
  }
}

/** Equal values give the same text, however their JSON was written. Undefined for values that JSON can't express. */
function canonicalJson(value: unknown): string | undefined {
  try {
    return toCanonical(value) ?? 'undefined'
  } catch {
    return undefined
  }
}

function toCanonical(value: unknown): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(item => toCanonical(item) ?? 'null').join(',')}]`
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const text = toCanonical(field)
    return text === undefined ? [] : [`${JSON.stringify(key.toWellFormed())}:${text}`]
  })
  return `{${fields.sort().join(',')}}`
}
