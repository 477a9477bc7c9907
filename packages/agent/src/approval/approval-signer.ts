import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { ArgotError } from '@argot/core'

/** What is asked: the call, and the id of the question about it. */
export interface SignedQuestion {
  approvalId: string
  toolCallId: string
  toolName: string
  input: unknown
}

/**
 * Signs the questions of a server whose conversations are kept by clients, and knows them again when they come back with
 * an answer. The signature is over the id, the call, the tool and the input: whoever changes one of them has none.
 */
export class ApprovalSigner {
  readonly #key: string | Uint8Array

  constructor(key: string | Uint8Array) {
    if (key.length === 0) throw new ArgotError('RUN_BAD_KEY', 'The `approvalKey` is empty: anybody could sign with it.')
    this.#key = key
  }

  sign(question: SignedQuestion): string | undefined {
    return this.#digest(question)?.toString('base64url')
  }

  /** True when this key signed this question. */
  isSigned(question: SignedQuestion, signature: string | undefined): boolean {
    const right = this.#digest(question)
    if (right === undefined || signature === undefined) return false
    const bytes = Buffer.from(signature, 'base64url')
    return bytes.length === right.length && timingSafeEqual(bytes, right)
  }

  #digest({ approvalId, toolCallId, toolName, input }: SignedQuestion): Buffer | undefined {
    const text = canonicalJson(input)
    if (text === undefined) return undefined
    const inputDigest = createHash('sha256').update(text).digest('base64url')
    const signed = JSON.stringify(['argot-approval-1', approvalId, toolCallId, toolName, inputDigest])
    return createHmac('sha256', this.#key).update(signed).digest()
  }
}

/** One text for every way of writing a value as JSON; undefined for what has none. */
function canonicalJson(value: unknown): string | undefined {
  try {
    return written(value) ?? 'undefined'
  } catch {
    return undefined
  }
}

function written(value: unknown): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(item => written(item) ?? 'null').join(',')}]`
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const text = written(field)
    return text === undefined ? [] : [`${JSON.stringify(key.toWellFormed())}:${text}`]
  })
  return `{${fields.sort().join(',')}}`
}
