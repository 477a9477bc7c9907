import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { type Disk, nodeDisk } from '../../src/store/folder/disk.ts'
import { makeDocument, storeOf } from '../transcript/runs.ts'

/** A disk that is full: it takes so many bytes more. */
function fullDisk(left: number): Disk {
  return {
    ...nodeDisk,
    write(fd, bytes) {
      if (bytes.length <= left) {
        left -= bytes.length
        return nodeDisk.write(fd, bytes)
      }
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    },
  }
}

test('a document on a full disk keeps its text, and no draft is left', async () => {
  const file = await makeDocument('<user>\nOld\n</user>\n')
  const { documents, leases } = storeOf(file, fullDisk(5))
  const lease = await leases.take(basename(file))
  const { version } = await documents.read(basename(file))
  await expect(documents.write(basename(file), 'x'.repeat(1000), { after: version, lease })).rejects.toThrow('ENOSPC')
  await lease.release()
  expect(readFileSync(file, 'utf8')).toBe('<user>\nOld\n</user>\n')
  expect(readdirSync(dirname(file)).sort()).toEqual(['.chatmd', basename(file)])
})

test('a document that another program changed in between is not written over', async () => {
  const file = await makeDocument('<user>\nOld\n</user>\n')
  const { documents, leases } = storeOf(file)
  const lease = await leases.take(basename(file))
  const { version } = await documents.read(basename(file))
  writeFileSync(file, 'Mine')
  const writing = documents.write(basename(file), 'New', { after: version, lease })
  await expect(writing).rejects.toMatchObject({ code: 'RUN_FILE_CHANGED' })
  expect(readFileSync(file, 'utf8')).toBe('Mine')
  await lease.release()
})

test('a document keeps its rights when it is written', async () => {
  const file = await makeDocument('Old')
  chmodSync(file, 0o600)
  const { documents, leases } = storeOf(file)
  const lease = await leases.take(basename(file))
  const { version } = await documents.read(basename(file))
  await documents.write(basename(file), 'New', { after: version, lease })
  await lease.release()
  expect(readFileSync(file, 'utf8')).toBe('New')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
