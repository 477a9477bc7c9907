import { describeCall } from '@argot/core'
import { english, isSettled } from '@argot/core/stream'
import { type CallDescription, type CallStage, plainLines, readContent } from '@argot/core/stream/internal'
import type { Paint, Style } from '../io/paint.ts'
import { cutEnd, cutMiddle, measureWidth } from '../io/width.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import type { ShownCall } from './calls.ts'
import { oneLine } from './safe-pieces.ts'

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export function spinnerAt(frame: number): string {
  return spinner[frame % spinner.length]!
}

const signs: Record<CallStage, { sign: string; style: Style }> = {
  writing: { sign: '…', style: 'yellow' },
  queued: { sign: '○', style: 'dim' },
  running: { sign: '▶', style: 'yellow' },
  asking: { sign: '?', style: 'yellow' },
  approved: { sign: '○', style: 'dim' },
  done: { sign: '✔', style: 'green' },
  failed: { sign: '✖', style: 'red' },
  denied: { sign: '✖', style: 'red' },
  stopped: { sign: '■', style: 'dim' },
  interrupted: { sign: '■', style: 'red' },
  broken: { sign: '✖', style: 'red' },
}

export interface CallRowOptions {
  columns: number
  paint: Paint
  now: number
  frame?: number | undefined
  everyTime?: boolean | undefined
}

/** A call in words that are safe to print. */
export interface CallWords extends Omit<CallDescription, 'reason'> {
  below: readonly string[]
}

const PREVIEW_CHARACTERS = 600
const ERROR_CHARACTERS = 1000
const REASON_ROWS = 6
/** Shorter times aren't shown. */
const SHORTEST_TIME_MS = 1000

/** The words for a finished call never change. */
const settledWords: WeakMap<ShownCall, CallWords> = new WeakMap()

export function toCallWords(shownCall: ShownCall, now: number): CallWords {
  const cached = settledWords.get(shownCall)
  if (cached !== undefined) return cached
  const { call, since, completeAt, innerCall } = shownCall
  const isOver = isSettled(call)
  // Excludes the time while the model writes and people decide. `endedAt` already leaves out the latter.
  const startedAt = isOver ? (completeAt ?? call.endedAt) : since
  const timedCall = { ...call }
  if (startedAt === undefined) delete timedCall.startedAt
  else timedCall.startedAt = startedAt
  const { verb, subject, result, progress, reason, ...rest } = describeCall(timedCall, { now, started: true })
  const words: CallWords = { ...rest, verb: oneLine(verb), below: [] }
  if (subject !== undefined) words.subject = oneLine(subject)
  if (result !== undefined) words.result = oneLine(result)
  const progressText = isOver ? undefined : (innerCall ?? progress)
  if (progressText !== undefined) words.progress = oneLine(progressText)
  if (reason !== undefined) words.below = findOneLineError(call) ?? reason.split('\n').map(line => oneLine(line))
  else if (words.sources !== undefined) words.below = [describeSources(words.sources)]
  else if (words.state === 'done') words.below = toPreview(call.output, words.result)
  if (isOver) settledWords.set(shownCall, words)
  return words
}

/** For example "nodejs.org, stackoverflow.com, +4". */
function describeSources({ hosts, more }: NonNullable<CallDescription['sources']>): string {
  return [...hosts.map(host => oneLine(host)), ...(more > 0 ? [`+${more}`] : [])].join(', ')
}

/** A call's error if it is one line. Argot's own errors say how to fix them at the end. */
function findOneLineError({ state, errorText }: ShownCall['call']): string[] | undefined {
  const error = typeof errorText === 'string' ? errorText.trim() : ''
  return state === 'output-error' && error !== '' && !error.includes('\n')
    ? [oneLine(error, ERROR_CHARACTERS)]
    : undefined
}

/**
 * A call as rows, each narrower than the screen: its symbol, action, subject, result and duration. Below that, the
 * beginning of the output or the error.
 */
export function callRows(shownCall: ShownCall, options: CallRowOptions): string[] {
  const words = toCallWords(shownCall, options.now)
  const { columns, paint } = options
  const style = words.state === 'done' ? 'dim' : 'red'
  const room = Math.max(1, columns - 5)
  const rows = words.state === 'done' ? words.below.map(line => cutEnd(line, room)) : wrapReason(words.below, room)
  const below = rows.map((row, index) => paint((index === 0 ? '  └ ' : '    ') + row, style))
  return [headRow(words, options), ...below]
}

function wrapReason(lines: readonly string[], room: number): string[] {
  if (lines.length !== 1) return lines.map(line => cutEnd(line, room))
  const rows = wrapWords(lines[0]!, room)
  if (rows.length <= REASON_ROWS) return rows
  return [...rows.slice(0, REASON_ROWS - 1), cutEnd(rows.slice(REASON_ROWS - 1).join(' '), room)]
}

/** A call's first row, always narrower than the screen. */
export function headRow(description: CallWords, { columns, paint, frame, everyTime = false }: CallRowOptions): string {
  const { state, verb: words, subject = '' } = description
  const { sign, style } = signs[state]
  const isTurning = frame !== undefined && (state === 'writing' || state === 'running')
  const mark = isTurning ? spinnerAt(frame) : sign
  const room = columns - 3
  const verb = cutEnd(words, Math.max(1, room))
  let left = room - measureWidth(verb)
  const tail = formatTail(description, everyTime)
  // Half of the room, or what the subject leaves.
  const most = Math.max(24, left >> 1, left - 4 - measureWidth(subject))
  const end = cutEnd(tail, Math.max(0, Math.min(left - 3, most)))
  if (end !== '') left -= measureWidth(end) + 3
  const about = left > 4 ? cutSubject(subject, left - 1) : ''
  return [
    paint(mark, style),
    ` ${paint(verb, 'bold')}`,
    about === '' ? '' : ` ${paint(about, 'cyan')}`,
    end === '' ? '' : paint(` · ${end}`, 'dim'),
  ].join('')
}

/** The result, the progress and the duration. A bare name also needs a word for the state. */
function formatTail(description: CallWords, everyTime: boolean): string {
  const { state, isName, result, progress, duration, milliseconds = 0 } = description
  const word = isName && state !== 'done' ? english.states[state] : undefined
  const time = everyTime || milliseconds >= SHORTEST_TIME_MS ? duration : undefined
  return [result ?? progress ?? word, result === undefined ? undefined : progress, time]
    .filter(piece => piece !== undefined)
    .join(' · ')
}

/** Both ends of a path matter. For a command or a query, only the beginning does. */
function cutSubject(subject: string, columns: number): string {
  return /^\S*[/\\]\S*$/.test(subject) ? cutMiddle(subject, columns) : cutEnd(subject, columns)
}

export function formatOutput(output: unknown): string {
  const content = readContent(output)
  if (content === undefined) return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
  const lines = content.value.map(piece => {
    if (piece.type === 'text') return piece.text
    const name = piece.filename === undefined ? piece.mediaType : `${piece.filename}: ${piece.mediaType}`
    return piece.type === 'file-url' ? `[${name}, ${piece.url}]` : `[${name}]`
  })
  return lines.join('\n')
}

/** The first non-empty line and the number of further lines. Empty if the result says it all. */
function toPreview(output: unknown, result: string | undefined): string[] {
  const text = formatOutput(output).trim()
  let first = ''
  let read = 0
  for (let start = 0; first === '' && start <= text.length; read++) {
    const end = text.indexOf('\n', start)
    const [line = ''] = plainLines(end < 0 ? text.slice(start) : text.slice(start, end))
    first = oneLine(line, PREVIEW_CHARACTERS)
    start = end < 0 ? text.length + 1 : end + 1
  }
  if (first === '' || first === result || (typeof output === 'number' && result !== undefined)) return []
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  if (lines === read || result === english.count(lines, 'line')) return [first]
  return [`${first} (+${english.count(lines - read, 'line')})`]
}
