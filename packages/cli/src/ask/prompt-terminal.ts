import type { Readable } from 'node:stream'
import { getColumns, getRows } from '../io/columns.ts'
import type { Io } from '../io/io.ts'
import type { Terminal } from '../view/screen.ts'

export interface PromptTerminal {
  input: Readable
  output: Terminal
  env: Io['env']
}

export function findPromptTerminal(io: Io, flags: { json?: boolean }): PromptTerminal | undefined {
  if (io.stdin.isTTY !== true) return undefined
  const output = flags.json !== true && io.stdout.isTTY === true ? io.stdout : io.stderr
  if (output.isTTY !== true) return undefined
  // Prompts read the size from the terminal itself.
  Object.assign(output, { columns: getColumns(output), rows: getRows(output) })
  return { input: io.stdin, output, env: io.env }
}
