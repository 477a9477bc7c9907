import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@argot/agent'
import type { Chunk, Message } from '@argot/core'
import { expect, onTestFinished, test } from 'vitest'
import { type Disk, nodeDisk } from '../../src/store/folder/disk.ts'
import { folderStoreOn } from '../../src/store/folder/folder-store.ts'

const path = 'chat.chatmd'
const key = Buffer.from('the key of the user of these tests')

function place(): { folder: string; open(disk?: Disk, key?: Uint8Array): Store; expire(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'argot-late-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, path), '<user>\nHello.\n</user>\n')
  return {
    folder,
    open: (disk = nodeDisk, own = key) =>
      folderStoreOn(disk, folder, { key: own, configFolder: join(folder, 'no'), env: {} }),
    // No process has this number.
    expire: () =>
      writeFileSync(
        join(folder, '.chatmd/locks', `${path}.lock`),
        JSON.stringify({ pid: 2 ** 22 + 7, host: hostname(), since: 0, nonce: 'dead' }),
      ),
  }
}

const first: Chunk[] = [{ type: 'start', messageId: 'm' }, { type: 'start-step' }, { type: 'text-start', id: 't' }]
const second: Chunk[] = [
  { type: 'reset-step' },
  { type: 'start-step' },
  { type: 'text-start', id: 'u' },
  { type: 'abort' },
]

test.each([
  ['signed', true],
  ['without any key', false],
])('lines of an older epoch, %s, are read by nobody, wherever they come', async (_, isSigned) => {
  for (let position = 0; position <= second.length; position++) {
    const { folder, open, expire } = place()
    // A config folder that cannot be made gives no key.
    writeFileSync(join(folder, 'no'), '')
    const store = (): Store => (isSigned ? open() : open(nodeDisk, undefined as never))
    const old = store()
    const lease = await old.leases.take(path)
    const log = await old.logs.open(path, 'run-1', lease)
    for (const chunk of first) log.append(chunk)
    await log.flush()
    const file = join(folder, '.chatmd/runs', path, 'run-1.jsonl')
    const late = readFileSync(file, 'utf8')
      .split('\n')
      .at(-2)!
      .replace('"o":2', `"o":${position + 50}`)
    expire()
    const next = store()
    const lease2 = await next.leases.take(path)
    const log2 = await next.logs.open(path, 'run-1', lease2)
    for (const [index, chunk] of second.entries()) {
      if (index === position) appendFileSync(file, `${late}\n`)
      log2.append(chunk)
      await log2.flush()
    }
    if (position === second.length) appendFileSync(file, `${late}\n`)
    const isLate = ({ o }: { o: number }): boolean => o === position + 50
    expect((await store().logs.read('run-1'))?.lines.filter(isLate)).toEqual([])
    expect((await store().logs.tail('run-1', 0)).filter(isLate)).toEqual([])
    const seen: Chunk[] = []
    for await (const { chunk } of store().logs.follow('run-1')) seen.push(chunk)
    expect(seen).toEqual([...first, ...second])
    await log2.close()
    await log.close()
    await lease2.release()
  }
})

const message: Message = {
  id: 'm',
  role: 'user',
  status: 'sent',
  parts: [{ type: 'text', id: 'p', text: 'late', state: 'done' }],
}

test('a process that is replaced between its look at the lock and its write to the document says so', async () => {
  const { folder, open } = place()
  const lock = join(folder, '.chatmd/locks', `${path}.lock`)
  let isHeldUp = false
  const store = open({
    ...nodeDisk,
    write(fd, bytes) {
      // The write to the sidecar comes first.
      if (isHeldUp && !String(bytes).startsWith('{')) {
        rmSync(lock)
        writeFileSync(lock, JSON.stringify({ pid: process.ppid, host: hostname(), since: 0, nonce: 'theirs' }))
      }
      return nodeDisk.write(fd, bytes)
    },
  })
  const document = await store.documents.open(path, await store.leases.take(path))
  isHeldUp = true
  await expect(document.append([{ type: 'message', message }], 'inline')).rejects.toMatchObject({
    code: 'RUN_LEASE_LOST',
    message: expect.stringContaining('while this run was writing to it'),
  })
  await document.close()
})

test('a holder whose document was written by a process that had lost it writes nothing more there, and says so', async () => {
  const { folder, open } = place()
  const store = open()
  const lease = await store.leases.take(path)
  const document = await store.documents.open(path, lease)
  await document.append([{ type: 'message', message }], 'inline')
  appendFileSync(join(folder, path), '<user>\nlate\n</user>\n')
  await expect(document.append([{ type: 'message', message }], 'inline')).rejects.toMatchObject({
    code: 'RUN_FILE_CHANGED',
  })
  await document.close()
  await lease.release()
})
