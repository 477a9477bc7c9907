import { closeSync, ftruncateSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type AppendDisk, createWhole, FileEnd, writeAll } from '../../src/files/write-all.ts'

const text = 'Ünd 🙂 nun.\n'
const bytes = Buffer.from(text)

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'argot-write-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function opened(path: string, flags = 'a'): number {
  const fd = openSync(path, flags)
  onTestFinished(() => closeSync(fd))
  return fd
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** A disk that has room for so many more bytes: the write that does not fit takes what does. */
function smallDisk(room: number, canCut = true): AppendDisk & { room: number; canCut: boolean } {
  return {
    room,
    canCut,
    write(fd, part) {
      if (part.length > 0 && this.room === 0) throw systemError('ENOSPC')
      const count = writeSync(fd, part, 0, Math.min(part.length, this.room))
      this.room -= count
      return count
    },
    truncate(fd, size) {
      if (!this.canCut) throw systemError('EIO')
      ftruncateSync(fd, size)
    },
  }
}

test.each(Array.from(bytes, (_, index) => index + 1))('a disk that takes %i bytes at a time gets all', size => {
  const path = join(folder(), 'a')
  writeAll(opened(path), text, (fd, part) => writeSync(fd, part, 0, Math.min(size, part.length)))
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test.each(['EINTR', 'EAGAIN'])('a write that ends with %s is made again', code => {
  const path = join(folder(), 'a')
  let turn = 0
  writeAll(opened(path), text, (fd, part) => {
    if (turn++ % 2 === 0) throw systemError(code)
    return writeSync(fd, part, 0, 1)
  })
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a disk that takes nothing and reports nothing is full', () => {
  expect(() => writeAll(opened(join(folder(), 'a')), text, () => 0)).toThrow(
    expect.objectContaining({ code: 'ENOSPC' }),
  )
})

test.each(Array.from(bytes, (_, room) => room))(
  'an append that finds room for %i bytes leaves the file as it was',
  room => {
    const path = join(folder(), 'a')
    const disk = smallDisk(1000)
    const end = new FileEnd(opened(path), 0, disk)
    end.append('first\n')
    disk.room = room
    expect(() => end.append(text)).toThrow('ENOSPC')
    expect(readFileSync(path, 'utf8')).toBe('first\n')
    disk.room = 1000
    end.append('third\n')
    expect(readFileSync(path, 'utf8')).toBe('first\nthird\n')
  },
)

test.each(Array.from(bytes, (_, room) => room))(
  'half a line that cannot be cut off is not followed by another (%i)',
  room => {
    const path = join(folder(), 'a')
    const disk = smallDisk(1000)
    const end = new FileEnd(opened(path), 0, disk)
    end.append('first\n')
    Object.assign(disk, { room, canCut: false })
    expect(() => end.append(text)).toThrow('ENOSPC')
    disk.room = 1000
    if (room > 0) expect(() => end.append('third\n')).toThrow('EIO')
    expect(readFileSync(path).length).toBe(6 + room)
    disk.canCut = true
    end.append('third\n')
    expect(readFileSync(path, 'utf8')).toBe('first\nthird\n')
  },
)

test('what another process has written since is never cut off', () => {
  const path = join(folder(), 'a')
  const disk = smallDisk(1000)
  const end = new FileEnd(opened(path), 0, disk)
  end.append('first\n')
  const other = opened(path)
  disk.room = 3
  const write = disk.write.bind(disk)
  disk.write = (fd, part) => {
    if (disk.room === 0) writeSync(other, 'theirs\n')
    return write(fd, part)
  }
  expect(() => end.append(text)).toThrow('ENOSPC')
  expect(readFileSync(path, 'utf8')).toContain('theirs\n')
  disk.room = 1000
  expect(() => end.append('third\n')).toThrow('Another process')
  expect(readFileSync(path, 'utf8')).toContain('theirs\n')
})

test.each(Array.from(bytes, (_, room) => room))('a new file has all of its content, or there is none (%i)', room => {
  const root = folder()
  const disk = smallDisk(room)
  expect(() => createWhole(join(root, 'a'), text, { write: disk.write.bind(disk) })).toThrow('ENOSPC')
  expect(readdirSync(root)).toEqual([])
  createWhole(join(root, 'a'), text)
  expect(() => createWhole(join(root, 'a'), 'other')).toThrow('EEXIST')
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe(text)
})
