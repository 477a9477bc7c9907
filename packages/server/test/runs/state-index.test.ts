import { defineTool } from '@argot/agent'
import type { RunResource } from '@argot/server'
import { expect, test } from 'vitest'
import { call, finish } from '../../../agent/test/scripted-model.ts'
import { serveFolder } from '../served-folder.ts'

const write = defineTool({
  name: 'write',
  description: 'Writes.',
  effect: 'write',
  inputSchema: { type: 'object' },
  execute: async () => 'written',
})

test('a list of one state is the list of all runs without the others, first and again', async () => {
  const asking = '<tool name="write"/>\n\n<user>\nHello.\n</user>\n'
  const names = ['a', 'b', 'c', 'd'].map(name => `${name}.chatmd`)
  const { post, get, until, ask } = await serveFolder(
    [...Array(3).fill([...call('1', 'write', {}), finish('tool-calls')]), 'Fine.'],
    { files: Object.fromEntries(names.map(name => [name, asking])), tools: [write], run: { approve: 'ask' } },
  )
  const ids: string[] = []
  for (const [index, document] of names.entries()) {
    const { id } = await post('/api/runs', { document })
    await until(id, index < 3 ? 'waiting' : 'done')
    ids.push(id)
  }
  await ask('POST', `/api/runs/${ids[0]}/stop`, {})
  await until(ids[0]!, 'stopped')
  const list = async (query = ''): Promise<string[]> =>
    (await get<{ runs: RunResource[] }>(`/api/runs${query}`)).runs.map(({ id, state }) => `${id} ${state}`)
  const all = await list()
  expect(all.length).toBe(4)
  for (const state of ['queued', 'running', 'waiting', 'stopping', 'done', 'failed', 'stopped']) {
    for (let turn = 0; turn < 2; turn++) {
      expect(await list(`?state=${state}`), state).toEqual(all.filter(one => one.endsWith(` ${state}`)))
    }
  }
})
