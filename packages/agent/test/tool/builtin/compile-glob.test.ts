import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileGlob } from '../../../src/files/compile-glob.ts'

test.each([
  ['*.*', ['a.b'], ['.a', '.a.b', 'a']],
  ['*.ts', ['a.ts', 'ä😀.ts'], ['a.tsx', 'src/a.ts', '.ts', 'a.TS', '']],
  ['**/*.ts', ['a.ts', 'src/a.ts', 'a/b/c.ts'], ['a.js', '.hidden/a.ts', 'a/.b/c.ts', '/a.ts']],
  ['src/**', ['src/a', 'src/a/b'], ['src', 'srcs/a', 'src/.a', 'src/a/.b']],
  ['src/**/test/*.ts', ['src/test/a.ts', 'src/a/b/test/a.ts'], ['src/a.ts', 'src/test/x/a.ts']],
  ['**', ['a', 'a/b'], ['.a', 'a/.b', '']],
  ['**/', [], ['a', 'a/b']],
  ['a?c', ['abc', 'a😀c'], ['ac', 'a/c', 'abbc']],
  ['?a', ['ba'], ['.a', 'a']],
  ['[abc].md', ['a.md', 'b.md'], ['d.md', 'ab.md']],
  ['[a-c0-9].md', ['b.md', '5.md'], ['d.md', '-.md']],
  ['[!a].md', ['b.md'], ['a.md', '/.md', '.md']],
  ['[^a]x', ['bx'], ['ax', '.x']],
  ['[]a]x', [']x', 'ax'], ['bx']],
  ['[a-]x', ['-x', 'ax'], ['bx']],
  ['[ab', ['[ab'], ['a', 'b']],
  ['a[b/c]d', ['a[b/c]d'], ['abd']],
  ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.js', 'a.{ts,tsx}']],
  ['{src,test}/**/*.ts', ['src/a.ts', 'test/b/a.ts'], ['lib/a.ts']],
  ['{a,b/{c,d}}/x', ['a/x', 'b/c/x', 'b/d/x'], ['b/x', 'c/x']],
  ['{**/a,b}.md', ['a.md', 'x/a.md', 'b.md'], ['x/b.md']],
  ['x{,.bak}', ['x', 'x.bak'], ['x.', 'xbak']],
  ['{a}', ['a'], ['{a}']],
  ['{a', ['{a'], ['a']],
  ['a,b}', ['a,b}'], ['a']],
  ['\\*.md', ['*.md'], ['a.md']],
  ['a\\{b,c}', ['a{b,c}'], ['ab']],
  ['a**b', ['ab', 'axxb'], ['a/b', 'ax/xb']],
  ['***/a', ['a', 'x/a'], ['.x/a']],
  ['.github/**', ['.github/a'], ['github/a', '.github/.a']],
  ['.*', ['.a'], ['a']],
  ['**/.env', ['.env', 'a/.env'], ['env', '.a/.env']],
  ['a//b', ['a//b'], ['a/b']],
  ['__proto__', ['__proto__'], ['x']],
])('the pattern %s matches what it says, and nothing else', (pattern, good, bad) => {
  const glob = compileGlob(pattern)
  for (const path of good) expect([path, glob.matches(path)]).toEqual([path, true])
  for (const path of bad) expect([path, glob.matches(path)]).toEqual([path, false])
})

test.each([
  ['src/**/*.ts', ['src', 'src/a', 'src/a/b'], ['test', 'srcs', 'src/.a']],
  ['*.ts', [], ['src', 'a']],
  ['{a,b}/*', ['a', 'b'], ['c', 'a/b']],
  ['.github/*', ['.github'], ['.git', 'github']],
])('%s looks only into folders where something can be', (pattern, good, bad) => {
  const glob = compileGlob(pattern)
  for (const path of good) expect([path, glob.mayMatchIn(path)]).toEqual([path, true])
  for (const path of bad) expect([path, glob.mayMatchIn(path)]).toEqual([path, false])
})

test.each([
  ['many stars', '*a'.repeat(400), 'a'.repeat(4000)],
  ['many folders', '**/'.repeat(300), `${'a/'.repeat(1000)}b`],
  ['many choices', '{a,b}'.repeat(200), 'ab'.repeat(1000)],
  ['nested choices', '{'.repeat(300) + 'a,b}'.repeat(250), 'ab'.repeat(1000)],
  ['stars in choices', '{*,**/*}'.repeat(120), 'a/'.repeat(1000)],
  ['open brackets', '['.repeat(1000), '['.repeat(1000)],
  ['open braces', '{,'.repeat(500), '{,'.repeat(500)],
])('%s take no more time than their length says', (_, pattern, path) => {
  const glob = compileGlob(pattern)
  expect(glob.matches(`${path}/.`)).toBe(false)
})

test('a pattern without wildcards matches itself and nothing else, also after other paths', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', 'ä', '😀', '-'), maxLength: 12 })
  fc.assert(
    fc.property(name, fc.array(name, { maxLength: 5 }), (pattern, paths) => {
      const glob = compileGlob(pattern)
      for (const path of [...paths, pattern, ...paths]) expect(glob.matches(path)).toBe(path === pattern)
    }),
  )
})

test('a brace stands for the patterns that it says', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '/'), maxLength: 4 })
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 })
  fc.assert(
    fc.property(piece, piece, path, (one, other, text) => {
      // The stars at the edge of a choice have other neighbours when they stand in a row with it.
      const glob = compileGlob(`{${one},${other}}`)
      expect(glob.matches(text)).toBe(compileGlob(one).matches(text) || compileGlob(other).matches(text))
    }),
  )
})
