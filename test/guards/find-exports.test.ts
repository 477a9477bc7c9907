import { expect, test } from 'vitest'
import { findExports } from './find-exports.ts'

/** The exports of `index.ts` among some files of one folder, as `value name` or `type name`. */
function names(files: Record<string, string>): string[] {
  const found = findExports('index.ts', {
    read: file => files[file] ?? '',
    resolve: (_, specifier) => (specifier.startsWith('./') ? specifier.slice(2) : undefined),
  })
  return [...found].map(([name, kind]) => `${kind} ${name}`)
}

test.each([
  [
    'functions and classes',
    'export function f() {} export class C {} export async function* g() {}',
    ['value f', 'value C', 'value g'],
  ],
  ['overloads once', 'export function f(): void; export function f(a?: 1) {}', ['value f']],
  [
    'bound names',
    'export const a = 1, { b, c: [d = 2, ...e], ...f } = x',
    ['value a', 'value b', 'value d', 'value e', 'value f'],
  ],
  ['types', 'export interface A {} export type B = 1; type C = 2', ['type A', 'type B']],
  ['a value and a type of one name', 'export interface A {} export const A = 1', ['value A']],
  ['a list', 'const a = 1; type B = 1; interface C {} export { a, type B, C as D }', ['value a', 'type B', 'type D']],
  ['a default', 'export default function f() {}', ['value default']],
  ['a list of types', 'class A {} export type { A }', ['type A']],
])('findExports finds %s', (_, source, expected) => {
  expect(names({ 'index.ts': source })).toEqual(expected)
})

test.each([
  ['names', `export { f, type A, B as C } from './a.ts'`, ['value f', 'type A', 'type C']],
  ['everything but the default', `export * from './a.ts'`, ['value f', 'type A', 'type B']],
  ['everything as types', `export type * from './a.ts'`, ['type f', 'type A', 'type B']],
  ['a namespace', `export * as a from './a.ts'`, ['value a']],
  [
    'what was imported',
    `import { f, A } from './a.ts'\nimport type { B } from './a.ts'\nexport { f, A, B }`,
    ['value f', 'type A', 'type B'],
  ],
  ['its own name before that of a star', `export type f = 1\nexport * from './a.ts'`, ['type f', 'type A', 'type B']],
  ['through a second file', `export * from './b.ts'`, ['value f', 'type A', 'type B']],
])('follows a re-export of %s', (_, source, expected) => {
  const a = 'export function f() {} export interface A {} export type B = 1; export default 1'
  expect(
    names({ 'index.ts': source, 'a.ts': a, 'b.ts': `export * from './a.ts'\nexport * from './index.ts'` }),
  ).toEqual(expected)
})

test.each([
  ['a comment', '// export const a = 1\n/* export type B = 1 */'],
  ['a string', 'const a = "export const b = 1", c = `\nexport type D = 1\n`'],
])('does not count %s', (_, source) => {
  expect(names({ 'index.ts': source })).toEqual([])
})

test('refuses to re-export everything of an npm package, because the names would not be known', () => {
  expect(() => names({ 'index.ts': `export * from 'yaml'` })).toThrow(`index.ts exports everything of 'yaml'`)
})
