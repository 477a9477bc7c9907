import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { folderStoreOn } from '../../src/store/folder/folder-store.ts'
import { recordRun } from '../../src/testing/record-run.ts'
import { parkedRun } from '../../src/testing/scripted-chunks.ts'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel, text } from '../scripted-model.ts'
import { ForgetfulDisk, Killed } from '../transcript/unsafe-disk.ts'

// Finding 8 of the attacks: the effect came before the log was on the disk. Siblings: a call that a person approved, and
// a power failure that keeps a part of what was not synced.

const key = Buffer.from('the key of the user of these tests')

/** A disk that loses its power before one operation: what was not synced is gone, and nothing works any more. */
class FailingDisk extends ForgetfulDisk {
  #count = 0
  readonly #at: number
  readonly #keep: number
  #isDead = false

  constructor(at: number, keep: number) {
    super()
    this.#at = at
    this.#keep = keep
  }

  get isDead(): boolean {
    return this.#isDead
  }

  override write(fd: number, bytes: Uint8Array): number {
    this.#live()
    return super.write(fd, bytes)
  }

  override truncate(fd: number, size: number): void {
    this.#live()
    super.truncate(fd, size)
  }

  override async sync(fd: number): Promise<void> {
    this.#live()
    await super.sync(fd)
  }

  #live(): void {
    if (!this.#isDead && this.#count++ === this.#at) {
      this.fail(() => this.#keep)
      this.#isDead = true
    }
    if (this.#isDead) throw new Killed()
  }
}

/** Runs a document whose one call changes something, until the power fails, and notes each effect. */
async function runUntil(folder: string, disk: FailingDisk, asks: boolean, effects: string[]): Promise<void> {
  // It calls once: a result, whatever it says, is enough for it.
  const model = scriptedModel([
    ({ prompt }) =>
      prompt.some(({ role }) => role === 'tool')
        ? [...text('Done.'), finish()]
        : [...call('w', 'change', { a: 'x' }), finish('tool-calls')],
  ])
  const change = fakeTool('change', 'write', () => {
    if (!disk.isDead) effects.push('change')
  })
  await runDocument('chat.chatmd', {
    store: folderStoreOn(disk, folder, { key }),
    model,
    tools: [change],
    env: {},
    configFolder: join(folder, 'no-such-config'),
    approve: asks ? 'ask' : 'all',
    ask: asks ? async () => ({ approved: true }) : undefined,
  }).result
}

test.each([
  { asks: false, keep: 0 },
  { asks: false, keep: 0.5 },
  { asks: true, keep: 0 },
])('after a power failure at any point no effect happens twice without a question ($asks, $keep)', async how => {
  let points = 0
  for (let at = 0; ; at++) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'argot-power-')))
    writeFileSync(join(folder, 'chat.chatmd'), '<tool name="change"/>\n<user>\nGo\n</user>\n')
    const effects: string[] = []
    const disk = new FailingDisk(at, how.keep)
    await runUntil(folder, disk, how.asks, effects)
    if (!disk.isDead) {
      rmSync(folder, { recursive: true })
      break
    }
    points++
    rmSync(join(folder, '.chatmd/locks'), { recursive: true, force: true })
    // Nobody can be asked now, and the policy allows everything.
    await runUntil(folder, new FailingDisk(Number.POSITIVE_INFINITY, 0), false, effects)
    expect(effects.length, `the power failed at ${at}`).toBeLessThanOrEqual(1)
    expect(readFileSync(join(folder, 'chat.chatmd'), 'utf8'), `the power failed at ${at}`).toContain('Done.')
    rmSync(folder, { recursive: true })
  }
  expect(points).toBeGreaterThan(15)
})

test('a post that was accepted survives a power failure: the first of a run, and the next ones', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'argot-power-')))
  writeFileSync(join(folder, 'chat.chatmd'), '<user>\nGo\n</user>\n')
  const run = 'run-1'
  await recordRun(folderStoreOn(new ForgetfulDisk(), folder, { key }), parkedRun, { path: 'chat.chatmd', run })
  const posts = ['a', 'b', 'c'].map(id => ({ type: 'stop' as const, id }))
  for (const [index, post] of posts.entries()) {
    const disk = new ForgetfulDisk()
    expect(await folderStoreOn(disk, folder, { key }).inbox.post(run, post)).toBe('accepted')
    disk.fail(() => 0)
    expect(await folderStoreOn(new ForgetfulDisk(), folder, { key }).inbox.read(run)).toEqual(posts.slice(0, index + 1))
  }
  rmSync(folder, { recursive: true })
})
