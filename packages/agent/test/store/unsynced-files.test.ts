import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPayloads } from '../../src/store/folder/create-payloads.ts'
import { createFile, type Disk, nodeDisk } from '../../src/store/folder/disk.ts'
import { makeFolder, stateFolder } from '../../src/store/folder/layout.ts'
import { UnsyncedFiles } from '../../src/store/folder/unsynced-files.ts'

/** A disk that knows what is open, and what it has for certain; it fails to sync while `isBroken`. */
function watchedDisk() {
  const names = new Map<number, string>()
  const state = { most: 0, isBroken: false, synced: [] as string[], open: () => names.size }
  const disk: Disk = {
    ...nodeDisk,
    open(path, flags) {
      const fd = nodeDisk.open(path, flags)
      names.set(fd, path)
      state.most = Math.max(state.most, names.size)
      return fd
    },
    async sync(fd) {
      if (state.isBroken) throw new Error('The disk is broken.')
      state.synced.push(names.get(fd)!)
    },
    close(fd) {
      names.delete(fd)
      nodeDisk.close(fd)
    },
  }
  return { disk, state }
}

async function document(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'argot-unsynced-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'chat.chatmd')
  await makeFolder(nodeDisk, file)
  return file
}

function piece(count: number, number: number) {
  const files = Array.from({ length: count }, (_, n) => ({
    path: `./.chatmd/${number + n}.tool-call.c.json`,
    text: `${n}`,
  }))
  return { append: '', files, number: number + count, numbers: new Map(), records: [] }
}

test('a thousand files of one message leave few open, and the disk has each of them once, then their folder', async () => {
  const file = await document()
  const { disk, state } = watchedDisk()
  const unsynced = new UnsyncedFiles(disk, stateFolder(file))
  const { files } = createPayloads(disk, file, undefined, unsynced, number => piece(1000, number))
  expect(state.open()).toBeLessThanOrEqual(64)
  expect(state.most).toBeLessThanOrEqual(65)
  const paths = files.map(({ path }) => join(file, '..', path))
  await unsynced.sync()
  expect(new Set(state.synced)).toEqual(new Set([...paths, stateFolder(file)]))
  expect(state.synced).toHaveLength(1001)
  expect(state.open()).toBe(0)
  await unsynced.sync()
  expect(state.synced).toHaveLength(1001)
})

test('what the disk could not take is brought there the next time, and nothing stays open', async () => {
  const file = await document()
  const { disk, state } = watchedDisk()
  const unsynced = new UnsyncedFiles(disk, stateFolder(file))
  createPayloads(disk, file, undefined, unsynced, number => piece(3, number))
  state.isBroken = true
  await expect(unsynced.sync()).rejects.toThrow('The disk is broken.')
  expect(state.synced).toEqual([])
  state.isBroken = false
  await unsynced.sync()
  expect(state.synced).toHaveLength(4)
  expect(state.open()).toBe(0)
})

test('files that were made are taken back when one of them has a name that is taken, and are made under another', async () => {
  const file = await document()
  const { disk, state } = watchedDisk()
  createFile(nodeDisk, join(stateFolder(file), '2.tool-call.c.json'), 'of another document')
  const unsynced = new UnsyncedFiles(disk, stateFolder(file))
  const { files } = createPayloads(disk, file, 0, unsynced, number => piece(3, number))
  expect(files.map(({ path }) => path)).toEqual([3, 4, 5].map(number => `./.chatmd/${number}.tool-call.c.json`))
  expect(state.open()).toBe(3)
  unsynced.close()
  expect(state.open()).toBe(0)
  expect(readFileSync(join(stateFolder(file), '2.tool-call.c.json'), 'utf8')).toBe('of another document')
  expect(() => readFileSync(join(stateFolder(file), '0.tool-call.c.json'))).toThrow('ENOENT')
})
