import type { ShownCall, ShownState } from './calls.ts'
import type { Paint, Style } from './paint.ts'
import { cutEnd, widthOf } from './width.ts'

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

const signs: Record<ShownState, { sign: string; style: Style; words: string }> = {
  writing: { sign: '…', style: 'yellow', words: '' },
  running: { sign: '▶', style: 'yellow', words: 'running' },
  asking: { sign: '?', style: 'yellow', words: 'needs approval' },
  done: { sign: '✔', style: 'green', words: '' },
  failed: { sign: '✖', style: 'red', words: 'failed' },
  denied: { sign: '✖', style: 'red', words: 'denied' },
}

/**
 * A call as one row: its sign, its name, as much of its input as fits, how it stands and how long it took. Always
 * narrower than `columns`. `frame` is the picture of the spinner of a call that is not over.
 */
export function callLine(
  call: ShownCall,
  { columns, paint, now, frame }: { columns: number; paint: Paint; now: number; frame?: number },
): string {
  const { sign, style } = signs[call.state]
  const turning = frame !== undefined && (call.state === 'writing' || call.state === 'running')
  const mark = turning ? spinner[frame % spinner.length]! : sign
  const room = columns - 1
  const name = cutEnd(call.name, Math.max(1, room - 2))
  let left = room - 2 - widthOf(name)
  const end = cutEnd(describeState(call, now), Math.max(0, Math.min(left - 1, Math.max(24, left >> 1))))
  if (end !== '') left -= widthOf(end) + 1
  const input = left > 4 ? cutEnd(call.input, left - 1) : ''
  return [
    paint(mark, style),
    ` ${paint(name, 'bold')}`,
    input === '' ? '' : ` ${paint(input, 'cyan')}`,
    end === '' ? '' : ` ${paint(end, 'dim')}`,
  ].join('')
}

/** What came back, as one row under the call; undefined where nothing did. */
export function resultLine(call: ShownCall, columns: number, paint: Paint): string | undefined {
  if (call.result === undefined) return undefined
  return paint(`  └ ${cutEnd(call.result, Math.max(1, columns - 5))}`, call.state === 'done' ? 'dim' : 'red')
}

function describeState(call: ShownCall, now: number): string {
  const { words } = signs[call.state]
  if (call.state === 'writing') return call.written > 200 ? `${call.written.toLocaleString('en')} characters` : ''
  if (call.state === 'asking') return words
  const milliseconds = (call.endedAt ?? now) - call.startedAt
  const time = describeDuration(milliseconds)
  if (call.state === 'running') {
    const progress = call.progress ?? words
    return milliseconds < 1000 ? progress : `${progress} ${time}`
  }
  return call.state === 'denied' ? words : `${words} ${time}`.trim()
}

/** "0.4 s", "12 s", "3 min 5 s". */
export function describeDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.floor(seconds)} s`
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}
