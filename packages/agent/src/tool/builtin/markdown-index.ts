import { stat } from 'node:fs/promises'
import type { JsonSchema } from '@argot/core'
import type { Workspace } from '../../files/workspace.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'
import type { MarkdownFolder } from './markdown-folder.ts'
import { placeParameter } from './path-parameter.ts'

const description =
  'Prepares the full-text index of the Markdown files in a folder and all folders below it, and says how many there are. `markdown_search` does this by itself: call this one first only to learn how much there is. Only files that have changed are read. Folders that begin with a dot, node_modules and symbolic links are left out.'

const inputSchema: JsonSchema = {
  type: 'object',
  properties: { path: placeParameter('The folder to index') },
  required: [],
  additionalProperties: false,
}

export function createMarkdownIndex(workspace: Workspace, folder: MarkdownFolder): Tool {
  return defineTool<{ path?: string }>({
    name: 'markdown_index',
    title: 'Index Markdown',
    description,
    inputSchema,
    effect: 'read',
    timeoutMs: 600_000,
    subject: ({ path = '.' }) => ({ kind: 'path', paths: [path], tree: true }),
    async execute({ path = '.' }, { signal }) {
      await requireFolder(workspace, path)
      const { files, changed, removed, notices } = await folder.update(path, signal)
      const count = files === 1 ? 'One Markdown file is' : `${files} Markdown files are`
      const words = `${count} in the index: ${changed} new or changed, ${removed} removed.`
      return [words, ...(notices.length > 0 ? [`[${notices.join(' ')}]`] : [])].join('\n')
    },
  })
}

export async function requireFolder(workspace: Workspace, path: string): Promise<void> {
  const real = await workspace.locate(path)
  if ((await stat(real)).isDirectory()) return
  throw new ToolFailure('TOOL_FILE_UNREADABLE', `${quoted(path)} is a file, not a folder. Use \`read_file\` for it.`)
}
