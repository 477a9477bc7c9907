import { closeSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { KillPoint, StorePlace } from '@argot/agent/testing'
import { type Disk, nodeDisk } from '../../src/store/folder/disk.ts'
import { folderStoreOn } from '../../src/store/folder/folder-store.ts'
import type { LockClock } from '../../src/store/folder/lock-watch.ts'
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
  const lock = { leaseMs: 2000, clock: hastyClock() }
  return {
    open: kill => folderStoreOn(kill === undefined ? fastDisk : deadlyDisk(kill, open), folder, { key, ...lock }),
    openFull(room) {
      const disk = smallDisk(room)
      return { store: folderStoreOn(disk, folder, { key, ...lock }), free: () => disk.free() }
    },
    async fallSilent(path) {
      const file = join(folder, dirname(path), '.chatmd/locks', `${path}.lock`)
      const { epoch } = JSON.parse(readFileSync(file, 'utf8'))
      rmSync(file)
      writeFileSync(file, JSON.stringify({ pid: 7, host: 'elsewhere.example', since: 0, epoch, nonce: 'silent' }))
    },
    openAsStranger: () => folderStoreOn(fastDisk, folder, { key: otherKey }),
    async expire(path) {
      const lock = join(folder, dirname(path), '.chatmd/locks', `${basename(path)}.lock`)
      if (!existsSync(lock)) return
      const { epoch } = JSON.parse(readFileSync(lock, 'utf8'))
      // No process has this number.
      writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 7, host: hostname(), since: 0, epoch, nonce: 'dead' }))
    },
    tear: async (path, run) => tearLastLine(join(folder, '.chatmd/runs', path, `${run}.jsonl`)),
    tearSidecar: async path => tearLastLine(join(folder, '.chatmd/sidecars', `${path}.jsonl`)),
    async remove() {
      for (const fd of open) closeSync(fd)
      open.clear()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function tearLastLine(file: string): void {
  const text = readFileSync(file)
  const lastLine = text.lastIndexOf(10, text.length - 2) + 1
  truncateSync(file, (lastLine + text.length) >> 1)
}

/** A clock on which a pause takes no time. */
function hastyClock(): LockClock {
  let now = 0
  return {
    now: () => now,
    async pause(ms) {
      now += ms
      await new Promise(resolve => setImmediate(resolve))
    },
  }
}

/** A disk with room for so many more bytes: the write that does not fit takes what does. */
function smallDisk(room: number): Disk & { free(): void } {
  let left = room
  return {
    ...fastDisk,
    write(fd, bytes) {
      if (left === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      const count = nodeDisk.write(fd, bytes.subarray(0, left))
      left -= count
      return count
    },
    free() {
      left = Number.POSITIVE_INFINITY
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
    remove: path => kill.run(() => nodeDisk.remove(path)),
  }
}
