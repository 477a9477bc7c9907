import { readFileSync } from 'node:fs'
import { stripAnsi } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTestRun, type TestRun } from '../../src/bodies/kinds/read-test-run.ts'
import { readTestValue } from '../../src/bodies/kinds/read-test-value.ts'

const folder = new URL('../../../../fixtures/outputs/', import.meta.url)

function read(name: string): TestRun {
  return readTestRun(stripAnsi(readFileSync(new URL(`${name}.txt`, folder), 'utf8')))!
}

/** "1 2 3 first failure | second": failed, passed, skipped, and the names. */
function summary({ failed, passed, skipped, failures }: TestRun): string {
  return `${failed} ${passed} ${skipped} ${failures.map(({ name }) => name).join(' | ')}`
}

describe('what test runners print', () => {
  test.each([
    ['vitest', '3 1 1 b.test.ts > math > subtracts | b.test.ts > math > same 1 | b.test.ts > math > same 2'],
    ['jest', '1 2 1 math › subtracts'],
    ['node-spec', '1 1 1 subtracts'],
    ['node-tap', '1 1 1 subtracts'],
    ['pytest', '2 1 1 test_a.py::test_sub | test_a.py::TestX::test_in'],
    ['cargo', '1 1 1 tests::subtracts'],
    ['go-verbose', '1 2 1 TestSub/small'],
    ['go', '2 1 0 TestSub | TestDiv'],
  ])('%s', (name, expected) => {
    expect(summary(read(name))).toBe(expected)
  })

  test.each([
    ['vitest', 'AssertionError: expected 2 to be 1', 'Test Files'],
    ['jest', 'Expected: 1', 'Test Suites'],
    ['node-spec', 'test at a.test.mjs:5:3', 'ℹ'],
    ['node-tap', "error: '2 == 1'", '1..2'],
    ['pytest', 'E   assert -1 == 3', 'boom'],
    ['cargo', 'panicked at src/lib.rs:4:30', 'test result'],
    ['go-verbose', 'math_test.go:14: got 2, want 1', 'math_test.go:30'],
    ['go', 'math_test.go:14: got 2, want 1', 'division'],
  ])('%s gives each failure its own lines', (name, inside, outside) => {
    const { trace } = read(name).failures[0]!
    expect(trace).toContain(inside)
    expect(trace).not.toContain(outside)
  })

  test('tests that fail in one way share a trace', () => {
    const { failures } = read('vitest')
    expect(failures[1]!.trace).toContain('expected 1 to be +0')
    expect(failures[2]!.trace).toBe(failures[1]!.trace)
  })

  test('names those that passed, as far as they are printed', () => {
    expect(read('cargo').passes).toEqual(['tests::adds'])
    expect(read('node-spec').passes).toEqual(['adds'])
    expect(read('go').passes).toEqual(['example.com/app/text'])
  })

  test.each(['', 'ok', 'All tests passed', 'Tests: none', '3 passed', 'exit 0, no output', 'tests 46\npass 46'])(
    'is not %j',
    text => {
      expect(readTestRun(text)).toBeUndefined()
    },
  )

  test('law: any text is read without a fault, and a line of 2 MB as quickly as many', () => {
    const lines = readdir().flatMap(text => text.split('\n'))
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lines), { maxLength: 60 }), some => {
        const run = readTestRun(some.join('\n'))
        for (const { trace } of run?.failures ?? []) expect(typeof trace).toBe('string')
      }),
      { numRuns: 300 },
    )
    for (const line of ['Tests  1 failed (1)', '# pass 1', 'ℹ pass 1', '== 1 passed in 1s', '--- FAIL: a (0s)']) {
      expect(() => readTestRun(`${line}\n${'--- FAIL: a x '.repeat(140_000)}\n${line}`)).not.toThrow()
      expect(() => readTestRun(`${line}\n${'--- FAIL: a\nnot ok a\n'.repeat(60_000)}${line}`)).not.toThrow()
    }
  })
})

function readdir(): string[] {
  return ['vitest', 'jest', 'node-spec', 'node-tap', 'pytest', 'cargo', 'go', 'go-verbose'].map(name =>
    stripAnsi(readFileSync(new URL(`${name}.txt`, folder), 'utf8')),
  )
}

describe('reports as objects', () => {
  test.each<[string, unknown, string]>([
    [
      'jest and vitest --json',
      {
        numTotalTests: 3,
        numPassedTests: 1,
        numFailedTests: 1,
        numPendingTests: 1,
        testResults: [
          {
            name: '/a.test.js',
            assertionResults: [
              { fullName: 'math adds', status: 'passed' },
              { fullName: 'math subtracts', status: 'failed', failureMessages: ['Error: no\n    at x.js:1:1'] },
              { fullName: 'math later', status: 'pending' },
            ],
          },
        ],
      },
      '1 1 1 math subtracts',
    ],
    [
      'mocha',
      {
        stats: { tests: 2, passes: 1, failures: 1, pending: 0 },
        tests: [{ fullTitle: 'a' }, { fullTitle: 'b', err: { message: 'no', stack: 'Error: no' } }],
        failures: [{ fullTitle: 'b', err: { message: 'no', stack: 'Error: no' } }],
      },
      '1 1 0 b',
    ],
    [
      'pytest-json-report',
      {
        summary: { passed: 1, failed: 1, total: 2 },
        tests: [
          { nodeid: 'a.py::x', outcome: 'passed' },
          { nodeid: 'a.py::y', outcome: 'failed', call: { longrepr: 'assert 1 == 2' } },
        ],
      },
      '1 1 0 a.py::y',
    ],
    [
      'JUnit',
      {
        testsuites: [
          {
            name: 's',
            tests: 3,
            testcase: [
              { name: 'x', classname: 'A' },
              { name: 'y', classname: 'A', failure: { message: 'no', text: 'at A.y(A.java:3)' } },
              { name: 'z', classname: 'A', skipped: {} },
            ],
          },
        ],
      },
      '1 1 1 A > y',
    ],
    ['counts', { passed: 3, failed: 1, total: 4, failures: [{ name: 'x', message: 'no' }] }, '1 3 0 x'],
  ])('%s', (_, value, expected) => {
    const run = readTestValue(value)!
    expect(summary(run)).toBe(expected)
    expect(run.failures[0]!.trace).not.toBe('')
  })

  test.each([
    [{}],
    [{ passed: 3 }],
    [{ passed: 3, failed: 1 }],
    [{ tests: [{ name: 'x' }] }],
    [{ items: [{ status: 'failed' }] }],
  ])('is not %j', value => {
    expect(readTestValue(value)).toBeUndefined()
  })
})
