import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ask, problemOf, textOf } from '../resolver/ask.ts'
import { folder } from './folder.ts'

const bytes = (...values: (number | string)[]): Buffer =>
  Buffer.concat(values.map(value => (typeof value === 'string' ? Buffer.from(value) : Buffer.from([value]))))

test.each([
  ['a continuation byte alone', bytes('ab', 0x80), 2],
  ['a byte that UTF-8 never has', bytes(0xff, 'ab'), 0],
  ['Latin-1', Buffer.from('Grüße', 'latin1'), 2],
  ['an overlong form', bytes('abc', 0xc0, 0xaf), 3],
  ['an overlong form of three bytes', bytes('é', 0xe0, 0x80, 0x80), 2],
  ['a surrogate', bytes('€', 0xed, 0xa0, 0x80), 3],
  ['what lies behind U+10FFFF', bytes('😀', 0xf4, 0x90, 0x80, 0x80), 4],
  ['a character that is cut off', bytes('abcdef', 0xe2, 0x82), 6],
  ['a character that is broken off', bytes('a', 0xe2, 0x82, 'bc'), 1],
])('says where UTF-8 ends: %s', async (_, content, offset) => {
  const cwd = await folder({ 'a.md': content })
  for (const kind of ['doc', 'import', 'agent', 'payload', 'meta'] as const) {
    const problem = problemOf(await ask({ cwd }, { kind, src: 'a.md' }))
    expect(problem).toMatchObject({
      code: 'CHATMD_BAD_ENCODING',
      message: expect.stringContaining(`offset ${offset} `),
    })
  }
})

test('the offset is right wherever the bad byte stands', async () => {
  const cwd = await folder()
  const { writeFile } = await import('node:fs/promises')
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom(0x80, 0xc1, 0xf5, 0xff),
      async (text, bad) => {
        fc.pre(!text.includes('\0') && !text.startsWith('GIF8') && text !== '')
        await writeFile(`${cwd}/a.md`, bytes(text, bad, 'rest'))
        const { message } = problemOf(await ask({ cwd }, { src: 'a.md' }))
        expect(message).toContain(`offset ${Buffer.byteLength(text)} `)
      },
    ),
    { numRuns: 200 },
  )
})

test.each([
  ['PNG', bytes(0x89, 'PNG\r\n', 0x1a, '\n', 0, 0, 0, 13), 'a PNG image', '<img>'],
  ['JPEG', bytes(0xff, 0xd8, 0xff, 0xe0, 0, 16), 'a JPEG image', '<img>'],
  ['PDF', bytes('%PDF-1.7\n%', 0xe2, 0xe3, 0xcf, 0xd3), 'a PDF file', 'Convert'],
  ['ZIP', bytes('PK', 3, 4, 20, 0), 'a ZIP archive', 'Convert'],
  ['gzip', bytes(0x1f, 0x8b, 8, 0), 'a gzip archive', 'Convert'],
  ['NUL bytes', bytes('hello', 0, 'world'), 'NUL byte at offset 5', 'text file'],
])('refuses binary content: %s', async (_, content, words, cure) => {
  const cwd = await folder({ 'a.md': content })
  for (const kind of ['doc', 'import'] as const) {
    const problem = problemOf(await ask({ cwd }, { kind, src: 'a.md' }))
    expect(problem.code).toBe('CHATMD_BINARY')
    expect(problem.message).toContain(words)
    expect(problem.cure).toContain(cure)
  }
})

test('UTF-16 is named as what it is', async () => {
  const cwd = await folder({ 'a.md': Buffer.from('\ufeffhello', 'utf16le') })
  const problem = problemOf(await ask({ cwd }, { src: 'a.md' }))
  expect(problem).toMatchObject({ code: 'CHATMD_BAD_ENCODING', message: expect.stringContaining('UTF-16LE') })
})

test('text is exact: CRLF, trailing blanks, characters of every length', async () => {
  const content = '  a\r\n\tß€😀\u0301\u200b \n\n'
  const cwd = await folder({ 'a.md': content, 'empty.md': '' })
  for (const kind of ['doc', 'import', 'agent', 'payload', 'meta'] as const) {
    expect(textOf(await ask({ cwd }, { kind, src: 'a.md' }))).toBe(content)
    expect(textOf(await ask({ cwd }, { kind, src: 'empty.md' }))).toBe('')
  }
})

test('a byte order mark goes from what is inserted and stays in what is a file of its own', async () => {
  const cwd = await folder({ 'a.md': '\ufeffa\ufeffb' })
  for (const kind of ['doc', 'import'] as const) {
    expect(textOf(await ask({ cwd }, { kind, src: 'a.md' }))).toBe('a\ufeffb')
  }
  for (const kind of ['agent', 'payload', 'meta'] as const) {
    expect(textOf(await ask({ cwd }, { kind, src: 'a.md' }))).toBe('\ufeffa\ufeffb')
  }
})

test('NUL is a character in what Argot itself writes', async () => {
  const cwd = await folder({ 'a.json': 'a\0b' })
  for (const kind of ['agent', 'payload', 'meta'] as const) {
    expect(textOf(await ask({ cwd }, { kind, src: 'a.json' }))).toBe('a\0b')
  }
})
