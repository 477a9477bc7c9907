import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { makeFoldersFor, removeFile, removeFolders, renameFile, setMode } from '../../files/replace-file.ts'
import type { Workspace } from '../../files/workspace.ts'
import { toMessage } from '../../words/to-message.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { PlannedChange } from './plan-patch.ts'

interface UndoStep {
  real: string
  run(): Promise<unknown>
}

/**
 * Writes all changes, or none: if one fails, undoes those before it and throws a `ToolFailure`. Files to
 * delete or move away are renamed first and removed last.
 */
export async function writeChanges(changes: readonly PlannedChange[], workspace: Workspace): Promise<void> {
  const undos: UndoStep[] = []
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
    throw await undoAll(undos, current, error, workspace)
  }
  // The patch is done by now. A leftover that can't be removed must not make it look failed.
  await Promise.allSettled(aside.map(path => removeFile(path, workspace.show(path))))
}

async function writeOne(
  change: Exclude<PlannedChange, { operation: 'delete' }>,
  workspace: Workspace,
  undos: UndoStep[],
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

/** A file that is only renamed can be restored completely. */
async function putAside(real: string, name: string, undos: UndoStep[]): Promise<string> {
  const path = join(dirname(real), `.argot-${randomBytes(8).toString('hex')}`)
  await renameFile(real, path, name)
  undos.push({ real, run: () => renameFile(path, real, name) })
  return path
}

async function undoAll(
  undos: readonly UndoStep[],
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
      ? 'Earlier writes were rolled back: no file has changed.'
      : `Earlier writes were rolled back, except ${stuck.join(', ')}.`
  const message = `${workspace.show(failed)} couldn't be written: ${reason.replace(/\.$/, '')}. ${state}`
  return new ToolFailure('TOOL_PATCH_NOT_WRITTEN', message, { cause: error })
}
