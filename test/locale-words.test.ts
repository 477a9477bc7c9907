import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findLiterals } from './guards/find-literals.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

const components = trackedFiles().filter(path => /^packages\/react\/src\/.*\.tsx$/.test(path))

test('no component of React has words of its own: all of them are in the locale', () => {
  const literals = components.flatMap(path => findLiterals(path, readFileSync(join(root, path), 'utf8')))
  expect(literals, 'Put it into packages/react/src/locale.').toEqual([])
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
