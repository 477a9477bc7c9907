import type { Diagnostic } from '@argot/core'
import type { ReactNode } from 'react'
import { useWords } from '../locale/words.ts'

export interface DiagnosticBoxProps {
  diagnostic: Diagnostic
  /** Undefined if no fix is known. */
  onFix: (() => void) | undefined
  /** Goes to its line. Only for a box that is shown elsewhere. */
  onGo?: (() => void) | undefined
}

export function DiagnosticBox({ diagnostic, onFix, onGo }: DiagnosticBoxProps): ReactNode {
  const { severity, message, cure, range } = diagnostic
  const words = useWords().source
  return (
    <div className="diagnostic" data-severity={severity}>
      {severity === 'error' && <b>{words.error} </b>}
      <Words text={message} />
      {cure !== undefined && (
        <>
          {' '}
          <Words text={cure} />
        </>
      )}
      {onFix !== undefined && (
        <>
          {' '}
          <button type="button" className="diagnostic-link" onClick={onFix}>
            {words.fix}
          </button>
        </>
      )}
      {onGo !== undefined && range !== undefined && (
        <>
          {' '}
          <button type="button" className="diagnostic-link" onClick={onGo}>
            {words.line(range.start.line)}
          </button>
        </>
      )}
    </div>
  )
}

function Words({ text }: { text: string }): ReactNode {
  return text.split('`').map((piece, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a sentence have no names
    index % 2 === 1 ? <code key={index}>{piece}</code> : <span key={index}>{piece}</span>,
  )
}
