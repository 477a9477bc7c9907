import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkLock, type Lock } from './guards/check-lock.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { type Manifest, readManifest, root } from './guards/workspace.ts'

/** So many cases are tried in every run. */
const FEW_CASES = 300

interface Ban {
  what: string
  pattern: RegExp
  /** The files it holds for, all by default. */
  files?: RegExp
}

/** What no file of the repository may contain. */
const bans: readonly Ban[] = [
  { what: 'the address of a registry', pattern: /"resolved":\s*"https?:/ },
  {
    what: 'a path of the machine it was written on',
    pattern: /(?<![\w.~-])\/(?:work\/|farm\/|tmp\/wt\b)/,
  },
  { what: 'a test that keeps all others from running', pattern: /\.only\s*\(/, files: /\.[cm]?[jt]sx?$/ },
  {
    what: 'a test for half of a surrogate pair, which is in packages/core/src/source/surrogates.ts',
    pattern: /\b0xd(?:800|bff|c00|fff)\b/i,
    files: /^(?:packages|apps)\/[^/]+\/src\/(?!source\/surrogates\.ts|tool\/builtin\/grep-worker\.ts)/,
  },
  {
    what: '`AbortSignal.any`, which keeps a signal in memory while somebody listens to it (use tool/linked-signal.ts)',
    pattern: /AbortSignal\.any\(/,
    files: /^(?:packages|apps)\/[^/]+\/src\//,
  },
  { what: 'a mark of an unfinished merge', pattern: /^(?:<{7} |>{7} )/m },
]

function banned(path: string, text: string): string[] {
  return bans.flatMap(({ what, pattern, files }) => {
    const match = files === undefined || files.test(path) ? pattern.exec(text) : null
    if (match === null) return []
    return [`${path}:${text.slice(0, match.index).split('\n').length} contains ${what}: ${match[0].trim()}`]
  })
}

test('no file contains what belongs to one machine or one moment', () => {
  const found = trackedFiles().flatMap(path => {
    const bytes = readFileSync(join(root, path))
    return bytes.includes(0) ? [] : banned(path, bytes.toString('utf8'))
  })
  expect(found).toEqual([])
})

test.each([
  ['package-lock.json', `"resolved": ${'"'}http://localhost/x.tgz"`, 'the address of a registry'],
  ['docs/a.md', `see ${'/'}work/shared/DESIGN.md`, 'a path of the machine'],
  ['docs/a.md', `(${'/'}tmp/wt)`, 'a path of the machine'],
  ['a.json', `"${'/'}farm/x"`, 'a path of the machine'],
  ['a.test.ts', `describe${'.'}only('a', () => {})`, 'keeps all others from running'],
  ['a.test.ts', `test${'.'}only\n('a', () => {})`, 'keeps all others from running'],
  ['a.ts', `a\n${'<'.repeat(7)} HEAD`, 'unfinished merge'],
  ['packages/agent/src/a.ts', 'AbortSignal.any([signal])', 'AbortSignal.any'],
  ['packages/react/src/a.ts', 'code >= 0xd800', 'half of a surrogate pair'],
])('finds in %s: %s', (path, text, expected) => {
  expect(banned(path, text).join()).toContain(expected)
})

test.each([
  ['docs/a.md', 'node_modules/x/work/y, https://example.org/work/, ~/work/, the network/workspace'],
  ['docs/a.md', 'Write `read-only (never written)` and `.only`.'],
  ['package-lock.json', '"resolved": "packages/core"'],
  ['packages/core/src/source/surrogates.ts', 'code === 0xd800'],
])('lets pass in %s: %s', (path, text) => {
  expect(banned(path, text)).toEqual([])
})

test('a law with many cases takes its share of them from the one constant', () => {
  const found = trackedFiles()
    .filter(path => /\/test\/.*\.tsx?$/.test(path))
    .flatMap(path =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/numRuns: ([\d_]+)\b/g)]
        .filter(([, count]) => Number(count!.replaceAll('_', '')) > FEW_CASES)
        .map(([text]) => `${path} ${text}`),
    )
  expect(found, 'Say `numRuns: shareOf(…)`, of test/share-of-cases.ts.').toEqual([])
})

test('the lock file says what the manifests say, and no registry', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const folders = trackedFiles().filter(path => /^(?:(?:packages|apps)\/[^/]+\/)?package\.json$/.test(path))
  const manifests = folders.map((path): [string, Manifest] => {
    const folder = path.replace(/\/?package\.json$/, '')
    return [folder, readManifest(folder)]
  })
  expect(checkLock(lock, new Map(manifests))).toEqual([])
})

test('npm is told to leave the registry out of the lock file', () => {
  expect(readFileSync(join(root, '.npmrc'), 'utf8').split('\n')).toContain('omit-lockfile-registry-resolved=true')
})
