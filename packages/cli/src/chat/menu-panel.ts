import type { Drawing } from '../composer/draw-editor.ts'
import { type Key, keyName } from '../composer/key.ts'
import { cutEnd, measureWidth } from '../io/width.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import type { Panel, PanelDrawOptions } from './panel.ts'

export interface MenuPanelItem<Value> {
  value: Value
  label: string
  hotkey?: string | undefined
}

export interface MenuOptions<Value> {
  title: string
  items: readonly MenuPanelItem<Value>[]
  selected: Value
  /** Called once, with undefined if the user left. */
  done: (value: Value | undefined) => void
}

/** A question with a list of answers. Arrows and Enter select one, or a letter. */
export class MenuPanel<Value> implements Panel {
  readonly #options: MenuOptions<Value>
  #at: number

  constructor(options: MenuOptions<Value>) {
    this.#options = options
    this.#at = Math.max(
      0,
      options.items.findIndex(({ value }) => value === options.selected),
    )
  }

  draw({ columns, rows, paint, isOpen }: PanelDrawOptions): Drawing {
    const { title, items } = this.#options
    const head = wrapWords(title, columns - 2).slice(0, Math.max(1, rows - items.length))
    const most = Math.max(1, rows - head.length)
    const first = Math.max(0, Math.min(this.#at - (most >> 1), items.length - most))
    const width = Math.max(0, ...items.map(({ hotkey = '' }) => measureWidth(hotkey)))
    const lines = items.slice(first, first + most).map(({ label, hotkey = '' }, index) => {
      const isSelected = first + index === this.#at
      const letter = width === 0 ? '' : `${hotkey.padEnd(width)}  `
      const words = cutEnd(label, columns - 4 - measureWidth(letter))
      if (!isOpen) return paint(`  ${letter}${words}`, 'dim')
      if (isSelected) return `${paint(`❯ ${letter}`, 'cyan', 'bold')}${paint(words, 'bold')}`
      return `  ${paint(letter, 'cyan')}${words}`
    })
    return { lines: [...head.map(row => paint(row, 'yellow')), ...lines] }
  }

  key(key: Key): void {
    const { items, done } = this.#options
    const name = keyName(key)
    if (name === 'up' || name === 'ctrl+p' || name === 'shift+tab')
      this.#at = (this.#at + items.length - 1) % items.length
    else if (name === 'down' || name === 'ctrl+n' || name === 'tab') this.#at = (this.#at + 1) % items.length
    else if (name === 'enter') done(items[this.#at]!.value)
    else if (name === 'escape' || name === 'ctrl+c' || name === 'ctrl+d') done(undefined)
    else {
      const item = items.find(({ hotkey }) => hotkey !== undefined && hotkey === name)
      if (item !== undefined) done(item.value)
    }
  }
}
