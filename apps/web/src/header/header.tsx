import { visibleLine } from '@argot/core/stream/internal'
import type { MenuItem } from '@argot/react/internal'
import type { DocumentEntry, DocumentSettings, RunResource } from '@argot/server/api'
import { type ReactNode, useState } from 'react'
import type { Command } from '../documents/commands.ts'
import { FileName } from '../frame/file-name.tsx'
import { Icon } from '../frame/icon.tsx'
import { useWords, words } from '../locale/words.ts'
import { getState } from '../server/use-documents.ts'
import { useWishes } from '../server/wishes.ts'
import { ModelPicker } from './model-picker.tsx'
import { MoreMenu } from './more-menu.tsx'
import { SyntaxPicker } from './syntax-picker.tsx'

export interface HeaderProps {
  /** Undefined if no document is open: then it has a title. */
  entry: DocumentEntry | undefined
  title?: string | undefined
  run: RunResource | undefined
  settings: DocumentSettings | undefined
  /** A past run is shown: there is no composer, and the pane on the right shows its chunks. */
  isReplay: boolean
  isSourceOpen: boolean
  onMenu: () => void
  onSource: () => void
  commands: readonly Command[]
  onCommand: (command: Command) => void
}

export function Header({
  entry,
  title = 'Argot',
  run,
  settings,
  isReplay,
  isSourceOpen,
  onMenu,
  onSource,
  commands,
  onCommand,
}: HeaderProps): ReactNode {
  const state: StateLabel | undefined =
    entry === undefined ? undefined : isReplay ? { words: words().header.replay } : describeState(entry, run)
  return (
    <header className="head">
      <button type="button" className="icon-button only-narrow" aria-label={words().documents.title} onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1 title={entry && visibleLine(entry.path)}>
        {entry === undefined ? (
          title
        ) : (
          <>
            <span className="head-title">{visibleLine(entry.title)}</span>
            <span className="head-file">
              <FileName path={entry.path.replace(/^.*\//, '')} />
            </span>
          </>
        )}
      </h1>
      <span className="head-state" data-tone={state?.tone}>
        {state?.words}
      </span>
      {entry !== undefined && !isReplay && <Usage run={run} />}
      {entry !== undefined && (
        <Tools
          key={entry.path}
          document={entry.path}
          run={run}
          settings={settings}
          isReplay={isReplay}
          isSourceOpen={isSourceOpen}
          onSource={onSource}
          commands={commands}
          onCommand={onCommand}
        />
      )}
    </header>
  )
}

interface ToolsProps
  extends Pick<HeaderProps, 'run' | 'settings' | 'isReplay' | 'isSourceOpen' | 'onSource' | 'commands' | 'onCommand'> {
  document: string
}

/** Model, syntax, source, and a menu for everything else. On a phone, all of them are in the menu. */
function Tools(props: ToolsProps): ReactNode {
  const { document, run, settings, isReplay, isSourceOpen, onSource, commands, onCommand } = props
  const [open, setOpen] = useState<'model' | 'syntax' | 'more'>()
  const wishes = useWishes(document)
  const toggle = (one: typeof open) => (isOpen: boolean) => setOpen(isOpen ? one : undefined)
  const usage = describeUsage(run)
  const isNarrow = matchMedia('(width < 50rem)').matches
  const { header } = useWords()
  const narrow: MenuItem[] = [
    { key: 'source', label: header.source, onPick: onSource },
    { key: 'model', label: header.model(wishes.model ?? settings?.model ?? ''), onPick: () => setOpen('model') },
    { key: 'syntax', label: header.syntax(wishes.syntax ?? settings?.syntax ?? ''), onPick: () => setOpen('syntax') },
  ]
  return (
    <>
      {!isReplay && (
        <>
          <ModelPicker document={document} usual={settings?.model} isOpen={open === 'model'} onOpen={toggle('model')} />
          <SyntaxPicker
            document={document}
            usual={settings?.syntax}
            isOpen={open === 'syntax'}
            onOpen={toggle('syntax')}
          />
          <button type="button" className="argot-pick wide" aria-pressed={isSourceOpen} onClick={onSource}>
            {header.source}
          </button>
        </>
      )}
      <MoreMenu
        isOpen={open === 'more'}
        onOpen={toggle('more')}
        first={isNarrow && !isReplay ? narrow : []}
        commands={commands}
        onCommand={onCommand}
        note={usage && header.newestRun(usage)}
      />
    </>
  )
}

function Usage({ run }: { run: RunResource | undefined }): ReactNode {
  const { usage } = useWords()
  const words = describeUsage(run)
  if (run === undefined || words === undefined) return null
  const { inputTokens, outputTokens } = run.usage
  const title = usage.split(inputTokens, outputTokens)
  return (
    <span className="head-usage meta" title={title}>
      <span className="argot-hidden">{usage.label} </span>
      {words}
    </span>
  )
}

/** The cost is shown only if the settings have a price for the model. It is in their currency, so it has no sign. */
function describeUsage(run: RunResource | undefined): string | undefined {
  const { totalTokens = 0, estimated, cost } = run?.usage ?? {}
  if (totalTokens === 0) return undefined
  const { source, usage } = words()
  const tokens = estimated === true ? source.aboutTokens(totalTokens) : source.tokens(totalTokens)
  return cost === undefined ? tokens : usage.cost(tokens, cost.toLocaleString('en', { maximumSignificantDigits: 3 }))
}

interface StateLabel {
  words: string
  tone?: string
}

function describeState(entry: DocumentEntry, run: RunResource | undefined): StateLabel | undefined {
  const state = getState(entry, run)
  // The card that asks says so, and so does the bar below the conversation while the card is out of view.
  if (state === 'waiting') return undefined
  if (state === 'running') return { words: words().header.states.running, tone: 'live' }
  if (state === 'interrupted') return { words: words().header.states.interrupted }
  if (run?.state === 'failed') return { words: words().header.states.failed, tone: 'fail' }
  return run?.state === 'stopped' ? { words: words().header.states.stopped } : undefined
}
