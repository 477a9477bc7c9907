import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { usePickerLocale } from '../../locale/use-picker-locale.ts'
import { Menu } from './menu.tsx'
import type { MenuItem } from './menu-popup.tsx'
import { ThreadTitle } from './thread-title.tsx'

export interface Thread {
  id: string
  title: string
  /** Makes the row a link, which can be opened in a new tab. */
  href?: string | undefined
  /** Threads with the same section are shown together below its name, in the order in which sections first appear. */
  section?: string | undefined
  /** Below the title, smaller. */
  note?: string | undefined
  state?: 'running' | 'waiting' | 'failed' | undefined
}

export interface ThreadListProps<T extends Thread> {
  threads: readonly T[]
  current?: string | undefined
  onPick: (thread: T) => void
  /** F2 and the menu's Rename then turn the title into a field. */
  onRename?: ((thread: T, title: string) => void) | undefined
  /** The items of a thread's menu, after Rename. */
  menu?: ((thread: T) => readonly MenuItem[]) | undefined
  renderTitle?: ((thread: T) => ReactNode) | undefined
  /** Drawn at the end of a row; replaces its state in words. */
  renderMark?: ((thread: T) => ReactNode) | undefined
  /** The accessible name of the list; "Conversations" by default. */
  label?: string | undefined
  empty?: ReactNode
  className?: string | undefined
}

/**
 * Conversations, in sections. One tab stop: arrows, Home and End move through the rows, F2 renames, Shift F10 opens a
 * row's menu. It stores no data.
 */
export function ThreadList<T extends Thread>(props: ThreadListProps<T>): ReactNode {
  const { threads, current, label, empty, className } = props
  const words = usePickerLocale()
  const root = useRef<HTMLElement>(null)
  const id = useId()
  const [stop, setStop] = useState<string>()
  const [menuOpen, setMenuOpen] = useState<string>()
  const [renaming, setRenaming] = useState<string>()
  const has = (key: string | undefined): boolean => key !== undefined && threads.some(thread => thread.id === key)
  const tabStop = has(stop) ? stop : has(current) ? current : threads[0]?.id
  const focusRow = (key: string): void =>
    root.current?.querySelector<HTMLElement>(`[data-argot-thread="${CSS.escape(key)}"]`)?.focus()
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const key = (event.target as HTMLElement).dataset.argotThread
    const thread = threads.find(one => one.id === key)
    if (thread === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'F2' && props.onRename !== undefined) setRenaming(thread.id)
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      if (!hasMenu(props, thread)) return
      setMenuOpen(thread.id)
    } else if (!moveFocus(root.current, event)) return
    event.preventDefault()
  }
  if (threads.length === 0) return <p className="argot argot-threads-none">{empty ?? words.noThreads}</p>
  return (
    <nav
      ref={root}
      className={`argot argot-threads${className ? ` ${className}` : ''}`}
      aria-label={label ?? words.threads}
      onKeyDown={onKeyDown}
    >
      {sections(threads).map(([section, list], index) => (
        <section key={section ?? ''} aria-labelledby={section === undefined ? undefined : `${id}-${index}`}>
          {section !== undefined && (
            <h3 id={`${id}-${index}`} dir="auto">
              {section}
            </h3>
          )}
          {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of lists without bullets */}
          <ul role="list">
            {list.map(thread => (
              <li key={thread.id} data-menu={menuOpen === thread.id || undefined}>
                {renaming === thread.id ? (
                  <ThreadTitle
                    title={thread.title}
                    name={words.newTitle(thread.title)}
                    onDone={title => {
                      setRenaming(undefined)
                      if (title !== undefined && title !== thread.title) props.onRename?.(thread, title)
                      // Once the field is gone, unless another element took the focus.
                      setTimeout(() => document.activeElement === document.body && focusRow(thread.id))
                    }}
                  />
                ) : (
                  <ThreadRow
                    {...props}
                    thread={thread}
                    isTabStop={thread.id === tabStop}
                    isMenuOpen={menuOpen === thread.id}
                    onFocus={() => setStop(thread.id)}
                    onMenu={isOpen => setMenuOpen(isOpen ? thread.id : undefined)}
                    onRenaming={() => setRenaming(thread.id)}
                  />
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

interface ThreadRowProps<T extends Thread> extends ThreadListProps<T> {
  thread: T
  isTabStop: boolean
  isMenuOpen: boolean
  onFocus: () => void
  onMenu: (isOpen: boolean) => void
  onRenaming: () => void
}

function ThreadRow<T extends Thread>(props: ThreadRowProps<T>): ReactNode {
  const { thread, current, onPick, onRename, isTabStop, isMenuOpen, onMenu } = props
  const words = usePickerLocale()
  const tabIndex = isTabStop ? 0 : -1
  const row = {
    className: 'argot-thread',
    'data-argot-thread': thread.id,
    'aria-current': thread.id === current ? ('page' as const) : undefined,
    tabIndex,
    onFocus: props.onFocus,
    onClick: () => onPick(thread),
    children: (
      <>
        <span className="argot-thread-words">
          {props.renderTitle?.(thread) ?? (
            <span className="argot-thread-title" dir="auto">
              {thread.title}
            </span>
          )}
          {thread.note !== undefined && (
            <span className="argot-thread-note" dir="auto">
              {thread.note}
            </span>
          )}
        </span>
        {props.renderMark?.(thread) ??
          (thread.state !== undefined && (
            <span className="argot-thread-state" data-state={thread.state}>
              {words.threadStates[thread.state]}
            </span>
          ))}
      </>
    ),
  }
  return (
    <>
      {thread.href === undefined ? <button type="button" {...row} /> : <a href={thread.href} {...row} />}
      {hasMenu(props, thread) && (
        <Menu
          name={words.threadMenu(thread.title)}
          className="argot-thread-more"
          isOpen={isMenuOpen}
          onOpen={onMenu}
          tabIndex={tabIndex}
          items={[
            ...(onRename === undefined ? [] : [{ key: ' rename', label: words.rename, onPick: props.onRenaming }]),
            ...(props.menu?.(thread) ?? []),
          ]}
        >
          <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" />
          </svg>
        </Menu>
      )}
    </>
  )
}

function hasMenu<T extends Thread>({ onRename, menu }: ThreadListProps<T>, thread: T): boolean {
  return onRename !== undefined || (menu?.(thread).length ?? 0) > 0
}

function sections<T extends Thread>(threads: readonly T[]): [section: string | undefined, threads: T[]][] {
  const all = new Map<string | undefined, T[]>()
  for (const thread of threads) {
    const list = all.get(thread.section)
    if (list === undefined) all.set(thread.section, [thread])
    else list.push(thread)
  }
  return [...all]
}

function moveFocus(root: HTMLElement | null, { key }: KeyboardEvent): boolean {
  const rows = [...(root?.querySelectorAll<HTMLElement>('[data-argot-thread]') ?? [])]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[key]
  if (next === undefined) return false
  rows[Math.max(0, Math.min(next, rows.length - 1))]?.focus()
  return true
}
