import { visibleText } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { isPath } from './is-path.ts'
import { MiddleCut } from './text/middle-cut.tsx'

export interface BodyBoxProps {
  /** In the head: a path, a command, or a word for the content. Without it, there is no head. */
  name?: string | undefined
  /** After the name: "line 38", "+3 −1". */
  meta?: ReactNode
  copy?: (() => string) | undefined
  copyName?: string | undefined
  /** Further buttons in the head, before "Copy". */
  actions?: ReactNode
  foot?: ReactNode
  /** Terminals are sunken. */
  tone?: 'surface' | 'sunken' | undefined
  children?: ReactNode
}

/** The frame around every body: a head with name and Copy, the content, and a foot if something was cut. */
export function BodyBox({ name, meta, copy, copyName, actions, foot, tone, children }: BodyBoxProps): ReactNode {
  return (
    <div className={tone === 'sunken' ? 'argot-box argot-term' : 'argot-box'} data-part="panel">
      {name !== undefined && (
        <div className="argot-box-head" data-part="panel-head">
          {isPath(name) ? (
            <MiddleCut text={visibleLine(name)} />
          ) : (
            <span className="argot-box-name">{visibleText(name)}</span>
          )}
          {meta !== undefined && <span className="argot-num">{meta}</span>}
          <span className="argot-push">
            {actions}
            {copy !== undefined && <CopyButton value={copy} name={copyName ?? name} />}
          </span>
        </div>
      )}
      {children}
      {foot !== undefined && foot !== null && foot !== false && (
        <div className="argot-box-foot" data-part="panel-foot">
          {foot}
        </div>
      )}
    </div>
  )
}
