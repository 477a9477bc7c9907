import { visibleText } from '@argot/core/stream'
import { Fragment, type ReactNode } from 'react'

/** A command as typed. It wraps between arguments, never at their hyphens. */
export function CommandLine({ command }: { command: string }): ReactNode {
  return (
    <div className="argot-command" data-part="command">
      <span className="argot-sigil" aria-hidden="true">
        $
      </span>
      <code>
        {words(visibleText(command)).map((word, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of one command never move
          <Fragment key={index}>
            {index > 0 && ' '}
            <span className="argot-argument">{word}</span>
          </Fragment>
        ))}
      </code>
    </div>
  )
}

/** A one-line command split into words; the lines of a script stay unchanged. */
function words(command: string): string[] {
  return command.includes('\n') || command.length > 20_000 ? [command] : command.split(' ')
}
