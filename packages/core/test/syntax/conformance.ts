import type { Syntax } from '@argot/core/syntax'
import * as testing from '@argot/core/testing'
import { describe } from 'vitest'
import { seed, share } from '../../../../test/share-of-cases.ts'

/** The laws of every syntax, on the share of their cases that is wanted. The seed is named, so that a failure shows it. */
export function testConformance(syntax: Syntax, options: Parameters<typeof testing.testConformance>[1]): void {
  describe(`seed ${seed}`, () => {
    testing.testConformance(syntax, { ...options, seed, thoroughness: (options.thoroughness ?? 1) * share })
  })
}
