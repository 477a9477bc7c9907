import { isDeepStrictEqual } from 'node:util'
import { type Accumulator, accumulate, type Chunk, type Message } from '@argot/core'
import type { Envelope } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'

/** So many generated cases stand behind each law. */
export const cases: number = shareOf(10_000)

/** A law: holds for every generated case, or fails with the seed and the smallest case that breaks it. */
export function check<T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, law), { numRuns: cases })
}

/** An accumulator whose clock stands still and whose ids are known. */
export function folder(options: Parameters<typeof accumulate>[0] = {}): Accumulator {
  let id = 0
  return accumulate({ now: () => 0, nextId: () => `generated-${id++}`, ...options })
}

/** All messages of a whole stream. */
export function fold(
  chunks: Iterable<Chunk | Envelope>,
  options: Parameters<typeof accumulate>[0] = {},
): readonly Message[] {
  const folding = folder(options)
  for (const chunk of chunks) folding.push(chunk)
  folding.end()
  return folding.messages
}

/** The value as a reader of its JSON sees it. */
export function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Equal in every field. Told quickly where they are, and with a readable difference where they are not. */
export function same(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected)
}
