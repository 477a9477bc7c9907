import { expect, test } from 'vitest'
import { findSpreads } from './find-spreads.ts'

test.each([
  ['a ternary', 'export const a = { ...(b === undefined ? {} : { b }) }', 'conditional'],
  ['a ternary the other way round', 'export const a = { ...(b ? { b } : {}) }', 'conditional'],
  ['an and', 'export const a = { ...(b !== undefined && { b }) }', 'conditional'],
  ['an and over lines', 'export const a = {\n  ...(b &&\n    ({ b })),\n}', 'conditional'],
  ['a literal', 'export const a = { ...{ b, c } }', 'literal'],
])('%s in an object is found', (_, text, kind) => {
  expect(findSpreads('a.ts', text).map(one => one.kind)).toEqual([kind])
})

test.each([
  ['a variable', 'export const a = { ...b }'],
  ['a call', 'export const a = { ...defined({ b }) }'],
  ['a default', 'export const a = { ...(b ?? c) }'],
  ['a choice between two that exist', 'export const a = { ...(d ? b : c) }'],
  ['a list', 'export const a = [...(b ? [1] : [])]'],
])('%s is not', (_, text) => {
  expect(findSpreads('a.ts', text)).toEqual([])
})
