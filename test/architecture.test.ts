import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { contracts, folders, packages } from './drawings.ts'
import { type ArchitectureRules, checkArchitecture } from './guards/check-architecture.ts'
import { importGraph, targetFile } from './guards/import-graph.ts'
import { readWorkspace, root, type WorkspacePackage } from './guards/workspace.ts'

const reactFolders = ['packages/react/src', 'apps/web/src', 'apps/gallery/src', 'apps/playground/src']

/** The drawings, and what else ARCHITECTURE.md promises of imports. */
const rules: ArchitectureRules = {
  packages,
  folders,
  contracts,
  node: ['packages/agent', 'packages/server', 'packages/postgres', 'packages/cli', 'packages/create-argot'],
  only: [
    { name: 'yaml', folders: ['packages/core/src/syntax'] },
    { name: 'react', folders: reactFolders },
    { name: 'react-dom', folders: reactFolders },
  ],
  bare: {
    'packages/core': [
      { name: 'yaml', folder: 'syntax' },
      { name: '@ai-sdk/provider', folder: 'ai-sdk', typeOnly: true },
    ],
  },
  bundled: ['packages/cli'],
  computed: ['packages/agent/src/tool/source/load-module.ts'],
  // `@ai-sdk/provider` is an optional peer: only those who import the bridge need its types.
  never: [
    { from: 'packages/core/src/index.ts', to: ['packages/core/src/syntax', 'yaml', '@ai-sdk/provider'] },
    { from: 'packages/core/src/convert/index.ts', to: ['@ai-sdk/provider'] },
    // A page of somebody else's has neither Node nor the agent.
    { from: 'packages/server/src/api/index.ts', to: ['packages/agent', 'packages/server/src/routes', 'node:'] },
  ],
}

test('every import in the source follows an arrow of the diagrams, and none closes a circle', () => {
  expect(checkArchitecture(readWorkspace(), rules)).toEqual([])
})

test('a dialect is a table over the generators, which know no dialect', () => {
  const dialects = 'packages/core/src/syntax/dialects/'
  const found = importGraph(readWorkspace(), builtinModules).flatMap(edge => {
    const to = targetFile(edge) ?? ''
    const isBackwards = edge.file.includes('/syntax/generators/') && to.startsWith(dialects)
    const isNoTable = edge.file.startsWith(dialects) && /\/syntax\/(?:reader|value|teach|block)\//.test(to)
    return isBackwards || isNoTable ? [`${edge.file}:${edge.import.line} imports ${to}`] : []
  })
  expect(found).toEqual([])
})

/** The files of the source, by path. */
const sources = readWorkspace().flatMap(({ files }) => [...files].filter(([file]) => /\/src\/.*\.tsx?$/.test(file)))

/** Places in the source where a pattern matches, apart from files whose path the exception matches. */
function places(pattern: RegExp, exception?: RegExp): string[] {
  return sources
    .filter(([file]) => exception?.test(file) !== true)
    .flatMap(([file, text]) =>
      text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : [])),
    )
}

/** Functions over the limit of complexity, by file, and why each is not split. */
const complexFiles: Readonly<Record<string, string>> = {}

/** What keeps the linter from measuring: the rule by its name, its group, or all rules. */
const unmeasured = /biome-ignore(?:-all|-start)? lint(?:\/complexity(?:\/noExcessiveCognitiveComplexity)?)?:/

test('the linter measures every function of the source, and none has a cognitive complexity over 30', () => {
  const { linter, overrides } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'))
  const limit = { level: 'error', options: { maxAllowedComplexity: 30 } }
  expect(linter.rules.complexity.noExcessiveCognitiveComplexity).toEqual(limit)
  expect(overrides.flatMap(({ includes }: { includes: string[] }) => includes)).toEqual([
    '**/test/**',
    'bench/**',
    'scripts/**',
  ])
  expect(places(unmeasured).map(place => place.replace(/:\d+$/, ''))).toEqual(Object.keys(complexFiles))
})

test.each([
  'biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one walk',
  'biome-ignore lint/complexity: one walk',
  'biome-ignore-all lint: one walk',
])('`%s` counts as not measured', comment => {
  expect(comment).toMatch(unmeasured)
})

test('nobody but a syntax asks which syntax it is: others ask for its kind', () => {
  expect(places(/[!=]== native\b/)).toEqual([])
})

test('what is said in several places is written in one: what an object is, and that a run was stopped', () => {
  const isRecord = /^ *return typeof (\w+) === 'object' && \1 !== null && !Array\.isArray\(\1\)$/
  expect(places(isRecord, /\/source\/is-record\.ts$/)).toEqual([])
  expect(places(/was stopped before this call finished/, /\/settlement\.ts$/)).toEqual([])
  expect(places(/\\\{\\\{\\s\*\(.*tools/, /\/teach\/prompt\.ts$/)).toEqual([])
})

test('core compiles on its own, where the globals of Node do not exist', async () => {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'packages/core/tsconfig.json', '--noEmit']
  const output = await promisify(execFile)(process.execPath, args, { cwd: root }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
  expect(output).toBe('')
})

/** A small workspace that keeps all rules, with some files replaced or added. */
function workspace(changes: Record<string, string>): WorkspacePackage[] {
  const files: Record<string, string> = {
    'packages/core/src/index.ts': `export * from './stream/chunk.ts'`,
    'packages/core/src/source/position.ts': 'export type Position = number',
    'packages/core/src/message/message.ts': `import type { Position } from '../source/position.ts'\nexport let at: Position`,
    'packages/core/src/stream/chunk.ts': `export { at } from '../message/message.ts'\nexport type * from '../source/position.ts'`,
    'packages/core/src/syntax/caret.ts': `import { parse } from 'yaml'\nimport { at } from '../stream/chunk.ts'\nparse(at)`,
    'packages/core/src/chatmd/lexer.ts': `export { at } from '../stream/chunk.ts'`,
    'packages/core/src/convert/convert.ts': `export { at } from '../chatmd/lexer.ts'\nexport * from '../source/position.ts'`,
    'packages/core/src/ai-sdk/middleware.ts': `import type { A } from '@ai-sdk/provider'\nexport * from '../syntax/caret.ts'`,
    'packages/agent/src/loop.ts': `import { readFile } from 'node:fs'\nimport { at } from '@argot/core'\nexport { readFile, at }`,
    'packages/server/src/index.ts': 'export let a: 1',
    'packages/server/src/api/index.ts': 'export type A = 1',
    'packages/react/src/adapters/a.ts': `import type { A } from '@argot/server/api'\nexport let a: A`,
    'packages/cli/src/main.ts': `import { at } from '@argot/core'\nimport { Command } from 'commander'\nimport './help.md?raw'`,
    'packages/cli/src/help.md': 'import nothing',
    ...changes,
  }
  const manifests: Record<string, WorkspacePackage['manifest']> = {
    'packages/server': {
      name: '@argot/server',
      exports: {
        '.': { '@argot/source': './src/index.ts' },
        './api': { '@argot/source': './src/api/index.ts' },
      },
    },
    'packages/core': {
      name: '@argot/core',
      exports: { '.': { '@argot/source': './src/index.ts' } },
      dependencies: { yaml: '2' },
      peerDependencies: { '@ai-sdk/provider': '3' },
    },
    'packages/agent': { name: '@argot/agent', exports: { '.': { '@argot/source': './src/loop.ts' } } },
    'packages/cli': { name: '@argot/cli', dependencies: { commander: '14' } },
  }
  const folders = new Set(Object.keys(files).map(file => file.split('/').slice(0, 2).join('/')))
  return [...folders].map(folder => ({
    folder,
    manifest: manifests[folder] ?? {},
    files: new Map(Object.entries(files).filter(([file]) => file.startsWith(`${folder}/`))),
  }))
}

test('a workspace that keeps the rules passes', () => {
  expect(checkArchitecture(workspace({}), rules)).toEqual([])
})

const core = 'packages/core/src'

test.each([
  ['an arrow upwards', `${core}/source/a.ts`, `import '../stream/chunk.ts'`, 'no arrow leads from source to stream'],
  ['an arrow of types', `${core}/source/a.ts`, `let a: import('../message/message.ts').M`, 'from source to message'],
  ['syntax and chatmd side by side', `${core}/syntax/a.ts`, `import '../chatmd/lexer.ts'`, 'from syntax to chatmd'],
  ['chatmd and syntax side by side', `${core}/chatmd/a.ts`, `export * from '../syntax/caret.ts'`, 'chatmd to syntax'],
  [
    'convert reaching the middleware',
    `${core}/convert/index.ts`,
    `import '../ai-sdk/middleware.ts'`,
    'must not reach @ai-sdk/provider',
  ],
  ['the bridge in a parser', `${core}/syntax/a.ts`, `import '../ai-sdk/middleware.ts'`, 'from syntax to ai-sdk'],
  ['an undrawn folder', `${core}/extras/a.ts`, '', 'packages/core/src/extras is not drawn'],
  ['an undrawn package', 'packages/extra/src/a.ts', '', 'packages/extra is not drawn'],
  ['a module of Node in core', `${core}/stream/a.ts`, `import 'node:fs'`, 'imports no module of Node'],
  ['a module of Node by its old name', `${core}/stream/a.ts`, `await import('fs/promises')`, 'no module of Node'],
  ['the types of Node in core', `${core}/stream/a.ts`, `/// <reference types="node" />`, 'no such npm package'],
  ['React in core', `${core}/stream/a.ts`, `import type { A } from 'react'`, 'may import react'],
  ['React in the agent', 'packages/agent/src/a.ts', `import 'react/jsx-runtime'`, 'may import react'],
  [
    'another npm package in core',
    `${core}/syntax/a.ts`,
    `import 'zod'`,
    'syntax in packages/core imports no such npm package',
  ],
  [
    'yaml outside the syntaxes',
    `${core}/chatmd/a.ts`,
    `import 'yaml'`,
    'only packages/core/src/syntax may import yaml',
  ],
  ['yaml in another package', 'packages/agent/src/a.ts', `import 'yaml'`, 'may import yaml'],
  ['types of the AI SDK elsewhere', `${core}/stream/a.ts`, `import type { A } from '@ai-sdk/provider'`, 'no such npm'],
  ['code of the AI SDK', `${core}/ai-sdk/a.ts`, `import { A } from '@ai-sdk/provider'`, 'only types may be imported'],
  [
    'an undeclared dependency',
    'packages/cli/src/a.ts',
    `import 'chalk'`,
    'packages/cli/package.json does not declare chalk',
  ],
  ['a path into another package', 'packages/agent/src/a.ts', `import '../../core/src/index.ts'`, 'go by name'],
  ['a path out of src', `${core}/stream/a.ts`, `import '../../test/a.ts'`, 'must stay in packages/core/src'],
  [
    'a package that no arrow leads to',
    `${core}/stream/a.ts`,
    `import '@argot/agent'`,
    'from packages/core to packages/agent',
  ],
  [
    'a door that is not there',
    'packages/agent/src/a.ts',
    `import '@argot/core/stream/chunk.ts'`,
    'packages/core do not have it',
  ],
  [
    'values of a door of types',
    'packages/react/src/store/a.ts',
    `import { A } from '@argot/server/api'`,
    'only types may be imported from packages/server/src/api/index.ts',
  ],
  [
    'types of another door of that package',
    'packages/react/src/store/a.ts',
    `import type { A } from '@argot/server'`,
    'from packages/react to packages/server',
  ],
  [
    'a door of types in a package that may not',
    'apps/gallery/src/a.ts',
    `import type { A } from '@argot/server/api'`,
    'from apps/gallery to packages/server',
  ],
  ['a package importing itself', `${core}/stream/a.ts`, `import '@argot/core'`, 'files go by relative path'],
  ['a computed import', 'packages/agent/src/a.ts', `await import(name)`, 'imports a computed path'],
  ['a file that is not there', `${core}/stream/a.ts`, `import './chunk.js'`, 'no such file'],
  ['a file importing itself', `${core}/stream/a.ts`, `import './a.ts'`, 'in a circle'],
])('the guard of imports reports %s', (_, file, text, expected) => {
  const found = checkArchitecture(workspace({ [file]: text }), rules)
  expect(found.join('\n')).toContain(expected)
  expect(found).toHaveLength(1)
})

test('reports a circle of three files, types included, as one way round', () => {
  const found = checkArchitecture(
    workspace({
      [`${core}/stream/a.ts`]: `import type { B } from './b.ts'`,
      [`${core}/stream/b.ts`]: `export type * from './c.ts'`,
      [`${core}/stream/c.ts`]: `export let a: import('./a.ts').A`,
    }),
    rules,
  )
  expect(found).toEqual([
    `${core}/stream/a.ts → ${core}/stream/b.ts → ${core}/stream/c.ts → ${core}/stream/a.ts: files must not import each other in a circle.`,
  ])
})

test('reports every way on which the root export reaches the syntaxes and yaml', () => {
  const found = checkArchitecture(
    workspace({
      [`${core}/stream/a.ts`]: `import '../syntax/caret.ts'`,
      [`${core}/index.ts`]: `import './stream/a.ts'`,
    }),
    rules,
  )
  expect(found).toContain(
    `${core}/index.ts → ${core}/stream/a.ts → ${core}/syntax/caret.ts → yaml: ${core}/index.ts must not reach yaml.`,
  )
  expect(found.some(one => one.endsWith(`must not reach ${core}/syntax.`))).toBe(true)
})

test('names the file, the line, the import and the rule', () => {
  expect(checkArchitecture(workspace({ [`${core}/source/a.ts`]: `\n\nimport '../stream/chunk.ts'` }), rules)).toEqual([
    `${core}/source/a.ts:3 imports '../stream/chunk.ts': no arrow leads from source to stream in the diagram of packages/core.`,
  ])
})
