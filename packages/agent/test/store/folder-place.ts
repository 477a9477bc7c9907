import { closeSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { KillPoint, StorePlace } from '@argot/agent/testing'
import { type Disk, nodeDisk } from '../../src/store/folder/disk.ts'
import { folderStoreOn } from '../../src/store/folder/folder-store.ts'
import { fastDisk } from '../transcript/unsafe-disk.ts'

const key = Buffer.from('the key of the user of these tests')
const otherKey = Buffer.from('the key of somebody else altogether')

/** A folder of its own, as the suite wants it. */
export async function folderPlace(documents: Readonly<Record<string, string>>): Promise<StorePlace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-store-')))
  const open = new Set<number>()
  for (const [path, text] of Object.entries(documents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return {
    open: kill => folderStoreOn(kill === undefined ? fastDisk : deadlyDisk(kill, open), folder, { key }),
    openAsStranger: () => folderStoreOn(fastDisk, folder, { key: otherKey }),
    async expire(path) {
      const lock = join(folder, dirname(path), '.chatmd/locks', `${path}.lock`)
      if (!existsSync(lock)) return
      const { epoch } = JSON.parse(readFileSync(lock, 'utf8'))
      // No process has this number.
      writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 7, host: hostname(), since: 0, epoch, nonce: 'dead' }))
    },
    async tear(path, run) {
      const log = join(folder, '.chatmd/runs', path, `${run}.jsonl`)
      const text = readFileSync(log)
      const lastLine = text.lastIndexOf(10, text.length - 2) + 1
      truncateSync(log, (lastLine + text.length) >> 1)
    },
    async remove() {
      for (const fd of open) closeSync(fd)
      open.clear()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A disk on which a process dies. What it had open is closed by whoever removes the place. */
function deadlyDisk(kill: KillPoint, fds: Set<number>): Disk {
  return {
    open(path, flags) {
      const fd = kill.run(() => nodeDisk.open(path, flags))
      fds.add(fd)
      return fd
    },
    write: (fd, bytes) => kill.run(() => nodeDisk.write(fd, bytes)),
    truncate: (fd, size) => kill.run(() => nodeDisk.truncate(fd, size)),
    sync: async () => kill.run(() => {}),
    syncNow: () => kill.run(() => {}),
    close(fd) {
      if (fds.delete(fd)) nodeDisk.close(fd)
    },
  }
}
