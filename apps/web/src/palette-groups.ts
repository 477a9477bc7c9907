import { visibleLine } from '@argot/core/stream/internal'
import type { Api, DocumentEntry } from '@argot/server/api'
import type { Command } from './documents/commands.ts'
import { type ConversationCall, goToCall } from './frame/open-conversation.ts'
import { toHref } from './frame/use-route.ts'
import { words } from './locale/words.ts'

/** This many documents and calls are shown; fewer before a search. */
const MOST_ROWS = 20
const SHOWN_AT_FIRST = 5

export type Hits = Api['searchDocuments']['answer']['hits']

export interface PaletteChoice {
  key: string
  label: string
  /** Shown next to it, smaller. */
  note?: string | undefined
  keys?: string | undefined
  pick: () => void
}

export interface PaletteGroup {
  name: string
  choices: readonly PaletteChoice[]
}

interface PaletteSources {
  documents: readonly DocumentEntry[]
  calls: readonly ConversationCall[]
  commands: readonly Command[]
  settings: readonly Command[]
  hits: Hits
  onCommand: (command: Command) => void
}

/** The matches for these words, by kind. Before the user types, commands come first. */
export function toGroups(text: string, sources: PaletteSources): PaletteGroup[] {
  const { documents, calls, commands, settings, hits, onCommand } = sources
  const { groups: names } = words().palette
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (...texts: (string | undefined)[]): boolean =>
    typed.every(word => texts.some(one => one?.toLowerCase().includes(word)))
  const most = typed.length === 0 ? SHOWN_AT_FIRST : MOST_ROWS
  const named = documents.filter(({ path, title }) => has(path, title)).slice(0, most)
  const others = hits.filter(({ path }) => !named.some(one => one.path === path))
  const doable = (some: readonly Command[]): PaletteChoice[] =>
    some
      .filter(({ label }) => has(label))
      .map(command => ({ key: command.key, label: command.label, keys: command.keys, pick: () => onCommand(command) }))
  const groups: PaletteGroup[] = [
    {
      name: names.documents,
      choices: [
        ...named.map(({ path, title }) => toDocument(path, title, path)),
        ...others.map(({ path, title, snippet }) => toDocument(path, title, snippet.text)),
      ],
    },
    {
      name: names.calls,
      choices: calls
        .filter(({ label, result }) => has(label, result))
        .slice(0, most)
        .map(call => ({ key: `call ${call.key}`, label: call.label, note: call.result, pick: () => goToCall(call) })),
    },
    { name: names.commands, choices: doable(commands) },
    { name: names.settings, choices: doable(settings) },
  ]
  if (typed.length === 0) groups.unshift(...groups.splice(2, 1))
  return groups.filter(({ choices }) => choices.length > 0)
}

function toDocument(path: string, title: string, note: string): PaletteChoice {
  return {
    key: `document ${path}`,
    label: visibleLine(title || path),
    note: visibleLine(note),
    pick: () => {
      location.hash = toHref(path)
    },
  }
}
