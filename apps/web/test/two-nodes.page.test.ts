import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresQueue, postgresStore } from '@argot/postgres'
import { createServer, type ServerOptions } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { call, finish, scriptedModel, text } from '../../../packages/agent/test/scripted-model.ts'
import { sharedCluster } from '../../../packages/postgres/test/cluster.ts'
import { gate } from '../../../packages/server/test/clients/gate.ts'
import { serveSample } from './open-page.ts'

const document = '<config show_tool_call/>\n<tool name="write_file"/>\n'

/** What a process on the database is made of. */
async function openNode(schema: string): Promise<Pick<ServerOptions, 'store' | 'queue' | 'now'>> {
  const store = postgresStore(await sharedCluster(), { schema, connections: 5 })
  onTestFinished(() => store.close())
  return { store, queue: postgresQueue(store), now: store.now }
}

test('two web nodes on a database: sent at one, approved and stopped at the other, listed and replayed at both, over a restart', async () => {
  const schema = `page_${process.pid}`
  const [middle, second] = [gate(), gate()]
  const model = scriptedModel(
    [
      [...text('I write it.'), ...call('w', 'write_file', { path: 'one.md', content: 'One.\n' }), finish('tool-calls')],
      'It is written.',
      'One two three.',
      'Four five six.',
    ],
    {
      before: part => {
        if (part.type !== 'text-delta') return undefined
        if (part.delta.startsWith('three')) return middle.wait()
        return part.delta.startsWith('six') ? second.wait() : undefined
      },
    },
  )
  const one = await serveSample({ ...(await openNode(schema)), workers: false })
  const two = await serveSample({ ...(await openNode(schema)), workers: false, run: { cwd: one.folder } })
  const run = { env: {}, model, cwd: one.folder, configFolder: join(one.folder, '../config') }
  const worker = createServer({ ...(await openNode(schema)), web: false, run } as ServerOptions)
  onTestFinished(() => worker.close())
  await fetch(`${one.url}api/documents/shared.chatmd`, { method: 'PUT', body: document })
  const [left, right] = [await one.open('#/shared.chatmd'), await two.open('#/shared.chatmd')]
  const logs = [left, right].map(page => page.getByRole('log'))
  const seen = async (words: string) => void (await Promise.all(logs.map(log => log.getByText(words).waitFor())))

  await left.getByRole('textbox', { name: 'Message' }).fill('Write it.')
  await left.keyboard.press('Enter')
  await right.getByRole('button', { name: /^Approve/ }).click()
  await seen('It is written.')
  expect(await readFile(join(one.folder, 'one.md'), 'utf8')).toBe('One.\n')

  await right.getByRole('textbox', { name: 'Message' }).fill('Count.')
  await right.keyboard.press('Enter')
  await middle.reached
  await seen('One two')
  // A node restarts while its browser reads: nothing of what comes meanwhile is missing.
  await one.restart()
  middle.open()
  await seen('One two three.')

  await left.getByRole('textbox', { name: 'Message' }).fill('More.')
  await left.keyboard.press('Enter')
  await second.reached
  await seen('Four five')
  await right.getByRole('button', { name: /^Stop/ }).click()
  for (const page of [left, right]) await page.getByRole('button', { name: /^Stop/ }).waitFor({ state: 'hidden' })
  second.open()

  await fetch(`${two.url}api/documents/other.chatmd`, { method: 'PUT', body: document })
  await left.getByRole('link', { name: 'other.chatmd' }).waitFor()
  await left.getByRole('button', { name: 'More' }).click()
  await left.getByRole('menuitem', { name: 'Replay' }).click()
  const moment = left.getByRole('slider', { name: 'Moment' })
  await moment.focus()
  await left.keyboard.press('Home')
  await expect.poll(() => moment.getAttribute('aria-valuetext')).toContain('Chunk 0 of')
})
