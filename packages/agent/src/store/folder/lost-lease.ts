import { ArgotError } from '@argot/core'

export function leaseLost(name: string): ArgotError {
  const message = `Another process has taken \`${name}\` over, so this run writes nothing more.`
  return new ArgotError('RUN_LEASE_LOST', message)
}

/** Written after another process took the document. It can't be undone; the other process will notice. */
export function wroteLate(name: string): ArgotError {
  const message = `Another process took \`${name}\` over while this run was writing to it, so the last elements may be there twice. The next run moves those that its log lacks to \`.chatmd/tail-N.txt\`.`
  return new ArgotError('RUN_LEASE_LOST', message)
}

export function lockRemoved(name: string, lock: string): ArgotError {
  const message = `The lock of \`${name}\` was removed while this run held it (\`${lock}\`), so this run writes nothing more: another process may have the document. Run it again to continue.`
  return new ArgotError('RUN_LEASE_LOST', message)
}

export function stateRemoved(name: string): ArgotError {
  const message = `The folder \`.chatmd\` beside \`${name}\`, or a part of it, was deleted or moved while a run was writing there, so this run writes nothing more. What the document has stays. If you put the folder back, the next run continues this one; if it is gone, run the document again to answer its last message.`
  return new ArgotError('RUN_STATE_REMOVED', message)
}
