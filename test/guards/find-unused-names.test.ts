import { expect, test } from 'vitest'
import { findUnusedNames, typesByDeclaration, wordsOf } from './find-unused-names.ts'

const source = `
export interface Options { deep?: Inner }
export interface Inner { a: string }
export type Lost = string
export function make(options: Options): Made { const lost: Lost = ''; return lost as never }
export const value: Kind = 1
`

test('typesByDeclaration gives the types that a signature names, and not those of its body', () => {
  const types = typesByDeclaration('a.ts', source)
  expect([...types.get('make')!]).toEqual(expect.arrayContaining(['Options', 'Made']))
  expect([...types.get('make')!]).not.toContain('Lost')
  expect([...types.get('value')!]).toEqual(['Kind'])
})

test('findUnusedNames finds what nothing outside uses, and no signature that is used', () => {
  const types = typesByDeclaration('a.ts', source)
  const names = ['make', 'Options', 'Inner', 'Lost', 'Made', 'value', 'Kind']
  expect(findUnusedNames({ names, words: wordsOf('import { make } from it'), types })).toEqual([
    'Kind',
    'Lost',
    'value',
  ])
  expect(findUnusedNames({ names, words: wordsOf('a makes value'), types })).toEqual([
    'Inner',
    'Lost',
    'Made',
    'Options',
    'make',
  ])
})
