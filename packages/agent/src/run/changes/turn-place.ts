import { dirname, resolve } from 'node:path'
import { RuleBook } from '../../approval/rule-book.ts'
import { createWorkspace, type Workspace } from '../../files/workspace.ts'
import { collectRules } from '../../settings/collect-rules.ts'
import { findConfigFolder } from '../../settings/config-folder.ts'
import { loadSettings } from '../../settings/load-settings.ts'
import type { FileVersions, Store } from '../../store/store.ts'
import { findPlace } from '../document/document-place.ts'
import { pathsToProtect, toolRoots } from '../document/tool-roots.ts'
import type { RunOptions } from '../run-options.ts'

/** Where a document's turns changed files, and what its file tools may do there. */
export interface TurnPlace {
  store: Store
  path: string
  /** The folder that record paths are relative to. */
  directory: string
  versions: FileVersions | undefined
  workspace: Workspace
  /** The rule that forbids writing a file, in words. */
  findDenial(real: string): Promise<string | undefined>
}

/** The tools whose rules apply to an undo. */
const writers = ['write_file', 'apply_patch']

export async function findTurnPlace(document: string, options: RunOptions): Promise<TurnPlace> {
  const { env = process.env, cwd = process.cwd(), allowPaths = [] } = options
  const { output: _, ...rest } = options
  const { store, path, source, target } = await findPlace(document, rest)
  const directory = dirname(target)
  const configFolder = options.configFolder ?? findConfigFolder({ env })
  const roots = toolRoots({ cwd: resolve(cwd), directory, allowPaths })
  const workspace = createWorkspace({ roots, protectedPaths: pathsToProtect(configFolder, [source, target]) })
  const settings = await loadSettings({ directory, configFolder, env })
  const { rules } = collectRules({ flag: options.rules, settings: settings.rules })
  const book = new RuleBook({ policy: 'ask', rules, roots, path: env.PATH })
  return {
    store,
    path,
    directory,
    versions: store.versions?.(path),
    workspace,
    async findDenial(real) {
      for (const toolName of writers) {
        const rule = await book.findDenial({ toolName, effect: 'write', subject: { kind: 'path', paths: [real] } })
        if (rule !== undefined) return rule.text
      }
      return undefined
    },
  }
}
