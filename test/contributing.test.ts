import { existsSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { createBuiltinTools, createWorkspace } from '@argot/agent'
import { syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { importGraph, targetFile } from './guards/import-graph.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { readWorkspace, root } from './guards/workspace.ts'

const text = read('CONTRIBUTING.md')
const section = text.slice(text.indexOf('## To add …'))
/** What can be added, each with its sentences. */
const kinds = section.split(/^- (?=\*\*)/m).slice(1)
const workspace = readWorkspace()
const edges = importGraph(workspace, builtinModules)

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function saidOf(kind: string): string | undefined {
  const own = kinds.find(one => one.startsWith(`**${kind}** `))
  return /\((\d+) (?:files?|folder)\b/.exec(own ?? '')?.[1]
}

/** The source files of packages that hold this text. */
function filesWith(pattern: RegExp, folder = 'packages/'): string[] {
  return workspace.flatMap(({ files }) =>
    [...files].filter(([file, source]) => file.startsWith(folder) && pattern.test(source)).map(([file]) => file),
  )
}

function importersOf(file: string): string[] {
  return [...new Set(edges.filter(edge => targetFile(edge) === file).map(edge => edge.file))]
}

/** A newer one of each kind: what was touched for it is the file, and the files that import it. */
test.each([
  ['a dialect', 'packages/core/src/syntax/dialects/cohere.ts'],
  ['a built-in tool', 'packages/agent/src/tool/builtin/grep.ts'],
  ['a model provider', 'packages/agent/src/model/providers/google.ts'],
  ['a command', 'packages/cli/src/commands/replay.ts'],
])('to add %s takes as many source files as CONTRIBUTING.md says', (kind, file) => {
  expect(existsSync(join(root, file)), file).toBe(true)
  const importers = importersOf(file)
  expect(saidOf(kind), importers.join(', ')).toBe(String(1 + importers.length))
})

test('to add a kind of `<tool>` takes as many source files as CONTRIBUTING.md says', () => {
  const own = 'packages/agent/src/tool/source/module.ts'
  const files = new Set([own, ...importersOf(own), ...filesWith(/'module'/)])
  expect(saidOf('a kind of `<tool>`'), [...files].join(', ')).toBe(String(files.size))
})

test('to add an attribute of `<config>` takes as many files of core as CONTRIBUTING.md says', () => {
  const files = filesWith(/reasoning_?effort/i, 'packages/core/src/chatmd/')
  expect(saidOf('an attribute of `<config>`'), files.join(', ')).toBe(String(files.length))
})

test('to add an option of a run takes as many source files as CONTRIBUTING.md says', () => {
  // A trial is one of the programs that use the option.
  const files = filesWith(/\breplyLength\b/).filter(file => !file.startsWith('packages/agent/src/trial/'))
  expect(saidOf('an option of a run'), files.join(', ')).toBe(String(files.length))
})

test('to add an error code takes as many source files as CONTRIBUTING.md says', () => {
  const files = filesWith(/'STREAM_GAP'/)
  expect(saidOf('an error code'), files.join(', ')).toBe(String(files.length))
})

test('to add a route takes as many source files as CONTRIBUTING.md says', () => {
  const own = 'packages/server/src/routes/models.ts'
  const files = new Set([own, ...importersOf(own), ...filesWith(/^ {2}listModels: \{/m, 'packages/server/src/api/')])
  expect(saidOf('a route'), [...files].join(', ')).toBe(String(files.size))
})

test('to add a locale takes one file: English is only what applies without one', () => {
  expect(saidOf('a locale')).toBe('1')
  expect(importersOf('packages/react/src/locale/english-chat.ts')).toEqual(['packages/react/src/index.ts'])
})

test('to add a part renderer takes one file: they are looked up by type, and listed nowhere', () => {
  expect(saidOf('a part renderer')).toBe('1')
  expect(filesWith(/\bfindRenderer\(/, 'packages/react/src/').sort()).toEqual([
    'packages/react/src/box/log/custom-part.tsx',
    'packages/react/src/hooks/use-chat-part-renderer.ts',
  ])
})

test('a store has as many interfaces as CONTRIBUTING.md says', () => {
  const store = /export interface Store \{([\s\S]*?)^\}/m.exec(read('packages/agent/src/store/store.ts'))![1]!
  expect(store.match(/^ {2}readonly \w+: [A-Z]\w+$/gm)).toHaveLength(6)
  // The seventh is that of `files(path)`.
  expect(store).toMatch(/^ {2}files\(path: string\): [A-Z]\w+$/m)
  expect(kinds.find(kind => kind.startsWith('**a store** '))).toContain('the seven interfaces')
})

test('a bench is found by its name, and nothing imports it', () => {
  expect(read('bench/run.ts')).not.toMatch(/from '\.\//)
})

test('what is to be done to add something is said in one place, with a number for each kind', () => {
  expect(kinds.length).toBeGreaterThan(10)
  const bare = kinds.filter(kind => !/^\*\*[^*]+\*\* \(\d+ (?:files?|folder)[^)]*\):/.test(kind))
  expect(bare.map(kind => kind.slice(0, 40))).toEqual([])
  const architecture = read('ARCHITECTURE.md')
  expect(architecture.split('## To add …')[1]!.trim().split('\n')).toHaveLength(1)
  const pages = trackedFiles().filter(path => path.endsWith('.md') && !path.startsWith('fixtures/'))
  expect(pages.filter(page => /^##+ To add/m.test(read(page)))).toEqual(['ARCHITECTURE.md', 'CONTRIBUTING.md'])
})

test('every file and folder that is named there exists', () => {
  const files = trackedFiles()
  const named = [...section.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(match => match[1]!)
  expect(named.length).toBeGreaterThan(20)
  const isThere = (path: string): boolean => files.some(file => `/${file}/`.includes(`/${path}/`))
  expect(named.filter(path => !/NN|NAME/.test(path) && !isThere(path))).toEqual([])
})

const tools = createBuiltinTools({ workspace: createWorkspace({ roots: [root] }), refine: async () => '' })

describe('the pages that are named there have', () => {
  test.each(syntaxes.names())('a row or a page for the syntax %s', name => {
    const rows = read('docs/syntaxes/dialects.md')
    expect(existsSync(join(root, `docs/syntaxes/${name}.md`)) || rows.includes(`\n| \`${name}\``)).toBe(true)
  })

  test.each([...tools.keys()])('a section for the tool %s', name => {
    const isAlias = name === 'get_contents'
    expect(read('docs/tools.md')).toMatch(new RegExp(isAlias ? `\`${name}\`` : `^## ${name}$`, 'm'))
  })

  test.each([...read('packages/cli/src/commands/command-list.ts').matchAll(/name: '(\w+)'/g)].map(match => match[1]!))(
    'a row for the command %s',
    name => expect(read('docs/command.md')).toMatch(new RegExp(`^\\|.*\`argot ${name}\\b`, 'm')),
  )
})
