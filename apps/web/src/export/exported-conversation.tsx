import { describeCall, isToolPart, type MessagePart, type ToolInvocation } from '@argot/core'
import { visibleText } from '@argot/core/stream'
import { isCorrection, isSummary, personIn, visibleLine } from '@argot/core/stream/internal'
import { Markdown } from '@argot/react'
import type { ChatMessage } from '@argot/react/types'
import type { ReactNode } from 'react'

/** A conversation for reading only: messages one after the other, each call a line that opens. */
export function ExportedConversation({
  title,
  messages,
}: {
  title: string
  messages: readonly ChatMessage[]
}): ReactNode {
  return (
    <main>
      <h1>{visibleLine(title)}</h1>
      {messages.map(message => (
        <article key={message.id} className={message.role} aria-label={authorOf(message.role)}>
          {message.role !== 'user' && message.role !== 'assistant' && <p className="dim">{authorOf(message.role)}</p>}
          {message.parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nothing moves in a file
            <Part key={index} part={part} isUser={message.role === 'user'} />
          ))}
          {message.status === 'error' && <p className="fail">{message.errorText ?? 'The run failed.'}</p>}
          {message.status === 'cancelled' && <p className="dim">Stopped</p>}
        </article>
      ))}
    </main>
  )
}

function authorOf(role: string): string {
  return role === 'user' ? 'You' : role.slice(0, 1).toUpperCase() + role.slice(1)
}

function Part({ part, isUser }: { part: MessagePart; isUser: boolean }): ReactNode {
  if (isToolPart(part)) return <Call call={part.toolInvocation} />
  if (isSummary(part)) {
    return (
      <details>
        <summary className="dim">Turns 1–{part.data.replaces} are summarised for the model</summary>
        <pre>{part.data.text}</pre>
      </details>
    )
  }
  if (isCorrection(part)) return <p className="dim">Argot to the model: {visibleLine(part.data.text)}</p>
  switch (part.type) {
    case 'text':
      if (part.text.trim() === '' || part.phase === 'remainder') return null
      return (
        <div className={part.phase === 'commentary' ? 'text dim' : 'text'}>
          {isUser ? <p className="plain">{part.text}</p> : <Markdown text={part.text} />}
        </div>
      )
    case 'reasoning':
      return (
        <details>
          <summary className="dim">Thought</summary>
          <pre>{part.text}</pre>
        </details>
      )
    case 'file': {
      const name = visibleLine(part.filename ?? part.mediaType)
      return /^data:image\//.test(part.url) ? <img src={part.url} alt={name} /> : <p className="dim">File {name}</p>
    }
    case 'source-url':
      return <p className="dim">{visibleLine(part.title ?? part.url)}</p>
    default:
      return null
  }
}

/** The same words as on the page and in the terminal. */
function Call({ call }: { call: ToolInvocation }): ReactNode {
  const { state, verb, subject, result, duration, reason, milliseconds } = describeCall(call)
  const hasFailed = state === 'failed' || state === 'broken'
  const diff = diffOf(call)
  return (
    <div className="call">
      <details>
        <summary>
          <span className={hasFailed ? 'mark fail' : 'mark'} aria-hidden="true">
            {marks[state] ?? '○'}
          </span>
          <b>{verb}</b> <code>{subject}</code>
          <span className={hasFailed ? 'result fail' : 'result'}>
            {[result, (milliseconds ?? 0) >= 1000 ? duration : undefined].filter(Boolean).join(' · ')}
          </span>
        </summary>
        <div className="body">
          <p className="dim">{visibleLine(call.toolName)}</p>
          {call.input !== undefined && <pre>{visibleText(textOf(call.input))}</pre>}
          {diff !== undefined && <Diff text={diff} />}
          {call.state === 'output-available' && call.output !== undefined && <Output value={call.output} />}
          {call.errorText !== undefined && <pre className="fail">{call.errorText}</pre>}
          {call.approval?.approved !== undefined && <p className="dim">{answerOf(call)}</p>}
        </div>
      </details>
      {reason !== undefined && <pre className="why fail">{reason}</pre>}
    </div>
  )
}

const marks: Readonly<Record<string, string>> = {
  done: '✓',
  failed: '✕',
  broken: '✕',
  denied: '⊘',
  stopped: '■',
  interrupted: '■',
  asking: '●',
}

function answerOf(call: ToolInvocation): string {
  const { approved, reason } = call.approval ?? {}
  const name = personIn(call)
  const who = name === undefined ? '' : ` by ${name}`
  return `${approved === true ? 'Approved' : 'Denied'}${who}${reason === undefined ? '' : `: ${reason}`}`
}

function Output({ value }: { value: unknown }): ReactNode {
  if (typeof value === 'string' && /^data:image\//.test(value)) return <img src={value} alt="Output" />
  return <pre>{textOf(value)}</pre>
}

function Diff({ text }: { text: string }): ReactNode {
  return (
    <pre className="diff">
      {text.split('\n').map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: nothing moves in a file
        <span key={index} className={/^\+(?!\+\+)/.test(line) ? 'add' : /^-(?!--)/.test(line) ? 'del' : undefined}>
          {`${visibleText(line)}\n`}
        </span>
      ))}
    </pre>
  )
}

/** What a tool says of the change that it made. */
function diffOf({ details }: ToolInvocation): string | undefined {
  const diff: unknown =
    typeof details === 'object' && details !== null && Object.hasOwn(details, 'diff')
      ? (details as { diff: unknown }).diff
      : undefined
  return typeof diff === 'string' ? diff : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
