import { type ReactNode, useState } from 'react'
import { api, type DocumentEntry, type DocumentSettings, type RunResource } from './api.ts'
import { exportDocument } from './export.ts'
import { FileName } from './file-name.tsx'
import { Icon } from './icon.tsx'
import { Menu, type MenuItem } from './menu.tsx'
import { ModelPicker } from './model-picker.tsx'
import { SyntaxPicker } from './syntax-picker.tsx'
import { goTo } from './use-route.ts'
import { useWishes } from './wishes.ts'

export interface HeaderProps {
  /** Undefined where no document is open: then it has a title. */
  entry: DocumentEntry | undefined
  title?: string | undefined
  run: RunResource | undefined
  settings: DocumentSettings | undefined
  isSourceOpen: boolean
  onMenu: () => void
  onSource: () => void
}

/** What is open, its state in words, and what can be done with it. */
export function Header({
  entry,
  title = 'Argot',
  run,
  settings,
  isSourceOpen,
  onMenu,
  onSource,
}: HeaderProps): ReactNode {
  const state = entry === undefined ? undefined : stateOf(entry, run)
  return (
    <header className="head">
      <button type="button" className="icon-button only-narrow" aria-label="Documents" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1 title={entry?.path}>{entry === undefined ? title : <FileName path={entry.path.replace(/^.*\//, '')} />}</h1>
      <span className="head-state" data-tone={state?.tone}>
        {state?.words}
      </span>
      {entry !== undefined && (
        <Tools
          key={entry.path}
          document={entry.path}
          run={run}
          settings={settings}
          isSourceOpen={isSourceOpen}
          onSource={onSource}
        />
      )}
    </header>
  )
}

interface ToolsProps extends Pick<HeaderProps, 'run' | 'settings' | 'isSourceOpen' | 'onSource'> {
  document: string
}

/** Model, syntax, source, and a menu for everything else. On a phone all of them are in the menu. */
function Tools({ document, run, settings, isSourceOpen, onSource }: ToolsProps): ReactNode {
  const [open, setOpen] = useState<'model' | 'syntax' | 'more'>()
  const wishes = useWishes(document)
  const toggle = (one: typeof open) => (isOpen: boolean) => setOpen(isOpen ? one : undefined)
  const isNarrow = matchMedia('(width < 50rem)').matches
  const narrow: MenuItem[] = [
    { key: 'source', label: 'Source', onPick: onSource },
    { key: 'model', label: `Model: ${wishes.model ?? settings?.model ?? ''}`, onPick: () => setOpen('model') },
    { key: 'syntax', label: `Syntax: ${wishes.syntax ?? settings?.syntax ?? ''}`, onPick: () => setOpen('syntax') },
  ]
  const items: MenuItem[] = [
    ...(isNarrow ? narrow : []),
    { key: 'replay', label: 'Replay', onPick: () => void replayNewest(document) },
    { key: 'export', label: 'Export', onPick: () => void exportDocument(document, 'chatmd') },
    { key: 'json', label: 'Export JSON', onPick: () => void exportDocument(document, 'json') },
  ]
  const tokens = run?.usage.totalTokens ?? 0
  return (
    <>
      <ModelPicker document={document} usual={settings?.model} isOpen={open === 'model'} onOpen={toggle('model')} />
      <SyntaxPicker document={document} usual={settings?.syntax} isOpen={open === 'syntax'} onOpen={toggle('syntax')} />
      <button type="button" className="pick wide" aria-pressed={isSourceOpen} onClick={onSource}>
        Source
      </button>
      <Menu
        name="More"
        className="icon-button"
        isOpen={open === 'more'}
        onOpen={toggle('more')}
        items={items}
        note={tokens === 0 ? undefined : `The newest run: ${tokens.toLocaleString('en')} tokens`}
      >
        <Icon name="more" />
      </Menu>
    </>
  )
}

/** What a document is doing, and the colour of that. */
function stateOf(entry: DocumentEntry, run: RunResource | undefined): { words: string; tone?: string } | undefined {
  if (entry.state === 'waiting') return { words: 'Needs you', tone: 'wait' }
  if (entry.state === 'running') return { words: 'Working', tone: 'live' }
  if (entry.state === 'interrupted') return { words: 'Interrupted' }
  if (run?.state === 'failed') return { words: 'Failed', tone: 'fail' }
  return run?.state === 'stopped' ? { words: 'Stopped' } : undefined
}

/** Opens the time machine at the newest run of a document. */
async function replayNewest(document: string): Promise<void> {
  const [newest] = await api.runs(document)
  if (newest !== undefined) goTo(document, newest.id)
}
