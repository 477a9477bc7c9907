import type { JsonSchema } from '@argot/core'
import type { Workspace } from '../../files/workspace.ts'
import { QUERY_WORDS } from '../../search/search-index.ts'
import { createSnippet, findMatches } from '../../search/snippet.ts'
import { queryWords } from '../../search/split-words.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { defineTool } from '../define-tool.ts'
import { textParameter } from '../text-parameter.ts'
import type { Tool } from '../tool.ts'
import type { MarkdownFolder } from './markdown-folder.ts'
import { requireFolder } from './markdown-index.ts'
import { placeParameter } from './path-parameter.ts'
import { plainName } from './plain-name.ts'

const MAX_RESULTS = 50
const RESULTS = 10
const SNIPPET_WIDTH = 300
const HEADING_LENGTH = 120

const description = `Finds the Markdown files that have the given words, ranked by how well they fit, and returns "path:line", the heading and the words around the match for each. Searches a folder and all folders below it. Upper case and accents make no difference, and a word also finds longer words that begin with it. Files that have all words come first; if there are none, files with some of them are returned. For regular expressions and other files use grep. Folders that begin with a dot, node_modules and symbolic links are left out.`

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    query: textParameter('The words to look for, in any order.', 1000, 'install linux sandbox'),
    path: placeParameter('The folder to search'),
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_RESULTS,
      description: `How many files to return at most; ${RESULTS} if left out.`,
      examples: [5],
    },
  },
  required: ['query'],
  additionalProperties: false,
}

interface SearchInput {
  query: string
  path?: string
  limit?: number
}

export function createMarkdownSearch(workspace: Workspace, folder: MarkdownFolder): Tool {
  return defineTool<SearchInput>({
    name: 'markdown_search',
    title: 'Search Markdown',
    description,
    inputSchema,
    effect: 'read',
    timeoutMs: 600_000,
    subject: ({ path = '.' }) => ({ kind: 'path', paths: [path], tree: true }),
    async execute({ query, path = '.', limit = RESULTS }, { signal }) {
      const words = queryWords(query, QUERY_WORDS)
      if (words.length === 0)
        throw new ToolFailure('TOOL_BAD_PATTERN', 'The query has no letter and no digit. Give words to look for.')
      await requireFolder(workspace, path)
      const { files, notices } = await folder.update(path, signal)
      const { hits, hasAll } = await folder.search(path, query)
      const results: string[] = []
      for (const { path: name } of hits) {
        if (results.length === limit) break
        const text = await folder.read(name, signal)
        if (text !== undefined) results.push(describeResult(plainName(name), text, words))
      }
      const more = [
        ...(results.length === 0 ? [`Nothing found in ${files === 1 ? 'one file' : `${files} files`}.`] : []),
        ...(hasAll ? [] : ['No file has all of these words. These have some of them.']),
        ...(hits.length > limit
          ? [`Only the best ${limit} of ${hits.length} files; add words or raise the limit.`]
          : []),
        ...notices,
      ]
      return [...results, ...(more.length > 0 ? [`[${more.join(' ')}]`] : [])].join('\n')
    },
  })
}

function describeResult(name: string, text: string, words: readonly string[]): string {
  const { text: snippet, at } = createSnippet(text, findMatches(text, words), SNIPPET_WIDTH)
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const upTo = `${before}${/^.*/.exec(text.slice(at))![0]}`
  const heading = upTo
    .split('\n')
    .findLast(one => /^#{1,6}[ \t]/.test(one))
    ?.replace(/^#+\s*/, '')
    .trim()
    .slice(0, HEADING_LENGTH)
  return `${name}:${line}${heading === undefined || heading === '' ? '' : ` (${heading})`}\n    ${snippet}`
}
