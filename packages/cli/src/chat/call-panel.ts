import type { ToolInvocation } from '@argot/core'
import { visibleText } from '@argot/core/stream'
import { parameterSection } from '../ask/describe-call.ts'
import { type Key, keyName } from '../composer/key.ts'
import { cutEnd } from '../io/width.ts'
import { wrapRows } from '../io/wrap-rows.ts'
import { formatOutput, headRow, toCallWords } from '../view/call-line.ts'
import type { PanelDrawOptions } from './panel.ts'

/** Longer outputs are cut here; the document has all of them. */
const LONGEST_TEXT = 200_000

export class CallPanel {
  readonly #calls: () => readonly ToolInvocation[]
  /** Counted from the newest: 0 is the last call. */
  #back = 0
  #top = 0
  #height = 1
  #length = 0

  constructor(calls: () => readonly ToolInvocation[]) {
    this.#calls = calls
  }

  draw({ columns, rows, paint }: Omit<PanelDrawOptions, 'isOpen'>): string[] {
    const calls = this.#calls()
    const at = Math.max(0, calls.length - 1 - this.#back)
    const call = calls[at]
    if (call === undefined) return []
    const words = toCallWords({ call, order: 0 }, Date.now())
    const all = sections(call).flatMap(text => wrapRows(text, columns - 4).map(row => row.text))
    this.#height = Math.max(1, rows - 2)
    this.#length = all.length
    this.#top = Math.max(0, Math.min(this.#top, all.length - this.#height))
    const visibleRows = all.slice(this.#top, this.#top + this.#height)
    const left = all.length - this.#top - visibleRows.length
    const place = `${at + 1}/${calls.length}${left > 0 ? ` · ${left} more rows, ↓` : ''}`
    return [
      headRow(words, { columns, paint, now: Date.now(), everyTime: true }),
      ...visibleRows.map(row => paint('│ ', 'dim') + row),
      paint(cutEnd(`└ ${place} · Tab: other calls · Esc: close`, columns - 1), 'dim'),
    ]
  }

  /** False for a key that closes the panel and belongs to the composer. */
  key(key: Key): boolean | 'close' {
    switch (keyName(key)) {
      case 'tab':
        return this.#go(1)
      case 'shift+tab':
        return this.#go(-1)
      case 'up':
        return this.#scroll(-1)
      case 'down':
        return this.#scroll(1)
      case 'pageup':
        return this.#scroll(-this.#height)
      case 'pagedown':
      case ' ':
        return this.#scroll(this.#height)
      case 'escape':
      case 'ctrl+o':
      case 'q':
        return 'close'
      default:
        return false
    }
  }

  #go(by: number): true {
    const count = Math.max(1, this.#calls().length)
    this.#back = (this.#back + by + count) % count
    this.#top = 0
    return true
  }

  #scroll(by: number): true {
    this.#top = Math.max(0, Math.min(this.#top + by, this.#length - this.#height))
    return true
  }
}

function sections({ input, output, errorText }: ToolInvocation): string[] {
  const fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input) : []
  const parameters = fields.length > 0 ? fields : input === undefined ? [] : [['input', input] as const]
  const texts = parameters.map(([name, value]) => parameterSection(String(name), value).text)
  if (output !== undefined) texts.push('', cut(formatOutput(output)))
  if (typeof errorText === 'string' && errorText !== '') texts.push('', cut(errorText))
  return texts
}

function cut(text: string): string {
  const visible = visibleText(text.slice(0, LONGEST_TEXT)).trimEnd()
  return text.length > LONGEST_TEXT ? `${visible}\n… ${text.length - LONGEST_TEXT} more characters` : visible
}
