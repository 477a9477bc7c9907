import type { ToolPartProps } from '@argot/react'
import { type ReactNode, useState } from 'react'
import { copyLink } from '../frame/copy-link.ts'
import { callHref } from '../frame/open-conversation.ts'
import { openPolicy } from '../frame/open-policy.ts'

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
  const [note, setNote] = useState('')
  return (
    <p className="call-link">
      <button
        type="button"
        className="argot-link"
        onClick={() =>
          void copyLink(href).then(
            () => setNote('Copied.'),
            (error: unknown) => setNote(error instanceof Error ? error.message : String(error)),
          )
        }
      >
        Copy link to this call
      </button>
      <a className="argot-link" href={href}>
        See it in the time machine
      </a>
      <span role="status">{note}</span>
    </p>
  )
}
