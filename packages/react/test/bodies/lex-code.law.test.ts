import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeLanguage, detectLanguage } from '../../src/bodies/code/code-language.ts'
import { type CodeToken, lexLine, type OpenToken } from '../../src/bodies/code/lex-code.ts'

const languages = ['ts', 'py', 'sh', 'html', 'css', 'sql', 'rs', 'go', 'lua', 'json', 'yaml', 'kt', 'rb', 'java']

function lex(name: string, code: string): CodeToken[][] {
  let open: OpenToken
  return code.split('\n').map(line => {
    const read = lexLine(line, codeLanguage(name)!, open)
    open = read.open
    return [...read.tokens]
  })
}

/** Only the tokens that have a kind. */
const kinds = (name: string, code: string): string[] =>
  lex(name, code).flatMap(line => line.flatMap(({ text, kind }) => (kind === undefined ? [] : [`${kind} ${text}`])))

test('the tokens of any line are the line, in every language', () => {
  const piece = fc.constantFrom(
    '"',
    "'",
    '`',
    '\\',
    '/*',
    '*/',
    '//',
    '#',
    '"""',
    '<!--',
    '-->',
    '--',
    '[[',
    ']]',
    '1e',
  )
  const line = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 12 }).map(parts => parts.join(''))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), fc.constantFrom(...languages), (lines, name) => {
      const code = lines.join('\n')
      const read = lex(name, code).map(tokens => tokens.map(({ text }) => text).join(''))
      expect(read.join('\n')).toBe(code)
    }),
  )
})

test.each([
  ['ts', 'const a = `x\ny` // end', ['keyword const', 'string `x', 'string y`', 'comment // end']],
  ['ts', "it's 0x1F /* a\nb */ 2", ['number 0x1F', 'comment /* a', 'comment b */', 'number 2']],
  ['ts', String.raw`"a\"b" 'c'`, [String.raw`string "a\"b"`, "string 'c'"]],
  [
    'py',
    'def f():\n  """a\n  b"""\n  return 1 # x',
    ['keyword def', 'string """a', 'string   b"""', 'keyword return', 'number 1', 'comment # x'],
  ],
  ['ts', 'x.from = { from: 1, of?: 2 } ...new', ['number 1', 'number 2', 'keyword new']],
  ['sh', 'echo $# # count', ['comment # count']],
  ['sql', 'SELECT 1 -- x', ['keyword SELECT', 'number 1', 'comment -- x']],
  ['html', '<a title="x"><!-- y -->', ['string "x"', 'comment <!-- y -->']],
])('code in %s is lexed: %j', (name, code, expected) => {
  expect(kinds(name, code)).toEqual(expected)
})

test('a language is known by its name and by the name of a file, and hostile names are no language', () => {
  expect(codeLanguage('TypeScript')).toBe(codeLanguage('ts'))
  expect(detectLanguage('src/log/reader.ts')).toBe(codeLanguage('ts'))
  expect(detectLanguage('Dockerfile')).toBe(codeLanguage('yaml'))
  for (const name of ['constructor', '__proto__', 'toString', '', 'npm test', 'a.constructor']) {
    expect(detectLanguage(name)).toBeUndefined()
  }
})

test('a line of quotes that never end is read once', () => {
  const line = `'${"\\'".repeat(200_000)}`
  expect(kinds('ts', line)).toEqual([])
  expect(kinds('ts', '"'.repeat(200_001)).length).toBe(100_000)
})
