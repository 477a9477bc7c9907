import { isDocumentPath } from '../files/protected-names.ts'
import type { Workspace } from '../files/workspace.ts'
import { quoted } from '../words/quoted.ts'

/**
 * Why a person must be asked before these files are changed, even where every call is allowed: one of them is a document,
 * and what it says may be run some day. Undefined if none is.
 */
export async function askAboutDocuments(workspace: Workspace, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    // What cannot be written is refused by the tool itself, in its own words.
    const real = await workspace.locateNew(path).catch(() => undefined)
    if (real !== undefined && (isDocumentPath(path) || isDocumentPath(real)))
      return `${quoted(path)} is a document of Argot: what it says is run when somebody runs it.`
  }
  return undefined
}
