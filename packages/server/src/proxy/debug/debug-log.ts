import type { AcceptedCall } from '../reply/call-desk.ts'
import type { Remark } from '../reply/remark.ts'

export interface DebugRecord {
  id: number
  at: string
  method: string
  path: string
  model: string | undefined
  client: string
  status: number
  ms: number | undefined
  /** `read`: tools went upstream natively. `teach`: as a lesson. `pass`: nothing was parsed. */
  mode: 'read' | 'teach' | 'pass'
  tools: string[]
  attempts: DebugAttempt[]
  error: string | undefined
}

export interface DebugAttempt {
  /** The model's text, including its calls. */
  written: string
  reasoning: string
  calls: AcceptedCall[]
  remarks: readonly Remark[]
  finishReason: string | undefined
}

const LONGEST_TEXT = 32 * 1024

/** The last requests, in memory only. Secrets are removed before anything is cut or stored. */
export class DebugLog {
  readonly #records: DebugRecord[] = []
  readonly #most: number
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Newest first. */
  get records(): readonly DebugRecord[] {
    return [...this.#records].reverse()
  }

  begin(fields: Omit<DebugRecord, 'id' | 'attempts' | 'error' | 'status' | 'ms'>): DebugRecord {
    const record: DebugRecord = {
      id: ++this.#count,
      status: 0,
      ms: undefined,
      attempts: [],
      error: undefined,
      ...fields,
    }
    if (this.#most <= 0) return record
    this.#records.push(record)
    if (this.#records.length > this.#most) this.#records.shift()
    return record
  }
}

export function toAttempt(attempt: DebugAttempt, secrets: readonly string[]): DebugAttempt {
  const clean = (text: string): string => cut(redact(text, secrets))
  return {
    ...attempt,
    written: clean(attempt.written),
    reasoning: clean(attempt.reasoning),
    calls: attempt.calls.slice(0, 64).map(call => ({ ...call, json: clean(call.json) })),
    remarks: attempt.remarks.slice(0, 64).map(remark => ({ ...remark, message: clean(remark.message) })),
  }
}

/** Replaces each secret, and anything else that looks like a key. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) clean = clean.replaceAll(secret, '[key]')
  return clean
    .replaceAll(/\b(?:sk|pk|rk|gsk|xai|hf|ghp|key)[-_][\w-]{12,}/g, '[key]')
    .replaceAll(/\bBearer\s+[\w.~+/-]{8,}=*/gi, 'Bearer [key]')
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT
    ? text
    : `${text.slice(0, LONGEST_TEXT)}\n… ${text.length - LONGEST_TEXT} more characters`
}
