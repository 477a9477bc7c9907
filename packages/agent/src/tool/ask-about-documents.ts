import { isDocumentPath } from '../files/protected-names.ts'
import type { Workspace } from '../files/workspace.ts'
import { quoted } from '../words/quoted.ts'

/** Even if the policy allows every call: a document's content may be run later. Undefined if none is one. */
export async function askAboutDocuments(workspace: Workspace, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    // The tool itself refuses files that can't be written, with its own message.
    const real = await workspace.locateNew(path).catch(() => undefined)
    if (real !== undefined && (isDocumentPath(path) || isDocumentPath(real)))
      return `${quoted(path)} is an Argot document: what it contains runs when someone runs it.`
  }
  return undefined
}
