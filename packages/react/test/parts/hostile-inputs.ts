import fc from 'fast-check'

const diff = '--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@ DROP INDEX i;\n-- users\n++ users\n x\n'

/** Texts that hide, look like something else, or are drawn as something else. */
export const hostileTexts: readonly string[] = [
  '--- weekly report\nDROP TABLE users;',
  `${diff}DROP TABLE users;`,
  diff,
  'diff --git a b\nDROP TABLE users;',
  '@@ -1 +1 @@\n-a\n+b',
  '# title\n\n- [x](javascript:alert(1)) <b>bold</b> <!-- hidden -->\n\n```\ncode',
  '<script>alert(1)</script><img src=x onerror=alert(1)>&amp;',
  '\u001b[2K\u001b[1A\u001b[31mred\u001b[0m\rover',
  `data:image/png;base64,${'iVBORw0KGgo'.repeat(20)}`,
  'photo\u202egnp.exe',
  'pay\u200bpal\u{e0072}\u{e006d}\u00ad\ufeff\u2028\u2029\u3164',
  '\\u{202e} is not \u202e',
  'it\'s `a` $(b) "c" \\ ; | & > <',
  '  two  blanks  \t tab ',
  '\n\nlines\n\n',
  'a\n',
  'a\r\nb\r\n',
  '',
  ' ',
  'constructor',
  'null',
  'x'.repeat(9000),
  `${'word '.repeat(3000)}end`,
  Array.from({ length: 120 }, (_, at) => `line ${at}`).join('\n'),
  'مرحبا שלום हिन्दी 👩‍👩‍👧',
]

const names = [
  ...['command', 'cmd', 'script', 'args', 'argv', 'path', 'file_path', 'content', 'text', 'patch', 'diff', 'query'],
  ...['search', 'replace', 'old_string', 'new_string', 'before', 'after', 'files', 'zero_based', 'zeroBased', 'Path'],
  ...['__proto__', 'constructor', 'toString', '', ' ', 'a\nb', 'pass\u202eword', 'k\u200by', 'x'.repeat(300), '<b>'],
]

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileTexts) },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.constantFrom(...hostileTexts), { maxLength: 3 }).map(texts => texts.join('\n')),
)
const key = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, fc.string({ unit: 'binary', maxLength: 12 }))

/** Any input of a call, as JSON gives it. */
export const hostileInput: fc.Arbitrary<unknown> = fc
  .letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      { weight: 6, arbitrary: hostileText },
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    ),
    input: fc.oneof({ weight: 8, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 6 }) }, tie('value')),
  }))
  .input.map(value => JSON.parse(JSON.stringify(value)) as unknown)

/** Every key and every string of a value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)])
}
