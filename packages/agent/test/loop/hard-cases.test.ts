import type { LanguageModelV3 } from '@ai-sdk/provider'
import { createAgent, runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { nodeDisk } from '../../src/store/folder/disk.ts'
import { folderStoreOn } from '../../src/store/folder/folder-store.ts'
import { documentFolder } from '../run/document-folder.ts'
import { call, finish, scriptedModel, text } from '../scripted-model.ts'
import { fakeTool } from './fake-tools.ts'

// Finding 12 of the attacks.

test('an input that a person edits to null is what the tool gets', async () => {
  const given: unknown[] = []
  const tool = {
    ...fakeTool('change', 'write', input => void given.push(input)),
    validate: (input: unknown) => ({ ok: true, input }) as const,
  }
  const model = scriptedModel([[...call('w', 'change', { a: 'x' }), finish('tool-calls')], 'Done.'])
  const agent = createAgent({ model, tools: [tool], env: {}, ask: async () => ({ approved: true, input: null }) })
  await agent.run('Go').result
  expect(given).toEqual([null])
})

test.each(['in doStream', 'in the stream'])(
  'a model that hangs %s and ignores the signal is left when the run is stopped',
  async where => {
    const hang = new Promise<never>(() => {})
    const model: LanguageModelV3 = {
      ...scriptedModel(['']),
      doStream: async () => (where === 'in doStream' ? hang : { stream: new ReadableStream({ pull: () => hang }) }),
    }
    const run = createAgent({ model, env: {} }).run('Go')
    setImmediate(() => run.stop('Enough.'))
    expect(await run.result).toMatchObject({ status: 'stopped' })
  },
)

test('an answer that the disk could not keep for certain is not asked for a second time', async () => {
  let failures = 0
  for (let syncs = 0; ; syncs++) {
    const folder = await documentFolder({ 'chat.chatmd': '<user>\nGo\n</user>\n' })
    let count = 0
    const disk = {
      ...nodeDisk,
      sync: async (fd: number): Promise<void> => {
        if (count++ === syncs) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
        await nodeDisk.sync(fd)
      },
    }
    const model = scriptedModel([[...text('It is done.'), finish()]])
    const options = { model, env: {}, configFolder: `${folder}/none` }
    const first = await runDocument('chat.chatmd', { ...options, store: folderStoreOn(disk, folder, {}) }).result
    if (count <= syncs) break
    if (first.message?.parts.some(part => part.type === 'text') !== true) continue
    failures++
    const second = await runDocument('chat.chatmd', { ...options, store: folderStoreOn(nodeDisk, folder, {}) }).result
    expect(second, `sync ${syncs} failed`).toMatchObject({ code: 'RUN_NOTHING_TO_ANSWER' })
  }
  expect(failures).toBeGreaterThan(1)
})
