import { basename } from 'node:path'
import { ArgotError } from '@argot/core'

export function leaseLost(name: string): ArgotError {
  const message = `Another process has taken over \`${name}\`, so this run stopped writing.`
  return new ArgotError('RUN_LEASE_LOST', message)
}

/** Written after another process took the document. It can't be undone; the other process will notice. */
export function wroteLate(name: string): ArgotError {
  const message = `Another process took over \`${name}\` while this run was writing to it, so the last elements may appear twice. The next run moves elements that aren't in its log to \`.chatmd/tails/${basename(name)}/\`.`
  return new ArgotError('RUN_LEASE_LOST', message)
}

export function lockRemoved(name: string, lock: string): ArgotError {
  const message = `The lock of \`${name}\` was removed while this run held it (\`${lock}\`), so this run stopped writing: another process may hold the document. Run it again to continue.`
  return new ArgotError('RUN_LEASE_LOST', message)
}

export function stateRemoved(name: string): ArgotError {
  const message = `The \`.chatmd\` folder next to \`${name}\`, or part of it, was deleted or moved while a run was writing there, so this run stopped writing. The document keeps what it has. If you put the folder back, the next run continues this one. If the folder is lost, run the document again to answer its last message.`
  return new ArgotError('RUN_STATE_REMOVED', message)
}
