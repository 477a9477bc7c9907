import type { Syntax } from '../syntax/syntax.ts'
import { cutOff, early, limits, noExampleRuns, roundTrip, safeResults, streaming } from './call-laws.ts'
import { createGenerator } from './generate.ts'
import { noHiddenRuns } from './hidden-law.ts'
import type { Law, QuotePlace } from './law.ts'
import { Random } from './random.ts'
import { openReasoning } from './reasoning-law.ts'
import { anyCut, linear, noThrow, wholeText } from './text-laws.ts'

/** The laws every syntax keeps, by the names `skip` uses. */
export type LawName =
  | 'anyCut'
  | 'roundTrip'
  | 'noThrow'
  | 'wholeText'
  | 'noExampleRuns'
  | 'noHiddenRuns'
  | 'openReasoning'
  | 'cutOff'
  | 'early'
  | 'streaming'
  | 'linear'
  | 'limits'
  | 'safeResults'

const laws: Record<LawName, Law> = {
  anyCut,
  roundTrip,
  noThrow,
  wholeText,
  noExampleRuns,
  noHiddenRuns,
  openReasoning,
  cutOff,
  early,
  streaming,
  linear,
  limits,
  safeResults,
}

/** `test(name, body)` from Vitest, Jest, Mocha, `node:test` or Bun. `skip` is used if available. */
export interface TestFunction {
  (name: string, body: () => void): unknown
  skip?: (name: string, body: () => void) => unknown
}

export interface ConformanceOptions {
  test: TestFunction
  /** Pieces of the syntax, right and wrong, for building texts: openers, delimiters, halves of them. */
  shards: readonly string[]
  /** Texts in the syntax, such as its test cases, to cut in every place too. */
  texts?: readonly string[]
  /** The text that decides a call, if `format` writes more after it: a wrapper that may hold several calls. */
  decidedBy?: string
  /** Laws that can't hold for this syntax, each with the reason. */
  skip?: Partial<Record<LawName, string>>
  /** Places where this syntax has real calls, so that they don't hide calls. Each with the reason. */
  livesIn?: Partial<Record<QuotePlace, string>>
  /** A different seed tries different cases. */
  seed?: number
  /** 1 suits a test run; 10 takes a long night. */
  thoroughness?: number
}

/**
 * Declares one test for each law. Randomness comes from the seed, so a failure shows the same case every time.
 *
 *     import { testConformance } from '@argot/core/testing'
 *     import { test } from 'vitest'
 *
 *     testConformance(mySyntax, { test, shards: ['<call>', '</call>', '<ca'] })
 */
export function testConformance(syntax: Syntax, options: ConformanceOptions): void {
  const { test, shards, texts = [], decidedBy = '', skip = {}, livesIn = {}, seed = 1, thoroughness = 1 } = options
  for (const [key, law] of Object.entries(laws)) {
    const reason = skip[key as LawName]
    if (reason !== undefined) {
      test.skip?.(`${syntax.name}: ${law.name} (skipped: ${reason})`, () => {})
      continue
    }
    const exceptions = key === 'noExampleRuns' || key === 'noHiddenRuns' ? Object.entries(livesIn) : []
    const except = exceptions.map(([place, why]) => ` (not in a ${place}: ${why})`).join('')
    test(`${syntax.name}: ${law.name}${except}`, () => {
      const random = new Random(seed)
      const generate = createGenerator(random, shards)
      const count = (usual: number) => Math.ceil(usual * thoroughness)
      law.check({ syntax, shards, texts, decidedBy, livesIn, random, generate, count })
    })
  }
}
