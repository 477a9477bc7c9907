import type { Syntax } from '../syntax/syntax.ts'
import { cutOff, early, limits, noExampleRuns, roundTrip, safeResults } from './call-laws.ts'
import { createGenerator } from './generate.ts'
import type { Law } from './law.ts'
import { Random } from './random.ts'
import { anyCut, linear, noThrow, wholeText } from './text-laws.ts'

/** The laws that every syntax keeps. */
const laws = {
  anyCut,
  roundTrip,
  noThrow,
  wholeText,
  noExampleRuns,
  cutOff,
  early,
  linear,
  limits,
  safeResults,
} satisfies Record<string, Law>

export type LawName = keyof typeof laws

/** `test(name, body)` of Vitest, Jest, Mocha, `node:test` or Bun; `skip` is used where there is one. */
export interface TestFunction {
  (name: string, body: () => void): unknown
  skip?: (name: string, body: () => void) => unknown
}

export interface ConformanceOptions {
  /** How tests are declared. */
  test: TestFunction
  /** Pieces of the syntax, right and wrong, that texts are made of: openers, delimiters, halves of them. */
  shards: readonly string[]
  /** Texts in the syntax, such as the cases of its tests, that are to be cut in every place too. */
  texts?: readonly string[]
  /** The laws that cannot hold for this syntax, each with the reason. */
  skip?: Partial<Record<LawName, string>>
  /** Another seed tries other cases. */
  seed?: number
  /** 1 is what a test run can bear; 10 is a long night. */
  thoroughness?: number
}

/**
 * Declares one test for each law. What is random comes from the seed, so a failure shows the same case every time.
 *
 *     import { testConformance } from 'argot/testing'
 *     import { test } from 'vitest'
 *
 *     testConformance(mySyntax, { test, shards: ['<call>', '</call>', '<ca'] })
 */
export function testConformance(syntax: Syntax, options: ConformanceOptions): void {
  const { test, shards, texts = [], skip = {}, seed = 1, thoroughness = 1 } = options
  for (const [key, law] of Object.entries(laws)) {
    const reason = skip[key as LawName]
    if (reason !== undefined) {
      test.skip?.(`${syntax.name}: ${law.name} (skipped: ${reason})`, () => {})
      continue
    }
    test(`${syntax.name}: ${law.name}`, () => {
      const random = new Random(seed)
      const generate = createGenerator(random, shards)
      law.check({ syntax, shards, texts, random, generate, count: usual => Math.ceil(usual * thoroughness) })
    })
  }
}
