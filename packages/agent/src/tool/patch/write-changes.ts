import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { makeFoldersFor, removeFile, removeFolders, renameFile, setMode } from '../../files/replace-file.ts'
import type { Workspace } from '../../files/workspace.ts'
import { toMessage } from '../../words/message-of.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { FileChange } from './plan-patch.ts'

/** Takes one thing back. */
interface Undo {
  real: string
  run(): Promise<unknown>
}

/**
 * Writes all changes, or none: when one fails, those before it are taken back, and a `ToolFailure` says so. Files that
 * go are put aside first and removed last.
 */
export async function writeChanges(changes: readonly FileChange[], workspace: Workspace): Promise<void> {
  const undos: Undo[] = []
  const aside: string[] = []
  let current = ''
  try {
    for (const change of changes) {
      current = change.real
      if (change.operation !== 'delete') await writeOne(change, workspace, undos)
    }
    for (const change of changes) {
      if (change.operation !== 'delete' && change.operation !== 'move') continue
      current = change.operation === 'move' ? change.from : change.real
      aside.push(await putAside(current, workspace.show(current), undos))
    }
  } catch (error) {
    throw await takeBack(undos, current, error, workspace)
  }
  // The patch is done by now; a remainder that cannot be removed must not make it look undone.
  await Promise.allSettled(aside.map(path => removeFile(path, workspace.show(path))))
}

async function writeOne(
  change: Exclude<FileChange, { operation: 'delete' }>,
  workspace: Workspace,
  undos: Undo[],
): Promise<void> {
  const { real, text } = change
  if (change.operation === 'update') {
    if (text === change.original) return
    await workspace.write(real, text)
    undos.push({ real, run: () => workspace.write(real, change.original) })
    return
  }
  const folder = dirname(real)
  const name = workspace.show(real)
  await workspace.locateNew(real)
  const created = await makeFoldersFor(real, name)
  if (created !== undefined) undos.push({ real: folder, run: () => removeFolders(folder, created, name) })
  await workspace.write(real, text)
  undos.push({ real, run: () => removeFile(real, name) })
  if (change.operation === 'move') await setMode(real, change.mode & 0o7777, name)
}

/** A file that is only renamed comes back with all that it had. */
async function putAside(real: string, name: string, undos: Undo[]): Promise<string> {
  const path = join(dirname(real), `.argot-${randomBytes(8).toString('hex')}`)
  await renameFile(real, path, name)
  undos.push({ real, run: () => renameFile(path, real, name) })
  return path
}

async function takeBack(
  undos: readonly Undo[],
  failed: string,
  error: unknown,
  workspace: Workspace,
): Promise<ToolFailure> {
  const stuck: string[] = []
  for (const { real, run } of undos.toReversed()) {
    try {
      await run()
    } catch {
      stuck.push(workspace.show(real))
    }
  }
  const reason = toMessage(error)
  const state =
    stuck.length === 0
      ? 'What had been written before that was restored: no file is changed.'
      : `What had been written before that was restored, except ${stuck.join(', ')}.`
  const message = `${workspace.show(failed)} could not be written: ${reason.replace(/\.$/, '')}. ${state}`
  return new ToolFailure('TOOL_PATCH_NOT_WRITTEN', message, { cause: error })
}
