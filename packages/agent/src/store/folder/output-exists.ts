import { lstatSync } from 'node:fs'
import { ArgotError } from '@argot/core'

/** The error for a file that would be written over. */
export function outputExists(target: string): ArgotError {
  const cure = 'Run that document itself to continue it, remove it, or name another file.'
  return new ArgotError('RUN_OUTPUT_EXISTS', `\`${target}\` already exists. ${cure}`)
}

/** Throws where there is something already, a link to nowhere included. */
export function refuseExisting(target: string): void {
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw outputExists(target)
}
