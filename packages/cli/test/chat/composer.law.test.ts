import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Composer } from '../../src/composer/composer.ts'
import { drawEditor } from '../../src/composer/draw-editor.ts'
import { Editor } from '../../src/composer/editor.ts'
import { graphemes, graphemeWidth } from '../../src/composer/graphemes.ts'
import { plainKey } from '../../src/composer/key.ts'
import { layoutText } from '../../src/composer/layout-text.ts'
import { MessageHistory } from '../../src/composer/message-history.ts'
import { createPaint } from '../../src/io/paint.ts'

const pieces = fc.constantFrom(
  'a',
  'word ',
  'two words',
  '\n',
  '日本',
  '👩‍👩‍👧',
  'e\u0301',
  '🇩🇪',
  '\t',
  ' ',
  'x'.repeat(30),
  '\u202e',
  '\u0301',
)

type Change = (composer: Composer) => void
const changes = fc.oneof(
  pieces.map(
    (text): Change =>
      one =>
        one.insert(text),
  ),
  fc.constant<Change>(one => one.paste('line\n'.repeat(500))),
  fc.constantFrom<Change>(
    one => one.left(),
    one => one.right(),
    one => one.wordLeft(),
    one => one.wordRight(),
    one => one.lineStart(),
    one => one.lineEnd(),
    one => one.deleteBack(),
    one => one.deleteForward(),
    one => one.cutToLineEnd(),
    one => one.cutToLineStart(),
    one => one.cutWordBack(),
    one => one.yank(),
    one => void one.moveRows(1, 12),
    one => void one.moveRows(-1, 12),
  ),
)

describe('the composer', () => {
  test('has its cursor between graphemes, whatever is typed', () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 30 }), list => {
        const composer = new Composer()
        for (const change of list) {
          change(composer)
          const { text, cursor } = composer
          const starts = new Set([
            ...text.split('\n').reduce<{ at: number; all: number[] }>(
              ({ at, all }, line) => ({
                at: at + line.length + 1,
                all: [...all, ...graphemes(line).map(one => at + one.start), at + line.length],
              }),
              { at: 0, all: [] },
            ).all,
          ])
          expect(starts).toContain(cursor)
        }
      }),
    )
  })

  test('undoes everything to the empty text, and redoes it', () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 30 }), list => {
        const composer = new Composer()
        for (const change of list) change(composer)
        const { text } = composer
        for (let times = 0; times <= list.length; times++) composer.undo()
        expect(composer.text).toBe('')
        for (let times = 0; times <= list.length; times++) composer.redo()
        expect(composer.text).toBe(text)
      }),
    )
  })

  test('draws every character once, in rows that fit, with the cursor in them', () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 20 }), fc.integer({ min: 4, max: 60 }), (list, columns) => {
        const composer = new Composer()
        for (const change of list) change(composer)
        const { rows, cursorRow, cursorColumn } = layoutText(composer.text, composer.cursor, columns, composer.blocks)
        const spans = rows.map(({ start, end }) => composer.text.slice(start, end))
        expect(spans.join('')).toBe(composer.text.replaceAll('\n', ''))
        for (const { cells } of rows) {
          const width = cells.reduce((sum, cell) => sum + cell.width, 0)
          // A space may hang over the edge, into the margin.
          expect(cells.length === 1 || width <= columns || (width === columns + 1 && cells.at(-1)?.text === ' ')).toBe(
            true,
          )
        }
        expect(cursorRow).toBeLessThan(rows.length)
        expect(cursorColumn).toBeLessThanOrEqual(columns + 4)
      }),
    )
  })

  test('stays between graphemes when a letter joins the mark after it', () => {
    const composer = new Composer()
    composer.insert('\u0301')
    composer.left()
    composer.insert('e')
    expect([composer.text, composer.cursor]).toEqual(['e\u0301', 2])
  })

  test.each([
    ['a', 1],
    ['日', 2],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['👍🏽', 2],
    ['\t', 4],
  ])('gives %s %i columns', (text, width) => {
    expect(graphemeWidth(text)).toBe(width)
  })

  test('sends a long paste whole, shows it as one block, and deletes it with one key', () => {
    const composer = new Composer()
    const paste = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\r\n')
    composer.insert('before ')
    composer.paste(paste)
    composer.insert(' after')
    expect(composer.displayText).toBe('before [Pasted 500 lines] after')
    expect(composer.value).toBe(`before ${paste.replaceAll('\r\n', '\n')} after`)
    for (let times = 0; times < ' after'.length + 1; times++) composer.deleteBack()
    expect(composer.value).toBe('before ')
  })

  test('keeps nothing that could drive a terminal, and no character that passes for a paste', () => {
    const composer = new Composer()
    composer.paste('long\n'.repeat(100))
    composer.paste('a\x1b[31mb\x07\u{10f000}')
    expect(composer.value).toBe(`${'long\n'.repeat(100)}a[31mb\ufffd`)
  })
})

describe('the editor', () => {
  const press = (editor: Editor, ...names: string[]): (string | undefined)[] =>
    names.map(name => editor.key(name.length === 1 ? plainKey(name, { text: name }) : toKey(name), 40))
  const toKey = (name: string) => {
    const [last = '', ...modifiers] = name.split('+').reverse()
    return plainKey(last, {
      ctrl: modifiers.includes('ctrl'),
      shift: modifiers.includes('shift'),
      alt: modifiers.includes('alt'),
    })
  }

  test('breaks lines with Shift+Enter, Alt+Enter and a backslash, and sends with Enter', () => {
    const editor = new Editor()
    expect(press(editor, 'a', 'shift+enter', 'b', 'alt+enter', 'c', '\\', 'enter', 'd')).not.toContain('submit')
    expect(editor.composer.value).toBe('a\nb\nc\nd')
    expect(press(editor, 'enter')).toEqual(['submit'])
    expect(editor.take()).toBe('a\nb\nc\nd')
  })

  test('goes through the history and back to the draft', () => {
    const editor = new Editor({ history: new MessageHistory(['one', 'two']) })
    press(editor, 'd', 'up')
    expect(editor.composer.value).toBe('two')
    press(editor, 'up', 'up')
    expect(editor.composer.value).toBe('one')
    press(editor, 'down', 'down')
    expect(editor.composer.value).toBe('d')
  })

  test('searches the history with Ctrl R, further back with each', () => {
    const editor = new Editor({ history: new MessageHistory(['fix the bug', 'something', 'fix the test']) })
    press(editor, 'ctrl+r', 'f', 'i', 'x')
    expect(editor.search?.match?.text).toBe('fix the test')
    press(editor, 'ctrl+r')
    expect(editor.search?.match?.text).toBe('fix the bug')
    expect(press(editor, 'enter')).toEqual([undefined])
    expect(editor.composer.value).toBe('fix the bug')
  })

  test('completes with Tab, and Escape closes the list for this text', () => {
    const complete = (text: string, cursor: number) =>
      text.startsWith('/') ? { start: 0, end: cursor, items: [{ text: '/model' }, { text: '/more' }] } : undefined
    const editor = new Editor({ complete })
    press(editor, '/', 'm', 'down', 'tab')
    expect(editor.composer.value).toBe('/more ')
    press(editor, 'escape')
    expect(editor.completion).toBeUndefined()
    expect(press(editor, 'escape')).toEqual(['escape'])
  })

  test('draws rows that are narrower than the screen', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.integer({ min: 20, max: 100 }), (texts, columns) => {
        const editor = new Editor()
        for (const text of texts) editor.composer.insert(text)
        const { lines, cursor } = drawEditor(editor, { columns, rows: 6, items: 0, paint: createPaint(false) })
        expect(lines.length).toBeLessThanOrEqual(7)
        expect(cursor!.row).toBeLessThan(lines.length)
        expect(cursor!.column).toBeLessThan(columns)
      }),
    )
  })
})
