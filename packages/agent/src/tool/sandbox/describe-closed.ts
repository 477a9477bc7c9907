import { SEARCHED_ENTRIES } from '../../files/find-protected.ts'
import type { Sandbox } from './sandbox.ts'

/** More are counted instead of named. */
const MOST_NAMED = 5

export function describeConfined(kind: Sandbox['kind'], network: boolean): string {
  const files = "it can change files only in the run's folders, and can't see your secrets"
  return `Confined by ${kind}: ${files}; the network is ${network ? 'open' : 'closed'}.`
}

export function describeUnconfined(reason: string): string {
  return `Not confined: it can do everything you can. ${reason}`
}

export function describeClosed(network: boolean): string {
  const closed = [
    "files outside the run's folders, and `.git` and settings inside them, are read-only",
    "the user's secrets and sockets are hidden",
    ...(network ? [] : ['the network is closed']),
  ].join('; ')
  const open = [
    '`--allow-path DIR` opens a folder',
    ...(network ? [] : ['`network` on the `<tool>` opens the network']),
    '`--sandbox off` opens everything',
  ].join(', ')
  return `[This program ran confined: ${closed}. If that is why it failed, the user can change it: ${open}.]`
}

export function describeCreated(paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMED).map(path => JSON.stringify(path))
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''
  return `[This program made ${names.join(', ')}${more}, which other programs may obey later. The user should check it.]`
}

export function describeUnsearched(): string {
  const count = SEARCHED_ENTRIES.toLocaleString('en').replaceAll(',', ' ')
  return `The run's folders contain more than ${count} entries. Beyond those, files that other programs obey (such as \`.git\`) are not found or protected, unless they were found earlier.`
}

export function describeMissing(paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMED).map(path => JSON.stringify(path))
  return `Didn't exist when the run began, so it stays closed unless it is inside another folder of the run: ${names.join(', ')}.`
}

export function describeLinked(folders: readonly { path: string; real: string }[]): string {
  const names = folders
    .slice(0, MOST_NAMED)
    .map(({ path, real }) => `${JSON.stringify(path)} (to ${JSON.stringify(real)})`)
  return `Closed, because a link inside the run's folders leads there and a program may have created it. To open it, name the folder itself: ${names.join(', ')}.`
}
