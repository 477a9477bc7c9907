import { type Drawing, drawEditor, textColumns } from '../composer/draw-editor.ts'
import { Editor } from '../composer/editor.ts'
import type { Key } from '../composer/key.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import type { Panel, PanelDrawOptions } from './panel.ts'

export interface TextPanelOptions {
  title: string
  text?: string
  /** Enter without text is an answer. */
  mayBeEmpty?: boolean
  /** Called once, with undefined if the user left. */
  done: (text: string | undefined) => void
}

export class TextPanel implements Panel {
  readonly #options: TextPanelOptions
  readonly takesText = true
  readonly #editor = new Editor()
  #columns = 80

  constructor(options: TextPanelOptions) {
    this.#options = options
    if (options.text !== undefined) this.#editor.put(options.text)
  }

  draw({ columns, rows, paint }: PanelDrawOptions): Drawing {
    this.#columns = columns
    const head = wrapWords(this.#options.title, columns - 2).slice(0, Math.max(1, rows - 2))
    const { lines, cursor } = drawEditor(this.#editor, {
      columns,
      rows: Math.max(1, rows - head.length - 1),
      items: 0,
      paint,
      hint: 'Enter to answer, Esc to go back',
    })
    return {
      lines: [...head.map(row => paint(row, 'yellow')), ...lines],
      cursor: cursor && { row: cursor.row + head.length, column: cursor.column },
    }
  }

  key(key: Key): void {
    const { done, mayBeEmpty = false } = this.#options
    const action = this.#editor.key(key, textColumns(this.#columns))
    if (action === 'submit') {
      const text = this.#editor.composer.value.trim()
      if (text !== '' || mayBeEmpty) done(text)
    } else if (action === 'escape' || action === 'interrupt' || action === 'leave') done(undefined)
  }
}
