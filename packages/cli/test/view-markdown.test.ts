import { describe, expect, test } from 'vitest'
import { createPaint } from '../src/io/paint.ts'
import { measureWidth } from '../src/io/width.ts'
import { MarkdownText } from '../src/view/markdown-text.ts'
import { PlainText } from '../src/view/plain-text.ts'
import { FakeTerminal } from './terminal.ts'

const marks: Record<string, string> = { 1: '<b>', 2: '<dim>', 22: '</b>', 3: '<i>', 23: '</i>', 4: '<u>', 24: '</u>' }

/** What is written for a text that comes in these pieces, with styles as tags. */
function draw(pieces: readonly string[], columns = 60): string {
  let drawn = ''
  const text = new MarkdownText({
    columns: () => columns,
    paint: createPaint(true),
    isMidRow: () => true,
    write: piece => (drawn += piece),
  })
  for (const piece of pieces) text.push(piece)
  text.end()
  return drawn.replace(/\x1b\[(\d+)m/g, (_, code: string) => marks[code] ?? (code === '36' ? '<c>' : '</c>'))
}

/** The same without the seams between two words of one style. */
function drawJoined(pieces: readonly string[], columns?: number): string {
  let drawn = draw(pieces, columns)
  for (let before = ''; before !== drawn; ) {
    before = drawn
    drawn = drawn
      .replaceAll('</b><b>', '')
      .replaceAll('</i><i>', '')
      .replaceAll('</c><c>', '')
      .replaceAll('</u><u>', '')
  }
  return drawn
}

const document = `# The **plan** of \`today\`

Some *words* and __more of them__, in \`snake_case\`; 2 * 3 * 4, a*b*c and some_file_name stay.

- first [link](https://example.org/a_b_c)
  - nested with **bold *and italic* text** that is long enough to be broken
* [https://example.org](https://example.org)
10. ten \\*not this\\*

> quoted text that is long enough to need a second row on this screen
---
\`\`\`ts
const a = **b** // as it is, and however long the line may be it is not broken
\`\`\`
| a | b |
| - | - |
An *open mark and a \`tick
~~~
unclosed code`

describe('Markdown on a terminal', () => {
  test.each([
    ['a heading', '## The *plan*', '<b>The</b> <i><b>plan</b></i>'],
    ['bold and italic', 'a **b c** _d_ ***e***', 'a <b>b c</b> <i>d</i> <i><b>e</b></i>'],
    ['code', 'run `npm  test` now, and ``a`b``', 'run <c>npm  test</c> now, and <c>a`b</c>'],
    ['marks in words', 'snake_case_name 2*3*4 a__b__c', 'snake_case_name 2*3*4 a__b__c'],
    ['marks with blanks', '2 * 3 * 4', '2 * 3 * 4'],
    ['marks that are never closed', 'an *open and `tick', 'an *open and `tick'],
    ['escapes', String.raw`\*a\* C:\dir`, String.raw`*a* C:\dir`],
    ['a link', 'see [the docs](https://a.b/c) now', 'see <u>the docs</u> <dim>(https://a.b/c)</b> now'],
    ['a link that is its text', '[https://a.b](https://a.b)', '<u>https://a.b</u>'],
    ['brackets that are no link', 'a[0] and [x] done', 'a[0] and [x] done'],
    ['a list', '- one\n  * two\n1. three', '<c>•</c> one\n  <c>•</c> two\n<c>1.</c> three'],
    ['a number that begins a line', '3.14 is pi\n2024', '3.14 is pi\n2024'],
    ['a rule', 'a\n\n---\nb', 'a\n\n<dim>───</b>\nb'],
    ['a quote', '> said', '<dim>│</b> said'],
    ['a block of code', 'a\n```js\nif (a) **b**\n```\nc', 'a\n<c>  if (a) **b**</c>\nc'],
    ['a block in a block', '````\n```\n````\nx', '<c>  ```</c>\nx'],
    ['a block that is never closed', '~~~\na\nb', '<c>  a</c>\n<c>  b</c>'],
    ['ticks that open no block', '```a``` b', '<c>a</c> b'],
  ])('draws %s', (_, source, drawn) => {
    expect(drawJoined([source])).toBe(drawn)
  })

  test('every cut of a text gives the same', () => {
    const whole = drawJoined([document], 40)
    expect(drawJoined([...document], 40)).toBe(whole)
    for (let cut = 1; cut < document.length; cut++) {
      expect(drawJoined([document.slice(0, cut), document.slice(cut)], 40)).toBe(whole)
    }
  })

  test('lines are broken between words, and the further rows of an item stand below its text', () => {
    expect(draw(['Words are never broken when they fit.'], 16)).toBe('Words are never\nbroken when\nthey fit.')
    expect(draw(['- an item of three rows\n\nnext'], 12)).toBe('<c>•</c> an item\n  of three\n  rows\n\nnext')
    expect(draw(['> quoted words'], 10)).toBe('<dim>│</b> quoted\n<dim>│ </b>words')
    expect(draw(['abcdefghijkl'], 8)).toBe('abcdefg\nhijkl')
  })

  test.each([8, 9, 20, 41])('no row but those of code and tables is wider than a screen of %i columns', columns => {
    const prose = document.slice(0, document.indexOf('```ts'))
    const terminal = new FakeTerminal(columns)
    const text = new MarkdownText({
      columns: () => columns,
      paint: createPaint(true),
      isMidRow: () => true,
      write: piece => terminal.feed(piece),
    })
    text.push(prose)
    text.end()
    for (const line of terminal.text.split('\n')) expect(measureWidth(line)).toBeLessThan(columns)
    expect(terminal.strange).toEqual([])
  })

  test('what is drawn is never taken back: each piece only adds', () => {
    let drawn = ''
    const text = new MarkdownText({
      columns: () => 40,
      paint: createPaint(true),
      isMidRow: () => true,
      write: piece => {
        expect(piece.replace(/\x1b\[\d+m/g, '')).not.toMatch(/[\r\x1b]/)
        drawn += piece
      },
    })
    text.push('A word ')
    expect(drawn).toBe('A word')
    text.push('**bol')
    expect(drawn).toBe('A word')
    text.push('d** and ')
    expect(drawn).toBe('A word \x1b[1mbold\x1b[22m and')
  })

  test('a mark that is never closed holds nothing back for long', () => {
    let drawn = ''
    const write = (piece: string): string => (drawn += piece)
    const text = new MarkdownText({ columns: () => 80, paint: createPaint(true), isMidRow: () => true, write })
    text.push(`*${'open '.repeat(120)}`)
    expect(drawn).toContain('*open open')
  })

  test.each(['*', '_', '`', '[', '![', '*_', '**a', '- ', '#', '>', '~', '\\', '|', '1', '`*_['])(
    'the cost of %j again and again grows with its length only',
    shard => {
      let work = 0
      for (const pieces of [[shard.repeat(20_000)], [...shard.repeat(20_000)]]) {
        const text = new MarkdownText({
          columns: () => 80,
          paint: createPaint(true),
          isMidRow: () => true,
          write: piece => (work += piece.length),
        })
        for (const piece of pieces) text.push(piece)
        text.end()
      }
      expect(work).toBeLessThan(2 * 20_000 * shard.length * 12)
    },
  )
})

test('without colours a text stays as it is, with lines broken between words', () => {
  let drawn = ''
  const write = (piece: string): string => (drawn += piece)
  const text = new PlainText({ columns: () => 12, paint: piece => piece, isMidRow: () => true, write })
  for (const piece of '## **A** heading\n- item') text.push(piece)
  text.end()
  expect(drawn).toBe('## **A**\nheading\n- item')
})
