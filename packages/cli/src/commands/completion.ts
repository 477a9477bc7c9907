import { nearestNames } from '@argot/core/stream/internal'
import { print, UsageError } from '../io/io.ts'
import type { CommandEntry, CompleteCommand } from './command-entry.ts'
import { describeCommands } from './completion/describe-commands.ts'
import { writeBash } from './completion/write-bash.ts'
import { writeFish } from './completion/write-fish.ts'
import { writeZsh } from './completion/write-zsh.ts'

const writers = new Map([
  ['bash', writeBash],
  ['zsh', writeZsh],
  ['fish', writeFish],
])

/** The script completes commands, options, files, models, syntaxes and tools without starting a process. */
export function createCompletionCommand(entries: readonly CommandEntry[]): CompleteCommand {
  return (command, io, done) => {
    command
      .addHelpText(
        'after',
        `
  argot completion bash > ~/.local/share/bash-completion/completions/argot
  argot completion zsh > "\${fpath[1]}/_argot"
  argot completion fish > ~/.config/fish/completions/argot.fish

The script contains all names and runs no program.
Install it again after an update.`,
      )
      .action(async (shell: string) => {
        const write = writers.get(shell)
        if (write === undefined) throw unknownShell(shell)
        await print(io, write(await describeCommands(entries, io)))
        done(0)
      })
  }
}

function unknownShell(shell: string): UsageError {
  const names = [...writers.keys()]
  const [nearest] = nearestNames(shell, names, 1)
  const cure = nearest === undefined ? `Shells: ${names.join(', ')}.` : `Did you mean "${nearest}"?`
  return new UsageError(`There is no completion for "${shell}". ${cure}`)
}
