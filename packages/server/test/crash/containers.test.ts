import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunResource } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { whyNoContainers } from '../../../../test/containers.ts'
import { openStore } from './conversation.ts'
import { answerTo } from './scenario.ts'
import { buildServer, ServerProcess } from './server-process.ts'

const reason = whyNoContainers()

test.skipIf(reason !== undefined)(
  `a server in a container that was killed comes back in the next one, and continues its runs${reason === undefined ? '' : ` (${reason})`}`,
  async () => {
    const program = buildServer()
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-server-container-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const docs = join(folder, 'docs')
    await mkdir(docs)
    await writeFile(join(docs, 'b.chatmd'), '<user>\nHello.\n</user>\n')
    const start = (container: string, pace: string): ServerProcess => {
      const env = { FOLDER: folder, PACE: pace, ARGOT_LEASE_SECONDS: '1' }
      const server = new ServerProcess(program, env, container)
      onTestFinished(() => server.kill())
      return server
    }
    const first = start('container-a', '100')
    const { id } = await post(`${await first.url}/api/runs`, { document: 'b.chatmd' })
    for await (const { chunk } of openStore(docs).logs.follow(id)) if (chunk.type === 'text-delta') break
    await first.kill()
    expect(JSON.parse(await readFile(join(folder, 'state/server.lock'), 'utf8'))).toMatchObject({ host: 'container-a' })
    const next = start('container-b', '1')
    const url = await next.url
    expect(next.stderr).not.toContain('SERVER_LOCKED')
    const state = async (): Promise<string> =>
      ((await (await fetch(`${url}/api/runs/${id}`)).json()) as RunResource).state
    await expect.poll(state, { timeout: 60_000 }).toBe('done')
    const text = await readFile(join(docs, 'b.chatmd'), 'utf8')
    expect(text.split(answerTo('Hello.'))).toHaveLength(2)
  },
  120_000,
)

async function post(url: string, body: unknown): Promise<RunResource> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<RunResource>
}
