import { type RunOptions, runDocument, type Store } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { follow } from '../run/document-folder.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { MemoryPlace } from './memory-store.ts'

const document = '<tool name="look"/>\n<tool name="change"/>\n\n<user>\nGo.\n</user>\n'
const steps: ScriptedStep[] = [
  [...text('I look. '), ...call('a', 'look', { a: '1' }), finish('tool-calls')],
  [...call('b', 'change', { a: '2' }), finish('tool-calls')],
  [...text('All done.'), finish()],
]

function options(store: Store, more: RunOptions = {}): RunOptions {
  const tools = [fakeTool('look', 'read'), fakeTool('change', 'write')]
  return { store, tools, model: scriptedModel(steps), approve: 'all', env: {}, configFolder: 'no-such-folder', ...more }
}

test('a document that is not a file is run, and the store has what was said', async () => {
  const place = new MemoryPlace({ 'chats/one.chatmd': document })
  const { result } = await follow(runDocument('chats/one.chatmd', options(place.open(), { id: 'first' })))
  expect(result).toMatchObject({ status: 'done', text: 'All done.' })
  expect(place.documents.get('chats/one.chatmd')).toMatch(
    /^<tool name="look"\/>[\s\S]*look done[\s\S]*change done[\s\S]*All done\./,
  )
  expect(await place.open().logs.list()).toEqual([{ run: 'first', path: 'chats/one.chatmd', state: 'ended' }])
})

test('the transcript of a document that is not a file goes to another one', async () => {
  const place = new MemoryPlace({ 'one.chatmd': document })
  const { result } = await follow(runDocument('one.chatmd', options(place.open(), { output: 'two.chatmd' })))
  expect(result.status).toBe('done')
  expect(place.documents.get('one.chatmd')).toBe(document)
  expect(place.documents.get('two.chatmd')).toContain('All done.')
})

test('a run whose process is gone is resumed under its id, and no tool runs twice', async () => {
  const place = new MemoryPlace({ 'one.chatmd': document })
  let asked = 0
  const stuck = scriptedModel(steps, {
    async before(_, step) {
      if (step !== 2) return
      asked++
      await new Promise(() => {})
    },
  })
  const first = options(place.open(), { id: 'first', model: stuck })
  void runDocument('one.chatmd', first).result
  await expect.poll(() => asked).toBe(1)
  await place.expire('one.chatmd')
  const look = fakeTool('look', 'read')
  const change = fakeTool('change', 'write')
  const model = scriptedModel([steps[2]!])
  const run = runDocument('one.chatmd', options(place.open(), { id: 'second', model, tools: [look, change] }))
  const { result } = await follow(run)
  expect(run.id).toBe('first')
  expect(result).toMatchObject({ status: 'done', text: 'All done.' })
  expect([look.inputs, change.inputs]).toEqual([[], []])
  expect(toolCalls(result.message!).map(({ toolCallId, state }) => [toolCallId, state])).toEqual([
    ['c1', 'output-available'],
    ['c2', 'output-available'],
  ])
  expect(await place.open().logs.list()).toEqual([{ run: 'first', path: 'one.chatmd', state: 'ended' }])
})

test('a run whose words a person took out of the document is not resumed: the next one has an id of its own', async () => {
  const place = new MemoryPlace({ 'one.chatmd': document })
  const parked = { id: 'first', approve: 'ask', ask: async () => undefined } as const
  expect((await follow(runDocument('one.chatmd', options(place.open(), parked)))).result.status).toBe('parked')
  expect(await place.open().logs.find('first')).toMatchObject({ state: 'waiting' })
  place.documents.set('one.chatmd', document)
  const run = runDocument('one.chatmd', options(place.open(), { id: 'second', model: scriptedModel(['Anew.']) }))
  const { result } = await follow(run)
  expect(run.id).toBe('second')
  expect(result.message!.parts.map(({ type }) => type)).toEqual(['step-start', 'text'])
  expect(place.documents.get('one.chatmd')).not.toContain('first')
  expect(await place.open().logs.find('first')).toMatchObject({ state: 'ended' })
})
