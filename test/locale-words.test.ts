import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findLiterals } from './guards/find-literals.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

const components = trackedFiles().filter(path => /^(?:packages\/react|apps\/web)\/src\/.*\.tsx$/.test(path))

/** Names, which are the same in every language. */
const names = /: (?:Argot|argot keys set|\.chatmd)$/

test('no component of React or of the page has words of its own: all of them are in a locale', () => {
  const literals = components.flatMap(path => findLiterals(path, readFileSync(join(root, path), 'utf8')))
  expect(
    literals.filter(one => !names.test(one)),
    'Put it into packages/react/src/locale, or into apps/web/src/locale.',
  ).toEqual([])
})

test('words are noticed in texts, names, conditions and templates, and not in class names or comparisons', () => {
  const source = `const One = () => (
    <p className="of class" aria-label="A name" title={is ? 'Yes it is' : other}>
      A text {state === 'running' && 'Runs'} {words.close} {\`\${count} files\`} <b>·</b>
    </p>
  )`
  expect(findLiterals('one.tsx', source)).toEqual([
    'one.tsx:2: A name',
    'one.tsx:2: Yes it is',
    'one.tsx:3: A text',
    'one.tsx:3: Runs',
    'one.tsx:3: files',
  ])
})
