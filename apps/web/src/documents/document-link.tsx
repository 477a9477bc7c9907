import { visibleLine } from '@argot/core/stream/internal'
import type { DocumentEntry, RunResource } from '@argot/server/api'
import { memo, type ReactNode } from 'react'
import { FileName } from '../frame/file-name.tsx'
import { Icon } from '../frame/icon.tsx'
import { toHref } from '../frame/use-route.ts'
import { useWords } from '../locale/words.ts'
import { StateMark } from './state-mark.tsx'

export interface DocumentLinkProps {
  entry: DocumentEntry
  run: RunResource | undefined
  isCurrent: boolean
  depth?: number | undefined
  origin?: DocumentEntry | undefined
  /** It is shown below its origin. */
  isBranch?: boolean | undefined
  /** Whether to show the file below the title: in a search, the words may be in the file name. */
  hasFile?: boolean | undefined
  isMenuOpen: boolean
  onPick: () => void
  onMenu: (entry: DocumentEntry, anchor: HTMLElement) => void
}

export const DocumentLink: (props: DocumentLinkProps) => ReactNode = memo(function DocumentLink(
  props: DocumentLinkProps,
) {
  const {
    entry,
    run,
    isCurrent,
    depth = 0,
    origin,
    isBranch = false,
    hasFile = false,
    isMenuOpen,
    onPick,
    onMenu,
  } = props
  const { conversations: words } = useWords()
  const path = visibleLine(entry.path)
  const title = visibleLine(entry.title)
  return (
    <div className="row" style={depth === 0 ? undefined : { paddingInlineStart: `${depth * 0.875}rem` }}>
      <a
        href={toHref(entry.path)}
        data-row
        data-path={entry.path}
        aria-current={isCurrent ? 'page' : undefined}
        title={
          origin === undefined
            ? `${title}\n${path}`
            : `${title}\n${path}\n${words.branchedFrom(visibleLine(origin.title))}`
        }
        onClick={onPick}
      >
        {isBranch && <Icon name="branch" />}
        <span className="row-title">{title}</span>
        {hasFile ? (
          <span className="row-file">
            <FileName path={entry.path} />
          </span>
        ) : (
          <span className="argot-hidden">{path}</span>
        )}
        {origin !== undefined && <span className="argot-hidden">{words.branchedFrom(visibleLine(origin.title))}</span>}
        <StateMark entry={entry} run={run} isOpen={isCurrent} />
      </a>
      <button
        type="button"
        className="icon-button row-more"
        aria-label={words.menu(title)}
        aria-haspopup="menu"
        aria-expanded={isMenuOpen}
        onClick={event => onMenu(entry, event.currentTarget)}
      >
        <Icon name="more" />
      </button>
    </div>
  )
})
