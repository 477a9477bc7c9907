import type { ReactNode } from 'react'
import { Highlight } from '../bodies/code/highlight.tsx'
import { Diff } from '../bodies/diff/diff.tsx'
import type { OpenedSource } from '../bodies/open-source-context.ts'
import { WholeTerminal } from '../bodies/text/terminal-body.tsx'
import { WholeText } from '../bodies/text/text-body.tsx'
import { useSubRun } from '../hooks/use-sub-run.ts'
import { describeCall } from '../hooks/words.ts'
import { usePartLocale } from '../locale/part-locale.ts'
import { SubCalls } from '../parts/sub-rows.tsx'
import { ToolCard } from '../parts/tool-card.tsx'
import type { ChatStore } from '../store/chat-store.ts'

/** Texts up to this length are highlighted; longer ones are drawn in blocks. */
const SHORT = 30_000

/** The complete content that a reader opened, for the page's own pane. */
export function SourceContent({ source }: { source: OpenedSource }): ReactNode {
  if (source.kind === 'diff') return <Diff {...source} lines={Number.POSITIVE_INFINITY} />
  if (source.kind === 'run') return <RunContent scope={source.scope} toolCallId={source.toolCallId} />
  return (
    <pre>
      {source.kind === 'terminal' ? (
        <WholeTerminal text={source.text} />
      ) : source.text.length > SHORT ? (
        <WholeText text={source.text} />
      ) : (
        <Highlight text={source.text} path={source.name} />
      )}
    </pre>
  )
}

function RunContent({ scope, toolCallId }: { scope: string; toolCallId: string }): ReactNode {
  const { widget } = usePartLocale()
  const sub = useSubRun(scope, toolCallId)
  if (sub === undefined || sub.calls.length === 0) return <p className="argot-quiet">{sub?.line ?? widget.noCallYet}</p>
  return (
    <div className="argot-calls" data-part="calls">
      <SubCalls sub={sub} isTurning Card={ToolCard} />
      {sub.line !== undefined && (
        <p className="argot-note" data-part="note">
          {sub.line}
        </p>
      )}
    </div>
  )
}

export function sourceText(source: OpenedSource, store: ChatStore): string {
  if (source.kind === 'diff') return source.diff ?? source.after ?? ''
  if (source.kind !== 'run') return source.text
  const run = store.conversation.subs.follow(source.scope, source.toolCallId).get()
  return (run?.calls ?? []).map(call => describeCall(call).sentence).join('\n')
}
