import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { protectedNames, protectedTails } from '../../../src/files/protected-names.ts'
import { CACHES_AT_HOME, HIDDEN_AT_HOME, HIDDEN_IN_SYSTEM } from '../../../src/tool/sandbox/hidden-paths.ts'

const page = readFileSync(new URL('../../../../../docs/security.md', import.meta.url), 'utf8')

test('docs/security.md lists all that is hidden and all that is protected', () => {
  const wanted = [
    ...[...HIDDEN_AT_HOME, ...CACHES_AT_HOME].map(path => `~/${path}`),
    ...HIDDEN_IN_SYSTEM,
    ...protectedNames,
    ...protectedTails,
  ]
  expect(wanted.filter(name => !page.includes(`\`${name}\``))).toEqual([])
})

test('every test that docs/security.md names exists', () => {
  const files = Array.from(page.matchAll(/\]\((\.\.\/[^)#]+\.test\.ts)\)/g), match => match[1]!)
  expect(files.length).toBeGreaterThan(6)
  for (const file of files) readFileSync(new URL(`../../../../../docs/${file}`, import.meta.url))
})
