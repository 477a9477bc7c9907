import { compareTrials, type TrialCase, type TrialReport } from '@argot/agent/internal'
import { describe, expect, test } from 'vitest'
import { signTest } from '../../src/trial/compare-trials.ts'
import { summarise } from '../../src/trial/summarise.ts'

function toCase(syntax: string, task: string, more: Partial<TrialCase> = {}): TrialCase {
  return {
    syntax,
    task,
    run: 1,
    solved: true,
    failures: [],
    calls: 1,
    wrongCalls: {},
    repairs: 0,
    readerRepairs: 0,
    steps: 2,
    inputTokens: 100,
    outputTokens: 10,
    estimated: false,
    ms: 1000,
    ...more,
  }
}

const tasks = ['a', 'b', 'c'].map(name => ({ name, category: name === 'c' ? 'hard' : 'easy', digest: name }))

describe('a summary', () => {
  test('counts what was tried, and leaves out what the server failed at', () => {
    const error = { code: 'MODEL_SERVER_ERROR', text: 'No.' } as const
    const cases = [
      toCase('xml', 'c', { solved: false, wrongCalls: { 'bad-input': 2, shown: 1 }, ms: 3000, inputTokens: 300 }),
      toCase('xml', 'a', { repairs: 1, readerRepairs: 2, estimated: true, outputTokens: 21 }),
      toCase('xml', 'b', { solved: false, error, inputTokens: 9999, estimated: true }),
    ]
    expect(summarise({ tasks, cases })).toEqual([
      {
        syntax: 'xml',
        runs: 2,
        solved: 1,
        range: [expect.closeTo(0.0945, 3), expect.closeTo(0.9055, 3)],
        errors: 1,
        calls: 2,
        wrongCalls: 3,
        repairs: 1,
        readerRepairs: 2,
        inputTokens: 200,
        outputTokens: 16,
        estimated: true,
        ms: 2000,
        categories: [
          { category: 'easy', runs: 1, solved: 1 },
          { category: 'hard', runs: 1, solved: 0 },
        ],
      },
    ])
  })

  test('has the most solved first, then the fewest tokens, and what was not tried last', () => {
    const error = { code: 'MODEL_SERVER_ERROR', text: 'No.' } as const
    const cases = [
      toCase('failed', 'a', { error }),
      toCase('wrong', 'a', { solved: false }),
      toCase('dear', 'a', { inputTokens: 200 }),
      toCase('cheap', 'a'),
    ]
    expect(summarise({ tasks, cases }).map(({ syntax }) => syntax)).toEqual(['cheap', 'dear', 'wrong', 'failed'])
  })
})

test.each([
  [0, 0, 1],
  [1, 0, 1],
  [5, 0, 0.0625],
  [0, 6, 0.03125],
  [3, 3, 1],
  [10, 2, 0.0386],
  [900, 1100, 0.0000087],
])('that %i tasks are better and %i worse has the chance %f', (better, worse, chance) => {
  expect(signTest(better, worse)).toBeCloseTo(chance, 4)
})

test('a comparison counts how often a task was solved, not whether', () => {
  const report = (solved: readonly boolean[]): TrialReport => ({
    format: 'argot-trial-1',
    model: 'm',
    startedAt: '2031-01-01',
    limits: { maxTokens: 1, maxSeconds: 1 },
    tasks,
    cases: solved.map((one, index) => toCase('xml', 'a', { run: index + 1, solved: one })),
    skipped: [],
  })
  const { syntaxes } = compareTrials(report([true, false]), report([true, true, false]))
  expect(syntaxes).toMatchObject([{ better: ['a'], worse: [], before: { solved: 1 }, after: { solved: 2 } }])
})
