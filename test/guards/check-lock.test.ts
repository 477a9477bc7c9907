import { expect, test } from 'vitest'
import { checkLock, type Lock } from './check-lock.ts'
import type { Manifest } from './workspace.ts'

const manifests = new Map<string, Manifest>([
  ['', { devDependencies: { ai: '6.0.326' } }],
  ['packages/core', { name: '@argot/core', version: '0.1.0', dependencies: { yaml: '^2.9.0' } }],
])

/** A lock file that fits the manifests, with some entries replaced. */
function lock(changes: Lock['packages']): Lock {
  return {
    packages: {
      '': { devDependencies: { ai: '6.0.326' } },
      'packages/core': { name: '@argot/core', version: '0.1.0', dependencies: { yaml: '^2.9.0' } },
      'node_modules/@argot/core': { resolved: 'packages/core', link: true },
      'node_modules/ai': { version: '6.0.326', integrity: 'sha512-a' },
      'node_modules/yaml': { version: '2.9.1', integrity: 'sha512-b' },
      ...changes,
    },
  }
}

test('a lock file that fits passes', () => {
  expect(checkLock(lock({}), manifests)).toEqual([])
})

test.each([
  [
    'a registry',
    { 'node_modules/yaml': { version: '2.9.1', integrity: 'b', resolved: 'http://a/b.tgz' } },
    'names the place',
  ],
  ['a missing integrity', { 'node_modules/yaml': { version: '2.9.1' } }, 'no version or no integrity'],
  ['another range', { 'packages/core': { version: '0.1.0', dependencies: { yaml: '^2.8.0' } } }, 'want yaml ^2.9.0'],
  [
    'another version',
    { 'packages/core': { version: '0.0.9', dependencies: { yaml: '^2.9.0' } } },
    'in the lock file 0.0.9',
  ],
  ['a dependency that is gone', { '': { devDependencies: { ai: '6.0.326', b: '1' } } }, 'want b no more'],
  ['a pin that is not met', { 'node_modules/ai': { version: '6.0.325', integrity: 'a' } }, 'ai is pinned to 6.0.326'],
])('checkLock reports %s', (_, changes, expected) => {
  expect(checkLock(lock(changes), manifests).join('\n')).toContain(expected)
})

test('reports a package that the lock file does not have', () => {
  const more = new Map<string, Manifest>([...manifests, ['packages/agent', {}]])
  expect(checkLock(lock({}), more)).toEqual(['packages/agent is not in the lock file; run `npm install`.'])
})
