import { isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { type ReactNode, useState } from 'react'
import { rowCalls, ToolWidget, widgetRows } from '../parts/inline-tool-widget.tsx'
import { answerParts } from './answer-parts.ts'

/** The functions that draw parts are props, so that this chunk shares only the card's modules with the box. */
export interface WidgetTurnProps {
  message: Message
  /** The indexes of the calls that wait for the person. */
  pending: readonly number[]
  isOpen: boolean
  onToggle: (open: boolean) => void
  renderCall: (index: number, isTurning: boolean) => ReactNode
  renderPart: (kind: 'text' | 'other', index: number) => ReactNode
}

/** A message's work in one line, with the commentary inside; below it the answer, and nothing else. */
export default function WidgetTurn(props: WidgetTurnProps): ReactNode {
  const { message, pending, isOpen, onToggle, renderCall, renderPart } = props
  const { parts, status } = message
  const keys = parts.map(part => (isToolPart(part) ? part.toolInvocation.key : undefined))
  const rows = widgetRows(message)
  const calls = rowCalls(rows)
  const isActive = status === 'streaming'
  // Anything that was there while it streamed keeps its place.
  const [wasActive] = useState(isActive)
  const renderText = (index: number): ReactNode => renderPart(parts[index]?.type === 'text' ? 'text' : 'other', index)
  return (
    <div className="argot-work">
      {(isActive || wasActive || calls.length > 0) && (
        <div className="argot-head">
          <ToolWidget
            rows={rows}
            calls={calls}
            isActive={isActive}
            isOpen={isOpen}
            onToggle={onToggle}
            waiting={new Set(pending.flatMap(index => keys[index] ?? []))}
            renderCall={(call: ToolInvocation) => (
              <div key={call.key}>{renderCall(keys.indexOf(call.key), !isSettled(call))}</div>
            )}
            renderText={renderText}
          />
        </div>
      )}
      <div className="argot-turn">
        {answerParts(message).map(index => (
          <div key={index} className="argot-item">
            {renderText(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
