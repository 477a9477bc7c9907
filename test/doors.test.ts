import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { browserDoors, doorTests } from './doors.ts'
import { findImports, type Import } from './guards/find-imports.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

const publicNames = JSON.parse(readFileSync(join(root, 'test/public-names.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>

/** What a test imports, with all that its own helpers import. */
function importsOf(file: string, seen: Set<string> = new Set()): Import[] {
  if (seen.has(file) || !/\.tsx?$/.test(file)) return []
  seen.add(file)
  const found = findImports(file, readFileSync(join(root, file), 'utf8'))
  return found.flatMap(one =>
    one.specifier?.startsWith('.') === true
      ? [one, ...importsOf(posix.join(posix.dirname(file), one.specifier), seen)]
      : [one],
  )
}

const uses = doorTests
  // What is compiled or listed is not used.
  .filter(file => !file.startsWith('test/'))
  .map(file => ({ file, imports: existsSync(join(root, file)) ? importsOf(file) : [] }))

test('the tests of the doors are there', () => {
  expect(doorTests.filter(file => !existsSync(join(root, file)))).toEqual([])
})

test('something is done on what is built through every door that has values', () => {
  const used = new Set(
    uses.flatMap(({ imports }) => imports.filter(({ typeOnly }) => !typeOnly)).map(one => one.specifier),
  )
  const doors = Object.entries(publicNames).filter(([, kinds]) => Object.values(kinds).includes('value'))
  expect(
    doors.map(([door]) => door).filter(door => !used.has(door)),
    'Add a test to test/doors.ts that imports this door, and no source by its path.',
  ).toEqual([])
})

test('no test of the doors reads source by its path, which would not be what is built', () => {
  const reading = uses.flatMap(({ file, imports }) =>
    imports
      .filter(({ specifier, typeOnly }) => !typeOnly && /\/src\//.test(specifier ?? ''))
      .map(({ specifier }) => `${file} ${specifier}`),
  )
  expect(reading).toEqual([])
})

test('every door that a test in the browser imports is in the bundle that a run makes', () => {
  const tests = trackedFiles().filter(file => file.endsWith('.browser.test.tsx'))
  expect(tests).not.toEqual([])
  const used = new Set(
    tests.flatMap(file => importsOf(file).flatMap(one => (one.typeOnly ? [] : [one.specifier ?? '']))),
  )
  const doors = [...used].filter(specifier => Object.hasOwn(publicNames, specifier))
  expect(doors.sort(), 'Correct browserDoors in test/doors.ts.').toEqual([...browserDoors].sort())
})

test('what is packed is compiled against through every door, types included', () => {
  const pack = readFileSync(join(root, 'test/pack.test.ts'), 'utf8')
  expect(Object.keys(publicNames).filter(door => !pack.includes(` from '${door}'\n`))).toEqual([])
})
