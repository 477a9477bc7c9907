import { Command } from 'commander'
import { runCommand } from '../src/commands/run.ts'
import { previewScript, runScript } from './scripted-run.ts'

// `argot run`, as a process of its own, on a script in place of a model.
const program = new Command('argot')
const run = program.command('run').argument('<file>')
runCommand(run, process, status => (process.exitCode = status), {
  runDocument: runScript,
  previewDocument: previewScript,
})
await program.parseAsync(process.argv.slice(2), { from: 'user' })
