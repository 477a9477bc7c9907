import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonSchema } from '@argot/core'
import { describeKind, describeReason } from '../../files/local-file.ts'
import type { Workspace } from '../../files/workspace.ts'
import { describeBytes } from '../../words/describe-bytes.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'
import { placeParameter } from './path-parameter.ts'
import { plainName } from './plain-name.ts'
import { type FolderEntry, type FolderListing, listFolder } from './walk-folder.ts'

const MAX_ENTRIES = 1000
/** At most this many names are read and sorted; of a larger folder, only some are shown. */
const MAX_READ = 100_000

const description = `Lists what is in a folder, one entry to a line and sorted: folders end with "/", symbolic links with "@", files are followed by their size. At most ${MAX_ENTRIES} entries are returned; a notice in brackets then says how many there are.`

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: placeParameter('The folder'),
  },
  additionalProperties: false,
}

export function createReadDir(workspace: Workspace): Tool {
  return defineTool<{ path?: string }>({
    name: 'read_dir',
    title: 'List folder',
    description,
    inputSchema,
    effect: 'read',
    subject: ({ path = '.' }) => ({ kind: 'path', paths: [path] }),
    async execute({ path = '.' }) {
      const real = await workspace.locate(path)
      const { entries, hasMore } = await listEntries(real, path)
      if (entries.length === 0) return '[The folder is empty.]'
      const lines = await Promise.all(entries.slice(0, MAX_ENTRIES).map(entry => describeEntry(real, entry)))
      if (entries.length > MAX_ENTRIES) {
        const count = hasMore ? `more than ${MAX_READ}` : entries.length
        lines.push(`[${MAX_ENTRIES} of ${count} entries. Use a pattern of names to find others.]`)
      }
      return lines.join('\n')
    },
  })
}

async function listEntries(real: string, path: string): Promise<FolderListing> {
  try {
    const stats = await stat(real)
    if (stats.isDirectory()) return await listFolder(real, MAX_READ)
    const message = `${quoted(path)} is ${describeKind(stats)}, not a folder. Name a folder.`
    throw new ToolFailure('TOOL_FILE_UNREADABLE', message)
  } catch (error) {
    if (error instanceof ToolFailure) throw error
    const message = `${quoted(path)} cannot be listed: ${describeReason(error)}. Choose another folder.`
    throw new ToolFailure('TOOL_FILE_UNREADABLE', message)
  }
}

async function describeEntry(folder: string, { name, kind }: FolderEntry): Promise<string> {
  const label = plainName(name)
  if (kind === 'folder') return `${label}/`
  if (kind === 'link') return `${label}@`
  const stats = await lstat(join(folder, name)).catch(() => undefined)
  if (stats === undefined) return label
  return stats.isFile() ? `${label} (${describeBytes(stats.size)})` : `${label} (${describeKind(stats)})`
}
