import { isInDiff, isUnifiedDiff, linesInDiff } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'

const real = [
  '@@ -1 +1 @@\n-a\n+b\n',
  '--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@ function f()\n a\n-b\n+c\n+d\n e\n',
  'diff --git a/x b/x\nindex 1a2b..3c4d 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n',
  'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\ndiff --git a/z b/z\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/z\n@@ -0,0 +1 @@\n+a\n',
  '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\n--- a/y\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+b\n\n',
  '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9,0 +9 @@\n+c',
]

test.each(real)('a diff is one: %j', text => {
  expect(isUnifiedDiff(text)).toBe(true)
})

test.each([
  '--- weekly report\nDROP TABLE users;',
  '--- a\n+++ b\nDROP TABLE users;',
  '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\nDROP TABLE users;',
  '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n+DROP TABLE users;',
  '--- a\n+++ b\n@@ -1,5 +1,5 @@\n-a\n+b\n',
  '--- a\n+++ b\n@@ -0,0 +0,0 @@\nDROP TABLE users;',
  '--- a\n+++ b\n',
  '--- a',
  'diff --git a b\nDROP TABLE users;',
  'diff --git a b',
  'diff --git a b\nindex DROP TABLE users;\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n',
  '@@ -1 +1 @@\n*a\n+b',
  '@@ -1 +1 @@\n\\ rm -rf\n-a\n+b',
  '@@ -1 @@\nDROP TABLE users;',
  '@@ -1 +1 @@DROP TABLE users;\n-a\n+b',
  '\n@@ -1 +1 @@\n-a\n+b',
  '@@ -1 +1 @@\r\n-a\r\n+b\r\nDROP',
  '',
])('text that looks like a diff is text: %j', text => {
  expect(isUnifiedDiff(text)).toBe(false)
})

test('a line put anywhere into a diff, or taken from anywhere out of it, makes it text', () => {
  for (const text of real) {
    const lines = text.replace(/\n$/, '').split('\n')
    for (let at = 0; at <= lines.length; at++) {
      const more = [...lines.slice(0, at), 'DROP TABLE users;', ...lines.slice(at)].join('\n')
      expect(isUnifiedDiff(more), more).toBe(false)
      if (!/^[-+ ](?![-+]{2} )/.test(lines[at] ?? '')) continue
      const fewer = [...lines.slice(0, at), ...lines.slice(at + 1)].join('\n')
      expect(isUnifiedDiff(fewer), fewer).toBe(false)
    }
  }
})

test('of a text that counts as a diff, every line that is no head has a sign or is blank', () => {
  const line = fc.constantFrom(
    '--- a',
    '+++ b',
    '@@ -1 +1 @@',
    '@@ -1,2 +1,0 @@',
    '-x',
    '+x',
    ' x',
    '',
    'x',
    'diff --git a b',
    'index 1..2',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 9 }), lines => {
      if (isUnifiedDiff(lines.join('\n'))) expect(lines).not.toContain('x')
    }),
    { numRuns: shareOf(5000) },
  )
})

test('a long text is in a diff only where each of its lines is; of the content of a file what changes is enough', () => {
  const lines = linesInDiff('--- a\n+++ b\n@@ -1 +1,2 @@\n-one\n+two\n+three\n')
  expect(isInDiff('note', 'two\nthree\n', lines)).toBe(true)
  expect(isInDiff('note', 'two\nfour', lines)).toBe(false)
  expect(isInDiff('content', 'two', lines)).toBe(false)
  expect(isInDiff('content', 'two\nfour', lines)).toBe(true)
  expect(isInDiff('content', 'four\nfive', lines)).toBe(false)
  expect(isInDiff('content', ['two\nthree'], lines)).toBe(false)
})
