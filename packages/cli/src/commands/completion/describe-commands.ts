import { builtinNames, listProviders } from '@argot/agent/internal'
import { transcriptFormats } from '@argot/core/convert/internal'
import { listSyntaxes } from '@argot/core/syntax/internal'
import { Command, type Option } from 'commander'
import { findManual } from '../../io/find-manual.ts'
import type { Io } from '../../io/io.ts'
import type { CommandEntry } from '../command-entry.ts'
import { HOME, readPages } from '../manual/read-pages.ts'

/** How a value is completed: from words, or from files that the shell finds. */
export type ValueCompletion =
  | { words: readonly string[]; isList?: true }
  | 'documents'
  | 'files'
  | 'folders'
  | 'nothing'

export interface CompletedOption {
  long: string
  short?: string
  description: string
  /** Undefined for a flag. */
  value?: ValueCompletion
}

export interface CompletedCommand {
  name: string
  description: string
  options: CompletedOption[]
  /** By position. The last one may repeat. */
  arguments: ValueCompletion[]
  repeats: boolean
}

const helpOption: CompletedOption = { long: '--help', short: '-h', description: 'show this help' }

export async function describeCommands(entries: readonly CommandEntry[], io: Io): Promise<CompletedCommand[]> {
  const commands = await Promise.all(entries.map(entry => describeCommand(entry, io)))
  const names = commands.map(({ name }) => name)
  const help = { name: 'help', description: 'Show help for a command.', options: [] }
  return [...commands, { ...help, arguments: [{ words: names }], repeats: false }]
}

async function describeCommand(entry: CommandEntry, io: Io): Promise<CompletedCommand> {
  const command = new Command(entry.name)
  ;(await entry.load())(command, io, () => {})
  const names = Object.keys(entry.arguments)
  return {
    name: entry.name,
    description: entry.description,
    options: [...command.options.filter(({ hidden }) => !hidden).map(describeOption), helpOption],
    arguments: names.map(name => completeArgument(entry, name)),
    repeats: names.at(-1)?.includes('...') === true,
  }
}

function describeOption(option: Option): CompletedOption {
  const { long, short, description, required, optional } = option
  const value = required || optional ? completeOption(option) : undefined
  return {
    long: long ?? short ?? '',
    description: firstSentence(description),
    ...(short === undefined || long === undefined ? {} : { short }),
    ...(value === undefined ? {} : { value }),
  }
}

const byPlaceholder: Readonly<Record<string, ValueCompletion>> = {
  file: 'files',
  path: 'files',
  'files...': 'files',
  folder: 'folders',
  dir: 'folders',
}

function completeOption({ long, flags, argChoices }: Option): ValueCompletion {
  if (argChoices !== undefined) return { words: argChoices }
  const placeholder = /[<[]([^\]>]*)[\]>]/.exec(flags)?.[1] ?? ''
  switch (long) {
    case '--model':
      return { words: modelNames() }
    case '--syntax':
    case '--tool-syntax':
    case '--salvage-dialect':
      return { words: syntaxNames(), ...(placeholder === 'names' && { isList: true }) }
    case '--to':
      return { words: [...transcriptFormats, 'html', 'markdown'] }
    case '--from':
      return { words: transcriptFormats }
    case '--approve':
      return { words: ['ask', 'all', 'readonly', 'none'] }
    case '--tools':
      if (placeholder === 'names') return { words: [...builtinNames], isList: true }
      break
    default:
  }
  return byPlaceholder[placeholder] ?? 'nothing'
}

function completeArgument({ name: command, arguments: known, completes }: CommandEntry, name: string): ValueCompletion {
  if (command === 'manual') return { words: manualTopics() }
  if (completes !== undefined && Object.hasOwn(completes, name)) return { words: completes[name]! }
  if (/file/.test(name)) return command === 'parse' ? 'files' : 'documents'
  return /folder|from|to/.test(name) && known[name] !== undefined ? 'folders' : 'nothing'
}

function manualTopics(): string[] {
  const folder = findManual()
  return folder === undefined ? [] : readPages(folder).flatMap(({ topic }) => (topic === HOME ? [] : [topic]))
}

/** Complete model names, and provider prefixes that need a typed model name. */
function modelNames(): string[] {
  return listProviders({}).map(({ example }) => example.replace(/(?:NAME|FILE)$/, ''))
}

function syntaxNames(): string[] {
  return listSyntaxes().flatMap(({ name, aliases }) => [name, ...aliases])
}

function firstSentence(text: string): string {
  return text.split(/[;:.](?:\s|$)/, 1)[0]!.replaceAll(/\s+/g, ' ')
}
