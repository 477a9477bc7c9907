import type { Message, MessagePart } from '@argot/core'
import { InlineToolWidget } from '@argot/react'
import type { ReactNode } from 'react'
import { Column } from './column.tsx'
import type { PageProps } from './page-props.ts'

export function WidgetPage({ fixtures: { turn, approvals } }: PageProps): ReactNode {
  const message = (id: string, status: Message['status'], parts: readonly MessagePart[]): Message => ({
    id,
    role: 'assistant',
    status,
    parts,
  })
  const thinking = message('thinking', 'streaming', [])
  const working = message('working', 'streaming', [
    ...turn.message.parts.slice(0, 4),
    {
      type: 'dynamic-tool',
      toolInvocation: {
        key: 'w5',
        toolCallId: 'w5',
        toolName: 'run',
        state: 'input-available',
        input: { command: 'npm test' },
        startedAt: turn.now - 5000,
      },
    },
  ])
  const complete = message('complete', 'sent', turn.message.parts.slice(0, 6))
  const waiting = message('waiting', 'streaming', [
    ...turn.message.parts.slice(0, 2),
    { type: 'dynamic-tool', toolInvocation: approvals[0]!.call },
  ])
  const old = {
    id: 'old',
    role: 'assistant' as const,
    content: 'Two notes mention it.',
    createdAt: new Date(0),
    toolCalls: [
      { id: '1', name: 'search_notes', args: { query: 'offset' }, status: 'completed' as const, result: ['a', 'b'] },
      { id: '2', name: 'get_note', args: { id: 'a' }, status: 'error' as const, error: 'The note is gone.' },
    ],
  }
  const all = [thinking, working, complete, waiting, old]
  return (
    <Column>
      <h1>Inline widget</h1>
      <h2>Closed</h2>
      {all.map(one => (
        <InlineToolWidget key={one.id} message={one} addToolApprovalResponse={nothing} />
      ))}
      <h2>Open</h2>
      {all.map(one => (
        <InlineToolWidget key={one.id} message={one} isOpen addToolApprovalResponse={nothing} />
      ))}
    </Column>
  )
}

function nothing(): void {}
