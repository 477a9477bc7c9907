import { execFileSync, spawnSync } from 'node:child_process'
import { renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ServedFolder, serveFolder } from './served-folder.ts'

const hello = '<user>\nHello.\n</user>\n'

/** A server in whose documents something happens once, while the model says its second part. */
async function serveUntil(happens: (docs: string) => void): Promise<ServedFolder> {
  let parts = 0
  const served: ServedFolder = await serveFolder(['One two three.', 'Later.'], {
    files: { 'sub/a.chatmd': hello },
    before: { before: () => void (++parts === 3 && happens(served.folder)) },
  })
  return served
}

/** The next send to the document is answered. */
async function answersAgain({ post, until, read }: ServedFolder): Promise<void> {
  const { id } = await post('/api/runs', { document: 'sub/a.chatmd', input: 'And now?' })
  expect((await until(id, 'done', 'failed')).state).toBe('done')
  expect(await read('sub/a.chatmd')).toMatch(/Hello\..*And now\?.*Later\./s)
}

test('a folder that is moved away while a run ends, and comes back, is not locked', async () => {
  const served = await serveUntil(docs => renameSync(join(docs, 'sub'), join(docs, 'away')))
  const docs = served.folder
  const { id } = await served.post('/api/runs', { document: 'sub/a.chatmd' })
  await served.until(id, 'failed', 'done')
  renameSync(join(docs, 'away'), join(docs, 'sub'))
  await answersAgain(served)
})

test('a folder that is read-only while a run ends is not locked when it can be written again', async context => {
  // What is open stays open; names can be neither made nor removed.
  const served = await serveUntil(docs => {
    execFileSync('mount', ['--bind', join(docs, 'sub'), join(docs, 'sub')], { stdio: 'ignore' })
    execFileSync('mount', ['-o', 'remount,bind,ro', join(docs, 'sub')], { stdio: 'ignore' })
  })
  const sub = join(served.folder, 'sub')
  onTestFinished(() => void spawnSync('umount', ['-l', sub]))
  if (spawnSync('mount', ['--bind', sub, sub]).status !== 0) return context.skip('this user may not mount a folder')
  execFileSync('umount', ['-l', sub])
  const { id } = await served.post('/api/runs', { document: 'sub/a.chatmd' })
  await served.until(id, 'failed', 'done')
  await expect.poll(() => isReleased(join(sub, '.chatmd/locks/a.chatmd.lock')), { timeout: 60_000 }).toBe(true)
  execFileSync('umount', ['-l', sub])
  await answersAgain(served)
})

function isReleased(lock: string): boolean {
  return statSync(lock).size === 0
}

test.each([
  ['`.chatmd`', '.chatmd'],
  ['the logs', '.chatmd/runs'],
])('when %s is deleted while a run writes, its failure says so, and the next send is answered', async (_, name) => {
  const served = await serveUntil(docs => rmSync(join(docs, 'sub', name), { recursive: true }))
  const { id } = await served.post('/api/runs', { document: 'sub/a.chatmd', input: 'Kept?' })
  expect(await served.until(id, 'failed', 'done')).toMatchObject({
    state: 'failed',
    code: 'RUN_STATE_REMOVED',
    error: expect.stringMatching(
      /^The `\.chatmd` folder next to `sub\/a\.chatmd`.* was deleted or moved while a run was/,
    ),
  })
  expect(await served.read('sub/a.chatmd')).toMatch(/Hello\..*Kept\?/s)
  await answersAgain(served)
})

test('when only the lock is deleted, the failure says that, and names no process that is not there', async () => {
  const served = await serveUntil(docs => rmSync(join(docs, 'sub/.chatmd/locks/a.chatmd.lock')))
  const { id } = await served.post('/api/runs', { document: 'sub/a.chatmd' })
  const run = await served.until(id, 'failed', 'done')
  expect(run).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('The lock of `sub/a.chatmd` was removed'),
  })
  await answersAgain(served)
})
