import type { LeaseOptions, Sidecar, Store } from './store.ts'

interface AppendOptions {
  isSigned?: boolean
  lock?: LeaseOptions
}

/**
 * Takes the document's lease for one append. `createRecord` gets the existing records; if it returns undefined, nothing
 * is appended. Rejects with `RUN_LOCKED` while another process holds the document.
 */
export async function appendRecord(
  store: Store,
  path: string,
  createRecord: (sidecar: Sidecar) => unknown,
  { isSigned = true, lock }: AppendOptions = {},
): Promise<void> {
  const lease = await store.leases.take(path, lock)
  try {
    const record = await createRecord(await store.sidecars.read(path))
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
