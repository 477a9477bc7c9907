import { expect, test } from 'vitest'
import { findExports, type SourceFiles } from './find-exports.ts'
import { createTypeSearch } from './find-unnamed-types.ts'

/** What `index.ts` among some files of one folder mentions and does not export, as `type of name`. */
function unnamed(files: Record<string, string>, others: readonly string[] = []): string[] {
  const sources: SourceFiles = {
    read: file => files[file] ?? '',
    resolve: (_, specifier) => (specifier.startsWith('./') ? specifier.slice(2) : undefined),
  }
  const search = createTypeSearch(sources, door => findExports(door, sources))
  return search.findUnnamed(['index.ts'], others).map(({ name, of }) => `${name} of ${of}`)
}

const types = 'interface A {} interface B {} interface C {}'

test.each([
  ['what a function takes and gives', 'export function f(a: A): B {}', ['A of f', 'B of f']],
  [
    'what is inside of another type',
    'export function f(a: readonly A[]): Promise<B | C> {}',
    ['A of f', 'B of f', 'C of f'],
  ],
  [
    'overloads, and not their implementation',
    'export function f(a: A): B; export function f(a: C): B {}',
    ['A of f', 'B of f'],
  ],
  ['methods and callbacks', 'export interface I { m(a: A): void; on?: (b: B) => C }', ['A of I', 'B of I', 'C of I']],
  [
    'public members of a class',
    'export class K { constructor(a: A) {} m(): B {} get c(): C {} }',
    ['A of K', 'B of K', 'C of K'],
  ],
  ['a function that is a value', 'export const f: (a: A) => B = x', ['A of f', 'B of f']],
  [
    'a class that is a type: what its methods give',
    'class K { constructor(a: A) {} m(): B {} } export type { K }',
    ['B of K'],
  ],
])('findUnnamed finds %s', (_, source, expected) => {
  expect(unnamed({ 'index.ts': `${types} ${source}` })).toEqual(expected)
})

test.each([
  ['fields, which have a name through their owner', 'export interface I { a: A; b: B[] }'],
  ['members of a union', 'export type U = A | B'],
  [
    'bodies and values',
    'export function f(x = (a: A) => 1) { const b: B = x; return (c: C) => b } export const v = (1 as unknown) as A',
  ],
  ['private members', 'export class K { #a(a: A): B {} private c(c: C): void {} }'],
  ['type parameters', 'export function f<T extends string, A>(t: T, a: A): T extends (infer B)[] ? B : T {}'],
  ['types of other packages and of the language', `import type { X } from 'x'; export function f(x: X): Date {}`],
  ['what is exported under another name', 'export function f(a: A): void {} export type { A as Z }'],
  ['functions that are not exported', 'function f(a: A): B {}'],
])('findUnnamed leaves out %s', (_, source) => {
  expect(unnamed({ 'index.ts': `${types} ${source}` })).toEqual([])
})

const elsewhere = {
  'a.ts': `import type { B } from './b.ts'; export interface A { b(): B } export function f(a: A): B {}`,
  'b.ts': 'export interface B {} export function g(c: C): void {} interface C {}',
}

test('findUnnamed follows imports and re-exports to the declaration', () => {
  expect(unnamed({ ...elsewhere, 'index.ts': `export { f } from './a.ts'` })).toEqual(['A of f', 'B of f'])
  expect(unnamed({ ...elsewhere, 'index.ts': `export * from './a.ts'` })).toEqual(['B of A'])
  expect(
    unnamed({ ...elsewhere, 'index.ts': `export { f, type A } from './a.ts'; export type * from './b.ts'` }),
  ).toEqual(['C of g'])
})

test('findUnnamed takes what other doors export as named, and does not look at their signatures', () => {
  expect(unnamed({ ...elsewhere, 'index.ts': `export * from './a.ts'; export * from './b.ts'` }, ['b.ts'])).toEqual([])
})
