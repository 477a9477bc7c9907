import type { Workspace } from '../../files/workspace.ts'
import { createApplyPatchTool } from '../patch/apply-patch-tool.ts'
import type { Tool } from '../tool.ts'
import { createAppendToFile } from './append-to-file.ts'
import { createAskUser } from './ask-user.ts'
import { createFindAndReplace } from './find-and-replace.ts'
import { createGlob } from './glob.ts'
import { createGrep } from './grep.ts'
import { createImportImage } from './import-image.ts'
import { createMetaRefine, type RefinePrompt } from './meta-refine.ts'
import { createReadDir } from './read-dir.ts'
import { createReadFile } from './read-file.ts'
import { createWebpageToMarkdown, type WebOptions } from './webpage-to-markdown.ts'
import { createWriteFile } from './write-file.ts'

export interface BuiltinToolsOptions {
  /** The part of the disk that the tools may use. */
  workspace: Workspace
  /** How pages are fetched: private addresses, limits, name lookup. */
  web?: WebOptions
  /** What `meta_refine` asks; without it there is no such tool. */
  refine?: RefinePrompt | undefined
}

/** The tools that a document can name without saying what they are, by name. */
export function createBuiltinTools({ workspace, web = {}, refine }: BuiltinToolsOptions): Map<string, Tool> {
  const tools: Tool[] = [
    createReadFile(workspace),
    createReadFile(workspace, 'get_contents'),
    createReadDir(workspace),
    createWriteFile(workspace),
    createAppendToFile(workspace),
    createFindAndReplace(workspace),
    createApplyPatchTool(workspace),
    createGrep(workspace),
    createGlob(workspace),
    createImportImage(workspace),
    createWebpageToMarkdown(web),
    createAskUser(),
    ...(refine === undefined ? [] : [createMetaRefine(refine)]),
  ]
  return new Map(tools.map(tool => [tool.name, tool]))
}
