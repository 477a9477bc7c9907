import { isToolPart, type Message, type MessagePart } from '@argot/core'
import type { NumberedMessage } from '../io/numbered-message.ts'
import type { Paint } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'
import { cutEnd, measureWidth } from '../io/width.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import { callRows } from './call-line.ts'
import { countCalls, countSteps, describeMessage, describeTime, describeUsage, getUsage } from './message-facts.ts'
import { oneLine } from './safe-pieces.ts'
import { plural } from './tally.ts'

export interface TranscriptLayout {
  /** Every row is narrower. */
  columns: number
  paint: Paint
}

/** A conversation for people: each element with its phase and time, each message with its tokens and cost. */
export function describeTranscript(
  name: string,
  messages: readonly NumberedMessage[],
  options: TranscriptLayout,
): string {
  const blocks = messages.map(one => describeNumbered(one, messages.length, options).join('\n'))
  return `${[describeWhole(name, messages, options), ...blocks].join('\n\n')}\n`
}

export function listTranscript(messages: readonly NumberedMessage[], { columns, paint }: TranscriptLayout): string {
  const width = numberWidth(messages.length)
  return messages
    .map(({ number, message }) => {
      const time = message.createdAt === undefined ? undefined : describeTime(Date.parse(message.createdAt))
      const head = [message.role, ...(time === undefined ? [] : [time])].join(' · ')
      const left = `${numberText(number, width)}  ${head}`
      const words = cutEnd(oneLine(firstWords(message), 200), Math.max(0, columns - measureWidth(left) - 4))
      return `${numberText(number, width)}  ${paint(head, 'bold')}${words === '' ? '' : `  ${words}`}\n`
    })
    .join('')
}

function describeWhole(
  name: string,
  messages: readonly NumberedMessage[],
  { columns, paint }: TranscriptLayout,
): string {
  const all = messages.map(({ message }) => message)
  const answers = all.filter(({ role }) => role === 'assistant')
  const sum = (count: (message: Message) => number | undefined): number =>
    answers.reduce((total, message) => total + (count(message) ?? 0), 0)
  const usages = answers.map(getUsage)
  const estimated = usages.some(usage => usage.estimated === true)
  const usage = {
    total: sum(message => getUsage(message).total),
    input: sum(message => getUsage(message).input),
    output: sum(message => getUsage(message).output),
    cost: sum(message => getUsage(message).cost),
    ...(estimated && { estimated }),
  }
  const [steps, calls] = [sum(countSteps), sum(countCalls)]
  const facts = [
    plural(all.length, 'message'),
    ...(steps > 0 ? [plural(steps, 'step')] : []),
    ...(calls > 0 ? [plural(calls, 'call')] : []),
    ...describeUsage(usage),
  ]
  const [title, ...rest] = wrapFacts([oneLine(name, 200), ...facts], columns)
  return [paint(title!, 'bold'), ...rest].join('\n')
}

function describeNumbered({ number, message }: NumberedMessage, count: number, options: TranscriptLayout): string[] {
  const width = numberWidth(count)
  const indent = ' '.repeat(width + 2)
  const inner = { ...options, columns: options.columns - indent.length }
  const [head, ...more] = wrapFacts(describeMessage(message), inner.columns).map(row => options.paint(row, 'bold'))
  const rows = [...more, ...message.parts.flatMap(part => describePart(part, inner))]
  if (message.errorText !== undefined)
    rows.push(...wrapText(message.errorText, inner.columns).map(row => options.paint(row, 'red')))
  return [`${numberText(number, width)}  ${head}`, ...rows.map(row => (row === '' ? '' : indent + row))]
}

function describePart(part: MessagePart, options: TranscriptLayout): string[] {
  const { columns, paint } = options
  if (isToolPart(part)) return describeToolCall(part.toolInvocation, options)
  switch (part.type) {
    case 'step-start':
      return []
    case 'text': {
      const label = part.phase === undefined || part.phase === 'pending' ? [] : [paint(part.phase, 'dim')]
      const state = part.state === 'aborted' ? [paint('cut off', 'red')] : []
      return [...label, ...wrapText(part.text, columns), ...state]
    }
    case 'reasoning':
      return [paint('reasoning', 'dim'), ...wrapText(part.text, columns).map(row => paint(row, 'dim'))]
    case 'file':
      return [cutEnd(`[${oneLine(part.filename ?? part.mediaType, 200)}]`, columns - 1)]
    case 'source-url':
    case 'source-document':
      return [
        cutEnd(`[source: ${oneLine(part.title ?? ('url' in part ? part.url : part.sourceId), 200)}]`, columns - 1),
      ]
    default:
      return [paint(cutEnd(`[${oneLine(part.type, 100)}]`, columns - 1), 'dim')]
  }
}

type ToolCallPart = Extract<MessagePart, { type: 'tool' | 'dynamic-tool' }>['toolInvocation']

function describeToolCall(call: ToolCallPart, { columns, paint }: TranscriptLayout): string[] {
  const { startedAt, approval, toolCallId } = call
  const shownCall = { call, order: 0, ...(startedAt === undefined ? {} : { completeAt: startedAt }) }
  const rows = callRows(shownCall, { columns, paint, now: call.endedAt ?? startedAt ?? 0, everyTime: true })
  const time = startedAt === undefined ? undefined : describeTime(startedAt)
  const facts = [oneLine(toolCallId, 64), ...(time === undefined ? [] : [time])]
  if (approval?.approved !== undefined) {
    const by = approval.by === undefined ? '' : ` by ${oneLine(approval.by, 100)}`
    const reason = approval.reason === undefined ? '' : `: ${oneLine(approval.reason, 200)}`
    facts.push(`${approval.approved ? 'approved' : 'denied'}${by}${reason}`)
  }
  const below = wrapFacts(facts, columns - 4).map(row => paint(`    ${row}`, 'dim'))
  return [rows[0]!, ...below, ...rows.slice(1)]
}

function firstWords({ parts }: Message): string {
  const text = parts.find(part => part.type === 'text' && part.text.trim() !== '')
  if (text?.type === 'text') return text.text.trim().slice(0, 400)
  const calls = parts.filter(isToolPart)
  return calls.length === 0 ? '' : calls.map(({ toolInvocation }) => toolInvocation.toolName).join(', ')
}

function wrapFacts(facts: readonly string[], columns: number): string[] {
  const rows: string[] = []
  let row = ''
  for (const fact of facts) {
    const longer = row === '' ? fact : `${row} · ${fact}`
    if (row !== '' && measureWidth(longer) >= columns) {
      rows.push(row)
      row = fact
    } else row = longer
  }
  return [...rows, row].flatMap(one => wrapWords(one, Math.max(8, columns - 1)))
}

/** The text as written, with terminal control characters as symbols. */
function wrapText(text: string, columns: number): string[] {
  const lines = safeText(text)
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n')
  const room = Math.max(8, columns - 1)
  return lines.flatMap(line => {
    const clean = line.replaceAll('\t', '    ')
    return measureWidth(clean) <= room ? [clean] : wrapWords(clean, room)
  })
}

function numberWidth(count: number): number {
  return Math.max(2, String(count).length)
}

function numberText(number: number | undefined, width: number): string {
  return String(number ?? '–').padStart(width)
}
