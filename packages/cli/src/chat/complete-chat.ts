import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { askServers, listProviders } from '@argot/agent/internal'
import { type Complete, type Completion, rankNames } from '../composer/completion.ts'
import { type CommandContext, slashCommands } from './slash-commands.ts'

const MOST_ITEMS = 50
const MOST_FILES = 5000
const skippedFolders = new Set(['node_modules', 'dist', '__pycache__', 'target'])

export function completeChat(context: CommandContext, files: () => readonly string[]): Complete {
  return (text, cursor) => completeCommand(text, cursor, context) ?? completeFile(text, cursor, files)
}

function completeCommand(text: string, cursor: number, context: CommandContext): Completion | undefined {
  const before = text.slice(0, cursor)
  const name = /^\/([a-z]*)$/.exec(before)?.[1]
  if (name !== undefined) {
    const commands = slashCommands.filter(command => command.name.startsWith(name))
    return {
      start: 0,
      end: cursor,
      items: commands.map(command => ({
        text: `/${command.name}`,
        about: command.about,
        isWhole: command.usage === undefined,
      })),
    }
  }
  const match = /^\/([a-z]+)\s+(?:\S+\s+)*(\S*)$/.exec(before)
  const complete = match && slashCommands.find(command => command.name === match[1])?.complete
  if (!match || complete === undefined || complete === null) return undefined
  const typed = match[2]!
  const items = rankNames(complete(context), typed, MOST_ITEMS).map(one => ({ text: one, isWhole: true }))
  return { start: cursor - typed.length, end: cursor, items }
}

function completeFile(text: string, cursor: number, files: () => readonly string[]): Completion | undefined {
  const match = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, cursor))
  if (match === null) return undefined
  const typed = match[1]!
  const items = rankNames(files(), typed, MOST_ITEMS).map(name => ({
    text: `@${/\s/.test(name) ? `"${name}"` : name}`,
  }))
  return { start: cursor - typed.length - 1, end: cursor, items }
}

/** Lists the files of a folder and its subfolders, breadth first. Skips hidden files and installed packages. */
export async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = []
  const folders = [folder]
  while (folders.length > 0 && files.length < MOST_FILES) {
    const next = folders.shift()!
    const entries = await readdir(next, { withFileTypes: true }).catch(() => [])
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || skippedFolders.has(entry.name)) continue
      const path = join(next, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (files.length < MOST_FILES) files.push(relative(folder, path).split(sep).join('/'))
    }
  }
  return files
}

/** The models that work with the current settings. Asks servers on this machine for their lists. */
export async function listModels(env: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  const providers = listProviders(env)
  const servers = await askServers(providers, env).catch(() => new Map<string, { models?: readonly string[] }>())
  const names = providers.flatMap(({ name, example, isReady }) => {
    const serverModels = servers.get(name)?.models ?? []
    return serverModels.length > 0
      ? serverModels.map(model => `${name}:${model}`)
      : isReady && !/NAME|FILE/.test(example)
        ? [example]
        : []
  })
  return [...new Set([...names, 'demo'])]
}
