import type { ToolPartProps } from '@argot/react'
import { type ReactNode, useState } from 'react'
import { copyLink } from '../frame/copy-link.ts'
import { callHref } from '../frame/open-conversation.ts'
import { openPolicy } from '../frame/open-policy.ts'
import { useWords } from '../locale/words.ts'

/** How calls are shown: an open one ends with a link to its moment. */
export function withCallLink(document: string): ToolPartProps {
  return {
    ...openPolicy,
    footer: ({ messageId, invocation: { toolCallId } }) => {
      const href = callHref(document, messageId, toolCallId)
      return href === undefined ? null : <CallLink href={href} />
    },
  }
}

function CallLink({ href }: { href: string }): ReactNode {
  const { moments } = useWords()
  const [note, setNote] = useState('')
  return (
    <p className="call-link">
      <button
        type="button"
        className="argot-link"
        onClick={() =>
          void copyLink(href).then(
            () => setNote(moments.copied),
            (error: unknown) => setNote(error instanceof Error ? error.message : String(error)),
          )
        }
      >
        {moments.copyCall}
      </button>
      <a className="argot-link" href={href}>
        {moments.seeCall}
      </a>
      <span role="status">{note}</span>
    </p>
  )
}
