import type { Readable } from 'node:stream'
import { getColumns, getRows } from '../io/columns.ts'
import type { Io } from '../io/io.ts'
import type { Terminal } from '../view/screen.ts'

/** The terminal that questions are asked on. */
export interface PromptTerminal {
  input: Readable
  output: Terminal
  env: Io['env']
}

/** The terminal of whoever started the command, or undefined where nobody can be asked. */
export function findPromptTerminal(io: Io, flags: { json?: boolean }): PromptTerminal | undefined {
  if (io.stdin.isTTY !== true) return undefined
  const output = flags.json !== true && io.stdout.isTTY === true ? io.stdout : io.stderr
  if (output.isTTY !== true) return undefined
  // Prompts ask the terminal itself how large it is.
  Object.assign(output, { columns: getColumns(output), rows: getRows(output) })
  return { input: io.stdin, output, env: io.env }
}
