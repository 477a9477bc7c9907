import { questionTool } from '@argot/core/stream/internal'
import type { Workspace } from '../../files/workspace.ts'
import { createApplyPatchTool } from '../patch/apply-patch-tool.ts'
import type { Tool } from '../tool.ts'
import { createAppendToFile } from './append-to-file.ts'
import { createAskUser } from './ask-user.ts'
import { createFindAndReplace } from './find-and-replace.ts'
import { createFork, type RunFork } from './fork.ts'
import { createGlob } from './glob.ts'
import { createGrep } from './grep.ts'
import { createImportImage } from './import-image.ts'
import { MarkdownFolder } from './markdown-folder.ts'
import { createMarkdownIndex } from './markdown-index.ts'
import { createMarkdownSearch } from './markdown-search.ts'
import { createMetaRefine, type RefinePrompt } from './meta-refine.ts'
import { createReadDir } from './read-dir.ts'
import { createReadFile } from './read-file.ts'
import { createWebpageToMarkdown, type WebOptions } from './webpage-to-markdown.ts'
import { createWriteFile } from './write-file.ts'

export interface BuiltinToolsOptions {
  workspace: Workspace
  web?: WebOptions
  /** Used by `meta_refine`, which doesn't exist without it. */
  refine?: RefinePrompt | undefined
  /** Used by `fork`, which doesn't exist without it. */
  fork?: RunFork | undefined
  /** Signs the index that `markdown_search` keeps between runs. Without it, the index ends with the run. */
  indexKey?: (() => Promise<Uint8Array | undefined>) | undefined
}

type ToolParts = Required<Omit<BuiltinToolsOptions, 'indexKey'>> & { markdown: MarkdownFolder }

const factories: Readonly<Record<string, (parts: ToolParts) => Tool | undefined>> = {
  read_file: ({ workspace }) => createReadFile(workspace),
  get_contents: ({ workspace }) => createReadFile(workspace, 'get_contents'),
  read_dir: ({ workspace }) => createReadDir(workspace),
  write_file: ({ workspace }) => createWriteFile(workspace),
  append_to_file: ({ workspace }) => createAppendToFile(workspace),
  find_and_replace: ({ workspace }) => createFindAndReplace(workspace),
  apply_patch: ({ workspace }) => createApplyPatchTool(workspace),
  grep: ({ workspace }) => createGrep(workspace),
  glob: ({ workspace }) => createGlob(workspace),
  markdown_index: ({ workspace, markdown }) => createMarkdownIndex(workspace, markdown),
  markdown_search: ({ workspace, markdown }) => createMarkdownSearch(workspace, markdown),
  import_image: ({ workspace }) => createImportImage(workspace),
  webpage_to_markdown: ({ web }) => createWebpageToMarkdown(web),
  [questionTool]: () => createAskUser(),
  meta_refine: ({ refine }) => refine && createMetaRefine(refine),
  fork: ({ fork }) => fork && createFork(fork),
}

/** Documents are checked against these without creating a tool. */
export const builtinNames: readonly string[] = Object.keys(factories)

export const fileToolNames: ReadonlySet<string> = new Set(
  builtinNames.filter(name => !['webpage_to_markdown', questionTool, 'meta_refine', 'fork'].includes(name)),
)

/** Creates the tools that a document can name without defining them, by name. */
export function createBuiltinTools({
  workspace,
  web = {},
  refine,
  fork,
  indexKey,
}: BuiltinToolsOptions): Map<string, Tool> {
  const parts = { workspace, web, refine, fork, markdown: new MarkdownFolder(workspace, indexKey) }
  const tools = Object.values(factories).flatMap(make => make(parts) ?? [])
  return new Map(tools.map(tool => [tool.name, tool]))
}
