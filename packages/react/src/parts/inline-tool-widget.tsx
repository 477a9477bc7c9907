import { describeCall, type FlatChatMessage, isToolPart, type ToolInvocation, type ToolState } from '@argot/core'
import { isSettled, waitsFor } from '@argot/core/stream'
import { defined } from '@argot/core/stream/internal'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { CopyButton } from '../bodies/copy-button.tsx'
import { jsonText } from '../bodies/json/json-text.ts'
import { Markdown } from '../bodies/markdown/markdown.tsx'
import type { CallOnItsOwn } from '../hooks/call-target.ts'
import { usePartLocale } from '../locale/locale-context.ts'
import type { ChatMessage, DefaultExpanded } from '../types/index.ts'
import { Chevron, Glyph } from './glyph.tsx'
import { ToolCard } from './tool-card.tsx'

export interface InlineToolWidgetProps {
  /** An assistant message with its parts, or the flat record with `toolCalls` and `toolActivity`. */
  message: ChatMessage | FlatChatMessage
  /** Draws a row of the list; the built-in card where it is missing. */
  renderCall?: ((call: ToolInvocation) => ReactNode) | undefined
  isOpen?: boolean | undefined
  onToggle?: ((open: boolean) => void) | undefined
  /** The keys of the calls that wait for the person, where more is known than the calls say: those that run agents. */
  waiting?: ReadonlySet<string> | undefined
  /** Take answers to built-in cards; the AI SDK's functions of these names will do. */
  addToolApprovalResponse?: CallOnItsOwn['addToolApprovalResponse']
  addToolOutput?: CallOnItsOwn['addToolOutput']
}

interface WidgetCall {
  call: ToolInvocation
  commentary: string | undefined
}

/**
 * The tool activity of one message in one line: "Thinking…" before the first call, the current tool while it works,
 * "Used N tools" when it is over. It opens in place. A call that waits for a person is shown below it, open or not.
 */
export function InlineToolWidget(props: InlineToolWidgetProps): ReactNode {
  const { message, renderCall, isOpen, onToggle, addToolApprovalResponse, addToolOutput } = props
  const { card } = usePartLocale()
  const id = useId()
  const [own, setOwn] = useState(false)
  const { calls, isActive } = useMemo(() => activityOf(message), [message])
  if (calls.length === 0 && !isActive) return null
  const open = isOpen ?? own
  const waiting = calls.filter(({ call }) => props.waiting?.has(call.key) ?? waitsFor(call) !== undefined)
  const draw = ({ call }: WidgetCall) =>
    renderCall?.(call) ?? (
      <ToolCard
        key={call.key}
        part={{ type: 'dynamic-tool', toolInvocation: call }}
        message={{ status: isActive ? 'streaming' : 'sent' }}
        defaultExpanded={closedRows}
        addToolApprovalResponse={addToolApprovalResponse}
        addToolOutput={addToolOutput}
      />
    )
  return (
    <div className="argot argot-widget">
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
          <Rows calls={calls} draw={draw} />
          {calls.length > 0 && (
            <CopyButton name={card.copyJson} value={() => jsonText(calls.map(copied))}>
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
  calls: readonly WidgetCall[]
  /** The oldest call that waits for the person. */
  waiting: WidgetCall | undefined
  isActive: boolean
}

function Summary({ calls, waiting, isActive }: SummaryProps): ReactNode {
  const { widget, call: words } = usePartLocale()
  if (calls.length === 0) {
    return (
      <>
        <Glyph stage="writing" isTurning />
        <span>{widget.thinking}</span>
      </>
    )
  }
  const current = waiting ?? calls.findLast(({ call }) => !isSettled(call)) ?? calls.at(-1)!
  if (isActive || waiting !== undefined) {
    const { state, verb, subject } = describeCall(current.call, { locale: words, started: true })
    return (
      <>
        <Glyph stage={waiting === undefined ? (isSettled(current.call) ? 'running' : state) : 'asking'} isTurning />
        <span className="argot-say">
          <span className="argot-verb">{verb}</span>
          {subject !== undefined && <span className="argot-subject">{subject}</span>}
        </span>
        {waiting !== undefined && <span className="argot-wait">{words.states.asking}</span>}
      </>
    )
  }
  const said = calls.map(({ call }) => describeCall(call))
  const failed = said.filter(({ state }) => state === 'failed' || state === 'broken').length
  const notRun = said.filter(({ state, result }) => state === 'denied' || (state === 'stopped' && result)).length
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

function Rows({ calls, draw }: { calls: readonly WidgetCall[]; draw: (call: WidgetCall) => ReactNode }): ReactNode {
  const { widget } = usePartLocale()
  if (calls.length === 0) return <p className="argot-commentary">{widget.noCallYet}</p>
  return calls.map(one => (
    <div key={one.call.key}>
      {one.commentary !== undefined && (
        <div className="argot-commentary">
          <Markdown text={one.commentary} />
        </div>
      )}
      {draw(one)}
    </div>
  ))
}

/** Rows of the list are closed, so that the list can be read. A question is open. */
const closedRows: DefaultExpanded = {
  '*': owner => (owner.section === undefined && owner.state !== 'approval-requested' ? false : undefined),
}

function activityOf(message: ChatMessage | FlatChatMessage): { calls: WidgetCall[]; isActive: boolean } {
  if ('parts' in message) return { calls: callsOf(message), isActive: message.status === 'streaming' }
  const calls = (message.toolCalls ?? []).map(({ id, name, args, result, status, error, commentary }) => ({
    call: {
      key: id,
      toolCallId: id,
      toolName: name,
      state: flatStates[status] ?? 'input-available',
      input: args,
      ...defined({ output: result, errorText: error }),
    },
    commentary,
  }))
  return { calls, isActive: message.toolActivity?.isActive === true }
}

const flatStates: Readonly<Record<string, ToolState>> = {
  pending: 'input-streaming',
  running: 'input-available',
  completed: 'output-available',
  error: 'output-error',
}

/** The calls of a message, each with the text that led to it. */
function callsOf(message: ChatMessage): WidgetCall[] {
  const calls: WidgetCall[] = []
  let said: string[] = []
  for (const part of message.parts) {
    if (part.type === 'text') {
      if (part.phase === 'commentary' && part.text.trim() !== '') said.push(part.text.trim())
    } else if (isToolPart(part)) {
      calls.push({ call: part.toolInvocation, commentary: said.length === 0 ? undefined : said.join('\n') })
      said = []
    }
  }
  return calls
}

function copied({ call, commentary }: WidgetCall): object {
  const { toolName: name, input, output, errorText: error, state } = call
  return defined({ name, state, commentary, input, output, error })
}
