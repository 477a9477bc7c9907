import { Writable } from 'node:stream'
import xterm from '@xterm/headless'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Screen } from '../../src/view/screen.ts'

/** A screen that is drawn on a real terminal emulator. */
class Emulator extends Writable {
  readonly isTTY = true
  columns = 60
  rows = 16
  readonly terminal = new xterm.Terminal({
    cols: 60,
    rows: 16,
    scrollback: 1000,
    convertEol: true,
    allowProposedApi: true,
  })

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.terminal.write(chunk, done)
  }

  resize(columns: number, rows: number): void {
    this.columns = columns
    this.rows = rows
    this.terminal.resize(columns, rows)
  }

  async settle(): Promise<void> {
    await new Promise<void>(resolve => this.write('', () => resolve()))
  }

  get lines(): string[] {
    const { active } = this.terminal.buffer
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '')
  }
}

type Step =
  | { append: string }
  | { live: number }
  | { footer: number; cursor: number }
  | { resize: readonly [number, number] }
  | { aside: string }

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ append: fc.constantFrom('word ', 'some words in a row ', 'a line\n', '\n', `${'long '.repeat(20)}\n`) }),
  fc.record({ live: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ footer: fc.integer({ min: 1, max: 5 }), cursor: fc.nat(4) }),
  fc.record({ resize: fc.constantFrom([60, 16], [30, 12], [100, 30], [45, 16]) }),
  fc.record({ aside: fc.constant('noted\n') }),
)

/** As wide as the screen, so that a narrower window wraps it. */
function footer(count: number, columns: number): string[] {
  return Array.from({ length: count }, (_, index) => `footer ${index} `.padEnd(columns - 1, '─'))
}

test('the footer is at the bottom once, and every word of the text is above it once, whatever the window does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 14 }), async list => {
      const out = new Emulator()
      const screen = new Screen(out, true, true)
      let count = 2
      let cursor = 0
      let text = ''
      const draw = (): void => {
        screen.showFooter({
          lines: footer(count, out.columns),
          cursor: { row: Math.min(cursor, count - 1), column: 3 },
        })
      }
      draw()
      for (const step of list) {
        if ('append' in step) {
          screen.append(step.append)
          text += step.append
        } else if ('live' in step) screen.showLive(Array.from({ length: step.live }, (_, index) => `live ${index}`))
        else if ('footer' in step) {
          count = step.footer
          cursor = step.cursor
          draw()
        } else if ('aside' in step) {
          screen.aside(() => out.write(step.aside))
          text += ` ${step.aside}`
        } else {
          await out.settle()
          out.resize(...step.resize)
          draw()
        }
        await out.settle()
      }
      screen.showLive([])
      draw()
      await out.settle()
      const lines = out.lines.join('\n').trimEnd().split('\n')
      expect(lines.slice(-count)).toEqual(footer(count, out.columns))
      const above = lines.slice(0, -count).join(' ')
      expect(above.split(/\s+/).filter(word => word !== '')).toEqual(text.split(/\s+/).filter(word => word !== ''))
      const { active } = out.terminal.buffer
      const row = active.getLine(active.baseY + active.cursorY)?.translateToString(true)
      expect([row, active.cursorX]).toEqual([footer(count, out.columns)[Math.min(cursor, count - 1)], 3])
    }),
  )
})
