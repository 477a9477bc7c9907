import { stat } from 'node:fs/promises'
import type { JsonSchema } from '@argot/core'
import { compileGlob, type Glob } from '../../files/compile-glob.ts'
import { describeKind } from '../../files/local-file.ts'
import type { Workspace } from '../../files/workspace.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { defineTool } from '../define-tool.ts'
import { textParameter } from '../text-parameter.ts'
import type { Tool } from '../tool.ts'
import { placeParameter } from './path-parameter.ts'
import { plainName } from './plain-name.ts'
import { type WalkedFile, walkFolder } from './walk-folder.ts'

const MAX_FILES = 1000
const MAX_ENTRIES = 200_000

const description = `Finds files by a pattern of their paths: "*" and "?" stand for characters within a name, "**" for any number of folders, "{a,b}" for one of several texts, "[abc]" for one of several characters. "*.ts" finds only files directly in the folder, "**/*.ts" those in all folders below it. Names that begin with a dot and folders called node_modules are found only if the pattern names them. Returns at most ${MAX_FILES} paths, sorted; folders that are symbolic links are not entered.`

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    pattern: textParameter('The pattern, relative to the folder.', 1000, '**/*.md'),
    path: placeParameter('The folder to look in'),
  },
  required: ['pattern'],
  additionalProperties: false,
}

export function createGlob(workspace: Workspace): Tool {
  return defineTool<{ pattern: string; path?: string }>({
    name: 'glob',
    title: 'Find files',
    description,
    inputSchema,
    effect: 'read',
    subject: ({ path = '.' }) => ({ kind: 'path', paths: [path], tree: true }),
    async execute({ pattern, path = '.' }, { signal }) {
      const folder = await workspace.locate(path)
      const stats = await stat(folder)
      if (!stats.isDirectory()) {
        const message = `${quoted(path)} is ${describeKind(stats)}, not a folder. Name a folder.`
        throw new ToolFailure('TOOL_FILE_UNREADABLE', message)
      }
      const glob = readGlob(pattern)
      const { files, notices } = walkFolder(folder, {
        enter: createEnterCheck(glob, pattern),
        signal,
        limit: MAX_ENTRIES,
      })
      const lines: string[] = []
      let hasMore = false
      for await (const file of files) {
        if (!glob.matches(file.path) || (file.link && !(await leadsToFile(workspace, file)))) continue
        hasMore = lines.length === MAX_FILES
        if (hasMore) break
        lines.push(plainName(workspace.show(file.real)))
      }
      const notes = [...(hasMore ? [`Only the first ${MAX_FILES} files; use a narrower pattern.`] : []), ...notices()]
      if (lines.length === 0) notes.unshift(`No file matches ${quoted(pattern)}.`)
      return [...lines, ...(notes.length > 0 ? [`[${notes.join(' ')}]`] : [])].join('\n')
    },
  })
}

/** Throws if the pattern can't match because it doesn't start at the folder. */
export function readGlob(pattern: string): Glob {
  if (pattern.startsWith('/') || /(?:^|\/)\.\.(?:\/|$)/.test(pattern)) {
    const message = `${quoted(pattern)} is not relative to the folder. Name the folder in \`path\` instead.`
    throw new ToolFailure('TOOL_BAD_PATTERN', message)
  }
  return compileGlob(pattern.replace(/^(?:\.\/)+/, ''))
}

export function createEnterCheck(glob: Glob, pattern: string): (path: string, name: string) => boolean {
  const namesModules = pattern.includes('node_modules')
  return (path, name) => (name !== 'node_modules' || namesModules) && glob.mayMatchIn(path)
}

async function leadsToFile(workspace: Workspace, { real }: WalkedFile): Promise<boolean> {
  try {
    return (await stat(await workspace.locate(real))).isFile()
  } catch {
    return false
  }
}
