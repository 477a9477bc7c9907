import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ExportKind, findExports } from './guards/find-exports.ts'
import { exportSource } from './guards/import-graph.ts'
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

const sources = entries.flatMap(({ name, file }) => (file === undefined ? [] : [{ name, file }]))

const found = sorted(sources.map(({ name, file }) => [name, sorted(names(file))]))

test('the public names are those of the list', () => {
  if (process.env.UPDATE) writeFileSync(list, `${JSON.stringify(found, null, 2)}\n`)
  expect(found, 'Run with UPDATE=1 if this is meant.').toEqual(JSON.parse(readFileSync(list, 'utf8')))
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

  test('exports no default, which every user would call differently', () => {
    expect(names(file).has('default')).toBe(false)
  })
})

test.each(entries)('$name leads to the same file in source, in types and when built', ({ name, targets }) => {
  expect(name, 'A pattern hides what is public.').not.toContain('*')
  if (typeof targets === 'string') return
  const path = targets['@argot/source']?.replace(/^\.\/src\/(.*)\.tsx?$/, '$1')
  expect(targets).toEqual({
    '@argot/source': expect.stringMatching(/^\.\/src\/.*\.tsx?$/),
    types: `./dist/${path}.d.ts`,
    default: `./dist/${path}.js`,
  })
  expect(Object.keys(targets), 'Conditions are tried in this order.').toEqual(['@argot/source', 'types', 'default'])
})

function names(file: string): Map<string, ExportKind> {
  return findExports(file, {
    read: path => readFileSync(join(root, path), 'utf8'),
    resolve: (from, specifier) =>
      specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : sourceOfPackage(specifier, workspace),
  })
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
