import { isDeepStrictEqual } from 'node:util'
import { ArgotError, type ErrorCode } from '@argot/core'

export function check(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence)
}

/** Throws unless both are the same as JSON. */
export function checkSame(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(toPlainJson(actual), toPlainJson(expected))) return
  throw new Error(
    `${what}: unexpected value.\nfound:    ${describeValue(actual)}\nexpected: ${describeValue(expected)}`,
  )
}

export async function checkRefused(work: () => Promise<unknown>, code: ErrorCode, what: string): Promise<void> {
  let caught: unknown
  try {
    await work()
  } catch (error) {
    if (error instanceof ArgotError && error.code === code) return
    caught = error
  }
  const instead = caught === undefined ? 'succeeded' : `failed with ${String(caught)}`
  throw new Error(`${what} should fail with ${code}, but it ${instead}.`, { cause: caught })
}

/** Rejects if the work takes longer than a store may take. */
export async function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: timed out.`)), LONGEST_MS)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Generous, because a busy machine is slow. */
const LONGEST_MS = 20_000

/** A copy with only what JSON keeps. */
export function toPlainJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text
}
