import { readTurnChanges, undoTurn } from '@argot/agent/internal'
import { confirm, isCancel } from '@clack/prompts'
import type { Command } from 'commander'
import { withCalmInput } from '../ask/calm-input.ts'
import { findPromptTerminal } from '../ask/prompt-terminal.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { createPaint, type Paint, wantsColours } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'

interface UndoFlags {
  run?: string
  dryRun?: boolean
  yes?: boolean
  allowPath?: string[]
  json?: boolean
}

type UndoableTurn = Awaited<ReturnType<typeof readTurnChanges>>
type UndoableFile = UndoableTurn['files'][number]

export function undoCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--run <id>', 'undo another turn, by the id of its run')
    .option('--dry-run', 'show what would be undone and exit')
    .option('-y, --yes', 'undo without asking')
    .option(
      '--allow-path <dir>',
      'also restore files in this folder; may be repeated',
      (dir: string, all: string[] = []) => [...all, dir],
    )
    .option('--json', 'print the result for each file as JSON')
    .addHelpText(
      'after',
      `
Restores the files that the built-in file tools changed in the turn. A file that
has changed since is left alone. The effects of programs, MCP servers and
requests can't be undone. They are listed.`,
    )
    .action(async (file: string, flags: UndoFlags) => done(await undo(file, flags, io)))
}

async function undo(file: string, flags: UndoFlags, io: Io): Promise<number> {
  const { run, dryRun = false, yes = false, json = false } = flags
  const options = { cwd: io.cwd(), env: io.env, allowPaths: flags.allowPath ?? [] }
  const changes = await readTurnChanges(file, run, options)
  const ready = changes.files.filter(({ state }) => state === 'ready')
  if (dryRun && json) return print(io, jsonLine(changes)).then(() => 0)
  if (!json) await print(io, describePlan(changes, createPaint(wantsColours(io, io.stdout))))
  if (dryRun) return 0
  if (ready.length === 0 && !json) {
    await tell(io, 'Nothing to undo.\n')
    return changes.files.some(({ state }) => state === 'refused') ? 1 : 0
  }
  if (!yes && !(await askUndo(ready.length, io))) {
    await tell(io, 'Nothing was undone.\n')
    return 1
  }
  // The turn that was shown, even if another one has started since.
  const { files, ...rest } = await undoTurn(file, changes.run, options)
  const refused = files.filter(({ outcome }) => outcome === 'refused')
  if (json) await print(io, jsonLine({ files, ...rest }))
  else {
    const restored = files.filter(({ outcome }) => outcome === 'restored').length
    const left = refused.length === 0 ? '' : ` ${countFiles(refused.length)} left unchanged.`
    await tell(io, `Restored ${countFiles(restored)}.${left}\n`)
  }
  return refused.length > 0 ? 1 : 0
}

async function askUndo(count: number, io: Io): Promise<boolean> {
  const terminal = findPromptTerminal(io, {})
  if (terminal === undefined)
    throw new UsageError('No one can answer the question. Use --yes, or --dry-run to look first.')
  const { output } = terminal
  const message = `Restore ${countFiles(count)}?`
  const answer = await withCalmInput(terminal.input, input =>
    confirm({ message, initialValue: false, withGuide: false, input, output }),
  )
  return !isCancel(answer) && answer
}

function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count} files`
}

function describePlan({ files, effects, undoneAt }: UndoableTurn, paint: Paint): string {
  const lines = files.map(file => describeFile(file, paint))
  // Effects may have changed files, too: those of programs, and those of turns from before files were kept.
  if (files.length === 0 && effects.length === 0) lines.push('The turn changed no files.')
  if (undoneAt !== undefined) lines.push(`Undone at ${new Date(undoneAt).toISOString()}.`)
  if (effects.length > 0) {
    const names = effects.map(({ text }) => safeText(text).replaceAll('\n', ' '))
    lines.push(`Can't be undone: ${names.join(', ')}.`)
  }
  return `${lines.join('\n')}\n`
}

const verbs: Readonly<Record<UndoableFile['operation'], string>> = {
  add: 'remove ',
  update: 'restore',
  delete: 'restore',
  move: 'move   ',
}

function describeFile({ path, from, operation, state, added, removed, reason }: UndoableFile, paint: Paint): string {
  const name = safeText(from === undefined ? path : `${path} → ${from}`).replaceAll('\n', '\u240a')
  if (state === 'refused') return `${paint('leave  ', 'yellow')}  ${name}: ${safeText(reason ?? '')}`
  if (state === 'undone') return `${paint('undone ', 'dim')}  ${name}`
  const count = added === undefined || removed === undefined ? '' : `  +${added} −${removed}`
  return `${paint(verbs[operation], 'bold')}  ${name}${paint(count, 'dim')}`
}
