import type { Syntax } from '../syntax/syntax.ts'
import { cutOff, early, limits, noExampleRuns, roundTrip, safeResults, streaming } from './call-laws.ts'
import { createGenerator } from './generate.ts'
import { noHiddenRuns } from './hidden-law.ts'
import type { Law, Place } from './law.ts'
import { Random } from './random.ts'
import { openReasoning } from './reasoning-law.ts'
import { anyCut, linear, noThrow, wholeText } from './text-laws.ts'

/** The laws that every syntax keeps, by the names under which `skip` knows them. */
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
  /** What a call is decided with, where `format` writes more after it: a wrapper that may hold several calls. */
  decidedBy?: string
  /** The laws that cannot hold for this syntax, each with the reason. */
  skip?: Partial<Record<LawName, string>>
  /** The places in which this syntax's real calls are, so that they do not hide calls; each with the reason. */
  livesIn?: Partial<Record<Place, string>>
  /** Another seed tries other cases. */
  seed?: number
  /** 1 is what a test run can bear; 10 is a long night. */
  thoroughness?: number
}

/**
 * Declares one test for each law. What is random comes from the seed, so a failure shows the same case every time.
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
