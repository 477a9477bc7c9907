import type { Sandbox } from './sandbox.ts'

/** More are counted instead of named. */
const NAMED = 5

/** Which boundary holds, for the person who is asked. */
export function describeConfined(kind: Sandbox['kind'], network: boolean): string {
  const files = 'it can change files only in the folders of the run, and does not see your secrets'
  return `Confined by ${kind}: ${files}; the network is ${network ? 'open' : 'closed'}.`
}

/** That no boundary holds, and why. */
export function describeUnconfined(reason: string): string {
  return `Not confined: it can do everything that you can. ${reason}`
}

/** The last line of a result that failed inside the boundary. */
export function describeClosed(network: boolean): string {
  const closed = [
    'files outside the folders of the run, and `.git` and settings inside them, are read-only',
    'secrets of the user and sockets are hidden',
    ...(network ? [] : ['the network is closed']),
  ].join('; ')
  const open = [
    '`--allow-path DIR` opens a folder',
    ...(network ? [] : ['`network` on the `<tool>` opens the network']),
    '`--sandbox off` opens everything',
  ].join(', ')
  return `[This program ran confined: ${closed}. If that is why it failed, the user can change it: ${open}.]`
}

/** The line for what a program made that others may obey later. */
export function describeMade(paths: readonly string[]): string {
  const names = paths.slice(0, NAMED).map(path => JSON.stringify(path))
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : ''
  return `[This program made ${names.join(', ')}${more}, which other programs may obey later. The user should look at it.]`
}
