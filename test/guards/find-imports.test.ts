// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are part of the source text under test
import { expect, test } from 'vitest'
import { findImports } from './find-imports.ts'

/** `specifier` for an import with effects, `type specifier` for one that only the compiler sees. */
function imports(source: string, path = 'file.ts'): string[] {
  return findImports(path, source).map(({ specifier, typeOnly }) => (typeOnly ? `type ${specifier}` : `${specifier}`))
}

test.each([
  ['an import of values', `import { a } from './a.ts'`, ['./a.ts']],
  ['an import for its effects', `import './a.css'`, ['./a.css']],
  ['an import over many lines', `import {\n  a, // from './no.ts'\n  type B,\n}\n  from\n  "./a.ts"`, ['./a.ts']],
  ['an import without spaces', `import{a}from'./a.ts';import*as b from"./b.ts"`, ['./a.ts', './b.ts']],
  ['an import of types', `import type { A } from './a.ts'`, ['type ./a.ts']],
  ['an import of a value called type', `import type from './a.ts'`, ['./a.ts']],
  ['an import of single types, which still loads the module', `import { type A } from './a.ts'`, ['./a.ts']],
  ['an import with attributes', `import a from './a.json' with { type: 'json' }`, ['./a.json']],
  ['a re-export of names', `export { a as b, type C } from './a.ts'`, ['./a.ts']],
  ['a re-export of everything', `export * from './a.ts'\nexport * as b from './b.ts'`, ['./a.ts', './b.ts']],
  [
    'a re-export of types',
    `export type * from './a.ts'\nexport type { B } from './b.ts'`,
    ['type ./a.ts', 'type ./b.ts'],
  ],
  ['a dynamic import', `const a = await import('./a.ts')`, ['./a.ts']],
  ['a dynamic import in a template', 'const text = `${(await import(`./a.ts`)).name} from "./no.ts"`', ['./a.ts']],
  ['a dynamic import with a computed name', 'await import(`./${name}.ts`)', ['undefined']],
  [
    'an import as a type',
    `let a: typeof import('./a.ts') | import("./b.ts").B<string>[]`,
    ['type ./a.ts', 'type ./b.ts'],
  ],
  ['an import with require', `import a = require('a')\nconst b = require('b')`, ['a', 'b']],
  ['a reference directive', `/// <reference types="node" />\nexport {}`, ['type node']],
  ['an escaped name', `import '\\u002e/a.ts'`, ['./a.ts']],
])('findImports finds %s', (_, source, expected) => {
  expect(imports(source)).toEqual(expected)
})

test.each([
  ['a line comment', `// import './a.ts'\n//// <reference types="node" />`],
  ['a block comment', `/* import './a.ts' */ /** {@link import('./a.ts')} */`],
  ['a string', `const a = "import './a.ts'", b = 'it\\'s import("./a.ts")'`],
  ['a template', "const a = `\nimport './a.ts'\n${'import(\"./a.ts\")'} export * from './a.ts'`"],
  ['a nested template', "const a = `${`import('./a.ts') ${1 / 2}`} import './a.ts'`"],
  ['a regular expression', `const a = /import '.\\/a.ts'/, b = 4 / 2 / 1, c = /['"\`/*]/`],
  ['a property called import', `a.import('./a.ts'); const b = { import: './a.ts', from: './a.ts' }`],
  ['an export of its own', `export const from = './a.ts'; export { from as default }`],
  ['import.meta', `new URL('./a.ts', import.meta.url)`],
])('does not count %s', (_, source) => {
  expect(imports(source)).toEqual([])
})

test('reads the text of JSX as text', () => {
  const source = `const a = <p title="import './a.ts'">Don't import('./a.ts') \`{import('./b.ts')}</p>\nexport * from './c.ts'`
  expect(imports(source, 'file.tsx')).toEqual(['./b.ts', './c.ts'])
})

test('gives the line of each import', () => {
  expect(
    findImports('file.ts', `\nimport './a.ts'\n\nexport {\n  b,\n} from './b.ts'`).map(({ line }) => line),
  ).toEqual([2, 4])
})

test('refuses a file that does not parse instead of finding nothing in it', () => {
  expect(() => findImports('broken.ts', `import { from './a.ts'`)).toThrow('broken.ts does not parse')
})
