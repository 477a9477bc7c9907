import type { LeaseOptions, Sidecar, Store } from './store.ts'

interface AppendOptions {
  isSigned?: boolean
  lock?: LeaseOptions
}

/**
 * Takes a document and adds one record to its sidecar: the one that `choose` makes of the records that are there, or none if
 * that is undefined. Rejects with `RUN_LOCKED` while another process has the document.
 */
export async function appendRecord(
  store: Store,
  path: string,
  choose: (sidecar: Sidecar) => unknown,
  { isSigned = true, lock }: AppendOptions = {},
): Promise<void> {
  const lease = await store.leases.take(path, lock)
  try {
    const record = await choose(await store.sidecars.read(path))
    if (record === undefined) return
    const sidecar = await store.sidecars.open(path, lease)
    try {
      sidecar.append(record, { isSigned })
      await sidecar.sync()
    } finally {
      await sidecar.close()
    }
  } finally {
    await lease.release()
  }
}
