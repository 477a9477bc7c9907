import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorCode } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { errorCodes } from '../packages/core/src/source/error.ts'
import { errorRows } from './guards/error-rows.ts'
import { findStrings } from './guards/find-strings.ts'
import { isSource, readWorkspace, root } from './guards/workspace.ts'

/** Where the codes are declared; a mention there is no use. */
const declaration = 'packages/core/src/source/error.ts'

/** Codes whose code is still to be written. Each leaves this list with its first use. */
const notUsedYet: readonly ErrorCode[] = []

const rows = errorRows(readFileSync(join(root, 'docs/errors.md'), 'utf8'))

const used = new Set(
  readWorkspace()
    .flatMap(({ files }) => [...files])
    .filter(([file]) => isSource(file) && file !== declaration)
    .flatMap(([file, text]) => findStrings(file, text)),
)

describe.each(errorCodes)('%s', code => {
  test('has one row in docs/errors.md, under the heading of its area', () => {
    const own = rows.filter(row => row.code === code)
    expect(own.map(({ section }) => `${section.toUpperCase()}_`)).toEqual([code.slice(0, code.indexOf('_') + 1)])
  })

  test('is used in the source, besides its declaration', () => {
    expect(used.has(code)).toBe(!notUsedYet.includes(code))
  })
})

/** The codes that `onError` of a chat is given. */
function reactCodes(): string[] {
  const source = readFileSync(join(root, 'packages/react/src/types/chat-callbacks.ts'), 'utf8')
  const union = /interface ChatError \{\s*code:([\s\S]*?)\n {2}message/.exec(source)![1]!
  return [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code!)
}

test('docs/errors.md has a row for every code of `onError` in React', () => {
  const own = rows.filter(({ section }) => section === 'React').map(({ code }) => code)
  expect(own.sort()).toEqual(reactCodes().sort())
})

test('docs/errors.md has no row for a code that does not exist', () => {
  const codes: readonly string[] = [...errorCodes, ...reactCodes()]
  expect(rows.filter(({ code }) => !codes.includes(code))).toEqual([])
})

/** A sentence, or several; the meaning may end with an example in code. */
test.each(rows)('$code is explained in complete sentences', ({ meaning, cure }) => {
  for (const text of [meaning, cure]) expect(text).toMatch(/^[A-Z`].*[.`]$/)
})
