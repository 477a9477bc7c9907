import { isToolPart, type Message, type ToolInvocation, type ToolState } from '@argot/core'
import { isSettled, waitsFor } from '@argot/core/stream'
import { defined } from '@argot/core/stream/internal'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { CopyButton } from '../bodies/copy-button.tsx'
import { jsonText } from '../bodies/json/json-text.ts'
import { Markdown } from '../bodies/markdown/markdown.tsx'
import type { StandaloneCall } from '../hooks/call-target.ts'
import { describeCall } from '../hooks/words.ts'
import { usePartLocale } from '../locale/part-locale.ts'
import { readMessage } from '../store/read-message.ts'
import type { ChatMessageInput, DefaultExpanded, FlatChatMessage } from '../types/index.ts'
import { Chevron, Glyph } from './glyph.tsx'
import { ToolCard } from './tool-card.tsx'

export interface InlineToolWidgetProps {
  /**
   * An assistant message with its parts (Argot's, MUI X Chat's or the AI SDK's `UIMessage`), or the flat record with
   * `toolCalls` and `toolActivity`. A message without a `status` is active while one of its texts or calls is; add
   * `status: 'streaming'` to keep the line active between steps.
   */
  message: ChatMessageInput | FlatChatMessage
  /** Draws a row of the list; the built-in card by default. */
  renderCall?: ((call: ToolInvocation) => ReactNode) | undefined
  isOpen?: boolean | undefined
  onToggle?: ((open: boolean) => void) | undefined
  /** The keys of the calls that wait for the person, if the calls alone don't show it: those that run agents. */
  waiting?: ReadonlySet<string> | undefined
  /** Receive answers from built-in cards. You can pass the AI SDK's functions of these names. */
  addToolApprovalResponse?: StandaloneCall['addToolApprovalResponse']
  addToolOutput?: StandaloneCall['addToolOutput']
}

type WidgetRow = { call: ToolInvocation } | { index: number; text: string; isReasoning: boolean }

interface Activity {
  rows: readonly WidgetRow[]
  calls: readonly ToolInvocation[]
  isActive: boolean
}

/**
 * One message's tool activity in one line: "Thinking…" before the first call, the current tool while it works, "Writing
 * the answer" while none does, "Used N tools" when it is over. It opens in place. A call that waits for a person is
 * shown below it, open or not.
 */
export function InlineToolWidget({ message, ...props }: InlineToolWidgetProps): ReactNode {
  const activity = useMemo(() => toActivity(message), [message])
  return <ToolWidget {...props} {...activity} />
}

export interface ToolWidgetProps extends Omit<InlineToolWidgetProps, 'message'>, Activity {
  /** Draws a commentary or reasoning part, by its index in the message. Without it, reasoning is left out. */
  renderText?: ((index: number) => ReactNode) | undefined
}

export function ToolWidget(props: ToolWidgetProps): ReactNode {
  const { rows, calls, isActive, renderCall, renderText, isOpen, onToggle, ...answers } = props
  const { card } = usePartLocale()
  const id = useId()
  const [own, setOwn] = useState(false)
  if (calls.length === 0 && !isActive) return null
  const open = isOpen ?? own
  const waiting = calls.filter(call => props.waiting?.has(call.key) ?? waitsFor(call) !== undefined)
  const draw = (call: ToolInvocation) =>
    renderCall?.(call) ?? (
      <ToolCard
        key={call.key}
        part={{ type: 'dynamic-tool', toolInvocation: call }}
        message={{ status: isActive ? 'streaming' : 'sent' }}
        defaultExpanded={closedRows}
        addToolApprovalResponse={answers.addToolApprovalResponse}
        addToolOutput={answers.addToolOutput}
      />
    )
  return (
    <div className="argot argot-widget" data-part="widget">
      <button
        type="button"
        className="argot-widget-line"
        data-live={isActive && calls.length > 0 ? '' : undefined}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => {
          setOwn(!open)
          onToggle?.(!open)
        }}
      >
        <Summary calls={calls} waiting={waiting[0]} isActive={isActive} />
        <Chevron />
      </button>
      {open ? (
        <div id={id} className="argot-widget-rows">
          <Rows rows={rows} draw={draw} renderText={renderText} />
          {calls.length > 0 && (
            <CopyButton name={card.copyJson} value={() => jsonText(toRecords(rows))}>
              {card.copyJson}
            </CopyButton>
          )}
        </div>
      ) : (
        waiting.length > 0 && <div className="argot-widget-rows">{waiting.map(draw)}</div>
      )}
    </div>
  )
}

interface SummaryProps {
  calls: readonly ToolInvocation[]
  /** The oldest call that waits for the person. */
  waiting: ToolInvocation | undefined
  isActive: boolean
}

function Summary({ calls, waiting, isActive }: SummaryProps): ReactNode {
  const { widget, call: words } = usePartLocale()
  const current = waiting ?? (isActive ? calls.findLast(call => !isSettled(call)) : undefined)
  if (current !== undefined) {
    const { state, verb, subject } = describeCall(current, { locale: words, started: true })
    return (
      <>
        <Glyph stage={waiting === undefined ? state : 'asking'} isTurning />
        <span className="argot-say">
          <span className="argot-verb" data-part="verb">
            {verb}
          </span>{' '}
          {subject !== undefined && (
            <span className="argot-subject" data-part="subject">
              {subject}
            </span>
          )}
        </span>{' '}
        {waiting !== undefined && <span className="argot-wait">{words.states.asking}</span>}
      </>
    )
  }
  if (isActive || calls.length === 0) {
    return (
      <>
        <Glyph stage="writing" isTurning />
        <span>{calls.length === 0 ? widget.thinking : widget.writing}</span>
      </>
    )
  }
  const described = calls.map(call => describeCall(call))
  const failed = described.filter(({ state }) => state === 'failed' || state === 'broken').length
  const notRun = described.filter(({ state, result }) => state === 'denied' || (state === 'stopped' && result)).length
  return (
    <>
      <Glyph stage="done" />
      <span>
        {widget.used(calls.length)}
        {notRun > 0 && ` · ${widget.notRun(notRun)}`}
        {failed > 0 && (
          <>
            {' · '}
            <span className="argot-fail">{widget.failed(failed)}</span>
          </>
        )}
      </span>
    </>
  )
}

interface RowsProps {
  rows: readonly WidgetRow[]
  draw: (call: ToolInvocation) => ReactNode
  renderText: ToolWidgetProps['renderText']
}

function Rows({ rows, draw, renderText }: RowsProps): ReactNode {
  const { widget } = usePartLocale()
  if (rows.length === 0) return <p className="argot-commentary">{widget.noCallYet}</p>
  return rows.map(row => {
    if ('call' in row) return <div key={row.call.key}>{draw(row.call)}</div>
    const content = renderText?.(row.index) ?? (
      <div className="argot-commentary">
        <Markdown text={row.text} />
      </div>
    )
    return row.isReasoning && renderText === undefined ? null : <div key={`text ${row.index}`}>{content}</div>
  })
}

/** The list's rows are closed, so that it stays readable. A question is open. */
const closedRows: DefaultExpanded = {
  '*': owner => (owner.section === undefined && owner.state !== 'approval-requested' ? false : undefined),
}

function toActivity(input: ChatMessageInput | FlatChatMessage): Activity {
  if (!('parts' in input)) return flatActivity(input)
  const message = readMessage(input)
  const rows = widgetRows(message)
  const calls = rowCalls(rows)
  const isUnderWay = input.status === undefined && (message.parts.some(isStreaming) || calls.some(isRunning))
  return { rows, calls, isActive: isUnderWay || message.status === 'streaming' }
}

function isStreaming(part: Message['parts'][number]): boolean {
  return (part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming'
}

function isRunning(call: ToolInvocation): boolean {
  return !isSettled(call) && waitsFor(call) === undefined
}

function flatActivity({ toolCalls = [], toolActivity }: FlatChatMessage): Activity {
  const rows = toolCalls.flatMap(({ id, name, args, result, status, error, commentary }, index): WidgetRow[] => {
    const call: ToolInvocation = {
      key: id,
      toolCallId: id,
      toolName: name,
      state: flatStates[status] ?? 'input-available',
      input: args,
      ...defined({ output: result, errorText: error }),
    }
    return commentary === undefined || commentary === ''
      ? [{ call }]
      : [{ index, text: commentary, isReasoning: false }, { call }]
  })
  return { rows, calls: rowCalls(rows), isActive: toolActivity?.isActive === true }
}

const flatStates: Readonly<Record<string, ToolState>> = {
  pending: 'input-streaming',
  running: 'input-available',
  completed: 'output-available',
  error: 'output-error',
}

/** A message's work: its calls, the commentary around them, and the reasoning before the last of them. */
export function widgetRows({ parts }: Pick<Message, 'parts'>): WidgetRow[] {
  const last = parts.findLastIndex(isToolPart)
  return parts.flatMap((part, index): WidgetRow[] => {
    if (isToolPart(part)) return [{ call: part.toolInvocation }]
    if (part.type !== 'text' && part.type !== 'reasoning') return []
    const text = part.text.trim()
    const isWork = part.type === 'text' ? part.phase === 'commentary' : index < last
    return isWork && text !== '' ? [{ index, text, isReasoning: part.type === 'reasoning' }] : []
  })
}

export function rowCalls(rows: readonly WidgetRow[]): ToolInvocation[] {
  return rows.flatMap(row => ('call' in row ? [row.call] : []))
}

/** The calls as plain records, each with the commentary that led to it; the last one also has what follows it. */
function toRecords(rows: readonly WidgetRow[]): object[] {
  const records: { call: ToolInvocation; texts: string[] }[] = []
  let texts: string[] = []
  for (const row of rows) {
    if ('call' in row) {
      records.push({ call: row.call, texts })
      texts = []
    } else if (!row.isReasoning) texts.push(row.text)
  }
  records.at(-1)?.texts.push(...texts)
  return records.map(({ call, texts }) => {
    const { toolName: name, input, output, errorText: error, state } = call
    return defined({
      name,
      state,
      commentary: texts.length === 0 ? undefined : texts.join('\n\n'),
      input,
      output,
      error,
    })
  })
}
