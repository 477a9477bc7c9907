import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer, openQueue, type RunResource } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { scriptedModel } from '../../agent/test/scripted-model.ts'

/** A disk of 300 kB, or another size; undefined if this user may not make one. It is removed after the test. */
function smallDisk(size = '300k'): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'argot-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    })
    return folder
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
}

/** The lines of many runs that are over, and of some that wait. */
function longJournal(finished: number, waiting: number): string {
  const job = (run: string) => JSON.stringify({ type: 'job', epoch: 1, job: { run, document: `${run}.chatmd`, at: 1 } })
  const over = Array.from(
    { length: finished },
    (_, index) => `${job(`${index}`)}\n{"type":"end","epoch":1,"run":"${index}"}`,
  )
  return `${[...over, ...Array.from({ length: waiting }, (_, index) => job(`send-${index}`))].join('\n')}\n`
}

// The journal of a server that has run for a while is written again at its start, which needs room for a second one.
test.each([0, 1, 2, 3, 4, 8, 60, 120])('a start on a disk with %i free pages loses no accepted send', async pages => {
  const disk = smallDisk('4m')
  if (disk === undefined) return console.warn('not tested: this user may not mount a disk')
  const journal = longJournal(10_001, 20)
  writeFileSync(join(disk, 'runs.jsonl'), journal)
  const free = (): number => {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize
  }
  writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, free() - (pages + 2) * 4096)))
  const sends = Array.from({ length: 20 }, (_, index) => `send-${index}`)
  const open = async (): Promise<string[]> => {
    const queue = await openQueue(disk)
    const runs = (await queue.list()).map(({ job }) => job.run)
    await queue.close()
    return runs
  }
  const first = await open().catch((error: unknown) => error)
  if (Array.isArray(first)) expect(first).toEqual(sends)
  else expect(first).toMatchObject({ code: 'ENOSPC' })
  writeFileSync(join(disk, 'filler'), '')
  expect(await open()).toEqual(sends)
})

test('a full disk refuses a send and loses nothing, and once there is room the next one is answered', async context => {
  const disk = smallDisk()
  if (disk === undefined) return context.skip('this user may not mount a disk')
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
