import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer, type RunResource } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { scriptedModel } from '../../agent/test/scripted-model.ts'

/** A disk of 300 kB; undefined where this user may not make one. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'argot-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300k', 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
}

test('a full disk refuses a send and loses nothing, and once there is room the next one is answered', async context => {
  const disk = smallDisk()
  if (disk === undefined) return context.skip('this user may not mount a disk')
  onTestFinished(() => {
    execFileSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
  })
  const file = join(disk, 'a.chatmd')
  writeFileSync(file, '<user>\nHello.\n</user>\n')
  const server = createServer({
    store: folderStore(disk, { key: Buffer.alloc(32, 1) }),
    stateFolder: join(disk, 'state'),
    run: { model: scriptedModel(['Hi.']), env: {}, configFolder: join(disk, 'config') },
  })
  onTestFinished(() => server.close())
  const send = (input: string): Promise<Response> =>
    server.fetch(
      new Request('http://localhost/api/runs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ document: 'a.chatmd', input }),
      }),
    )
  expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(1_000_000))).toThrow('ENOSPC')
  const refused = await send('x'.repeat(5000))
  expect([refused.status, await refused.json()]).toMatchObject([507, { code: 'SERVER_DISK_FULL' }])
  expect(readFileSync(file, 'utf8')).toBe('<user>\nHello.\n</user>\n')
  writeFileSync(join(disk, 'filler'), '')
  const taken = await send('And now?')
  expect(taken.status).toBe(201)
  const { id } = (await taken.json()) as RunResource
  for (let state = ''; state !== 'done'; ) {
    const answer = await server.fetch(new Request(`http://localhost/api/runs/${id}`))
    state = ((await answer.json()) as RunResource).state
    expect(['running', 'done']).toContain(state)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  expect(readFileSync(file, 'utf8')).toContain('Hi.')
})
