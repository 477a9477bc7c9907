import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ExportKind, findExports, type SourceFiles } from './guards/find-exports.ts'
import { findUnusedNames, typesByDeclaration, wordsOf } from './guards/find-unused-names.ts'
import { exportSource } from './guards/import-graph.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { isSource, readWorkspace, root, type WorkspacePackage } from './guards/workspace.ts'

/** Every public name, by entry. `UPDATE=1` rewrites it; a reviewer reads the difference. */
const list = join(root, 'test/public-names.json')

const workspace = readWorkspace().filter(one => one.folder.startsWith('packages/'))

interface Entry {
  /** What a user writes after `from`. */
  name: string
  /** From the root; undefined for what is not source, such as a style sheet. */
  file: string | undefined
  targets: string | Record<string, string>
}

const entries: Entry[] = workspace.flatMap(({ folder, manifest }) =>
  Object.entries(manifest.exports ?? {})
    .filter(([key]) => key !== './package.json')
    .map(([key, targets]) => {
      const source = exportSource(manifest, key)
      const file = source !== undefined && isSource(source) ? posix.join(folder, source) : undefined
      return { name: posix.join(manifest.name ?? folder, key), file, targets }
    }),
)

/** By file: what a door exports is asked for by several tests. */
const namesOf = new Map<string, Map<string, ExportKind>>()

const sources = entries.flatMap(({ name, file }) => (file === undefined ? [] : [{ name, file }]))

const found = sorted(sources.map(({ name, file }) => [name, sorted(names(file))]))

test('the public names are those of the list', () => {
  if (process.env.UPDATE) writeFileSync(list, `${JSON.stringify(found, null, 2)}\n`)
  expect(found, 'Run with UPDATE=1 if this is meant.').toEqual(JSON.parse(readFileSync(list, 'utf8')))
})

/** Doors of types that an application augments, which reaches what they pass on by a star. */
const augmented = ['@argot/core/types', '@argot/react', '@argot/react/types']

/** Where a name is shown or used: examples, pages, benches, and what is published or built of other packages. */
const showing =
  /^(?:README\.md|docs\/(?!decisions\/).*\.md|(?:examples|bench)\/.*\.[mt]sx?|(?:packages|apps)\/[^/]+\/(?:src\/.*\.tsx?|README\.md))$/

let words: Map<string, Set<string>> | undefined

/** The words of each file that shows something. */
function shown(): Map<string, Set<string>> {
  words ??= new Map(
    trackedFiles()
      .filter(path => showing.test(path))
      .map(path => [path, wordsOf(readFileSync(join(root, path), 'utf8'))]),
  )
  return words
}

test.each(workspace.map(({ folder, manifest }) => [manifest.name ?? folder, folder]))(
  'every public name of %s is used by an example, a page or another package, or by the signature of one that is',
  (name, folder) => {
    const isOwn = (path: string): boolean => path.startsWith(`${folder}/src/`)
    const types = new Map<string, ReadonlySet<string>>()
    for (const path of trackedFiles().filter(path => isOwn(path) && isSource(path))) {
      for (const [declared, named] of typesByDeclaration(path, readFileSync(join(root, path), 'utf8'))) {
        types.set(declared, new Set([...(types.get(declared) ?? []), ...named]))
      }
    }
    const doors = Object.entries(found).filter(([door]) => door === name || door.startsWith(`${name}/`))
    const names = [...new Set(doors.flatMap(([, kinds]) => Object.keys(kinds)))]
    const words = [...shown()].flatMap(([path, found]) => (isOwn(path) ? [] : [...found]))
    const message = 'Show it in an example or on a page, or take it out of the door.'
    expect(findUnusedNames({ names, words, types }), message).toEqual([])
  },
)

test('the list is sorted', () => {
  const text = readFileSync(list, 'utf8')
  const parsed = JSON.parse(text) as Record<string, Record<string, string>>
  const inOrder = sorted(Object.entries(parsed).map(([name, kinds]) => [name, sorted(Object.entries(kinds))]))
  expect(text).toBe(`${JSON.stringify(inOrder, null, 2)}\n`)
})

describe.each(sources)('$name', ({ name, file }) => {
  test('gives at run time the values that its source exports', async () => {
    const module = (await import(/* @vite-ignore */ name)) as object
    const values = [...names(file)].filter(([, kind]) => kind === 'value').map(([one]) => one)
    expect(Object.keys(module).sort()).toEqual(values.sort())
  })

  test('lists its names one by one, so that a reader sees what is public', () => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    const stars = augmented.includes(name) ? [] : lines.filter(line => /^export\s+(?:type\s+)?\*\s+from\b/.test(line))
    expect(stars).toEqual([])
  })

  test('exports no default, which every user would call differently', () => {
    expect(names(file).has('default')).toBe(false)
  })
})

test.each(entries)('$name leads to the same file in source, in types and when built', ({ name, file, targets }) => {
  expect(name, 'A pattern hides what is public.').not.toContain('*')
  if (typeof targets === 'string') return
  if (file === undefined) {
    // A style sheet has types for those whose compiler looks for some.
    const path = targets['@argot/source']!.replace(/^\.\/(.*)\.css$/, '$1')
    return expect(targets).toEqual({
      '@argot/source': `./${path}.css`,
      types: `./${path}.d.ts`,
      default: `./dist/${path}.css`,
    })
  }
  const path = targets['@argot/source']?.replace(/^\.\/src\/(.*)\.tsx?$/, '$1')
  expect(targets).toEqual({
    '@argot/source': expect.stringMatching(/^\.\/src\/.*\.tsx?$/),
    types: `./dist/${path}.d.ts`,
    default: `./dist/${path}.js`,
  })
  expect(Object.keys(targets), 'Conditions are tried in this order.').toEqual(['@argot/source', 'types', 'default'])
})

function names(file: string): Map<string, ExportKind> {
  const known = namesOf.get(file) ?? readNames(file)
  namesOf.set(file, known)
  return known
}

function readNames(file: string): Map<string, ExportKind> {
  return findExports(file, sourceFiles())
}

function sourceFiles(): SourceFiles {
  return {
    read: path => readFileSync(join(root, path), 'utf8'),
    resolve: (from, specifier) =>
      specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : sourceOfPackage(specifier, workspace),
  }
}

function sourceOfPackage(specifier: string, packages: readonly WorkspacePackage[]): string | undefined {
  for (const { folder, manifest } of packages) {
    const { name } = manifest
    if (name === undefined || (specifier !== name && !specifier.startsWith(`${name}/`))) continue
    const source = exportSource(manifest, `.${specifier.slice(name.length)}`)
    if (source !== undefined) return posix.join(folder, source)
  }
  return undefined
}

function sorted<T>(pairs: Iterable<[string, T]>): Record<string, T> {
  return Object.fromEntries([...pairs].sort(([a], [b]) => (a < b ? -1 : 1)))
}
