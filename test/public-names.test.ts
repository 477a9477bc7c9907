import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ExportKind, findExports, type SourceFiles } from './guards/find-exports.ts'
import { findImports } from './guards/find-imports.ts'
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

/** `@argot/core/stream/internal` and the like: for the packages of this repository alone. */
const isInternal = (door: string): boolean => door.endsWith('/internal')

const publicDoors = sorted(
  sources.filter(({ name }) => !isInternal(name)).map(({ name, file }) => [name, sorted(names(file))]),
)

test('the public names are those of the list', () => {
  if (process.env.UPDATE) writeFileSync(list, `${JSON.stringify(publicDoors, null, 2)}\n`)
  expect(publicDoors, 'Run with UPDATE=1 if this is meant.').toEqual(JSON.parse(readFileSync(list, 'utf8')))
})

test('there are at most 340 public names', () => {
  expect(Object.values(publicDoors).reduce((sum, door) => sum + Object.keys(door).length, 0)).toBeLessThanOrEqual(340)
})

/** Doors of types that an application augments, which reaches what they pass on by a star. */
const augmented = ['@argot/core/types', '@argot/react/types']

test.each(Object.entries(publicDoors))('every name of %s is in the code of a page or of an example', (_door, kinds) => {
  const missing = Object.keys(kinds).filter(name => !shownWords().has(name))
  expect(missing, 'Show it on a page or in an example, or move it to the internal door.').toEqual([])
})

let shown: Set<string> | undefined

/** The words in code: whole example programs, and the fenced blocks and code spans of pages. */
function shownWords(): Set<string> {
  if (shown !== undefined) return shown
  shown = new Set()
  for (const path of trackedFiles()) {
    const isPage = /^(?:README\.md|docs\/(?!decisions\/).*\.md|packages\/[^/]+\/README\.md)$/.test(path)
    if (!isPage && !/^examples\/.*\.[mt]sx?$/.test(path)) continue
    const text = readFileSync(join(root, path), 'utf8')
    const code = isPage ? [...text.matchAll(/^```.*?^```|`[^`\n]+`/gms)].map(([block]) => block).join('\n') : text
    for (const [word] of code.matchAll(/[\w$]+/g)) shown.add(word)
  }
  return shown
}

describe('internal doors', () => {
  const importers = trackedFiles()
    .filter(path => isSource(path))
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => text.includes('/internal'))
    .map(({ path, text }) => ({ path, text, doors: findImports(path, text).map(({ specifier = '' }) => specifier) }))
    .filter(({ doors }) => doors.some(isInternal))

  test('are imported by our packages, apps, tests and benches only', () => {
    const ours = /^(?:packages|apps|test|bench|scripts)\//
    expect(importers.map(({ path }) => path).filter(path => !ours.test(path))).toEqual([])
  })

  test('appear on no page', () => {
    const pages = trackedFiles().filter(path => /^(?:README\.md|docs\/(?!decisions\/).*\.md)$/.test(path))
    const pattern = /@argot\/[\w/-]+\/internal/
    expect(pages.filter(path => pattern.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  test.each(sources.filter(({ name }) => isInternal(name)))(
    'every name of $name is used outside its package',
    ({ name, file }) => {
      const own = `${workspace.find(({ folder }) => file.startsWith(`${folder}/`))!.folder}/src/`
      const users = importers.filter(({ path, doors }) => !path.startsWith(own) && doors.includes(name))
      const words = new Set(users.flatMap(({ text }) => text.match(/[\w$]+/g) ?? []))
      expect(
        [...names(file).keys()].filter(one => !words.has(one)),
        'Take it out of the door.',
      ).toEqual([])
    },
  )
})

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
    // Style sheets have types for those whose compiler looks for some: none, in one file for all.
    const path = targets['@argot/source']!.replace(/^\.\/(.*)\.css$/, '$1')
    return expect(targets).toEqual({
      '@argot/source': `./${path}.css`,
      types: './styles.d.ts',
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
