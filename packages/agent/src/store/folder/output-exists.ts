import { lstatSync } from 'node:fs'
import { ArgotError } from '@argot/core'

export function outputExists(target: string): ArgotError {
  const cure = 'To continue it, run that document. Otherwise remove it, or choose another file.'
  return new ArgotError('RUN_OUTPUT_EXISTS', `\`${target}\` already exists. ${cure}`)
}

/** Throws if something exists there, even a broken link. */
export function refuseExisting(target: string): void {
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw outputExists(target)
}
