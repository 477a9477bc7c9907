import { defineTool } from '@argot/agent'
import { accumulate, getMessageText, type Message } from '@argot/core'
import type { MessagePage, RunResource } from '@argot/server/api'
import { describe, expect, test } from 'vitest'
import { call, finish, text } from '../../../agent/test/scripted-model.ts'
import { type Gate, gate } from '../clients/gate.ts'
import { readEvents, type ServedFolder, serveFolder } from '../served-folder.ts'

const files = { 'chat.chatmd': '<config show_tool_call/>\n<tool name="look"/>\n<tool name="save"/>\n\n' }
const looks = [...text('I look. '), ...call('l', 'look', {}), finish('tool-calls')]
const saves = [...call('s', 'save', {}), finish('tool-calls')]

interface Held extends ServedFolder {
  run: string
  /** Where the tool is held up. */
  middle: Gate
}

/** A server whose run is in the middle of its tool. */
async function held(steps: Parameters<typeof serveFolder>[0], options = {}): Promise<Held> {
  const middle = gate()
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effect: 'read',
    execute: async () => {
      await middle.wait()
      return 'seen'
    },
  })
  const save = defineTool({
    name: 'save',
    description: 'Saves.',
    inputSchema: { type: 'object' },
    execute: () => 'saved',
  })
  const served = await serveFolder(steps, { files, tools: [look, save], ...options })
  const { id } = await served.post('/api/runs', { document: 'chat.chatmd', input: 'Look.' })
  await middle.reached
  return { ...served, run: id, middle }
}

async function messagesOf({ get }: ServedFolder, query = ''): Promise<string[]> {
  const { messages } = await get<MessagePage>(`/api/documents/chat.chatmd/messages${query}`)
  return messages.map((one: Message) => `${one.role}: ${getMessageText(one).trim()}`)
}

const joined = ['user: Look.', 'assistant: ', 'user: Be short.', 'user: And kind.', 'assistant: Short it is.']

describe('a message to a run that works', () => {
  test('joins it at the next step, whichever door it comes through, and in order', async () => {
    const served = await held([looks, 'Short it is.'])
    const { run, post, middle, until } = served
    expect(await post(`/api/runs/${run}/messages`, { input: 'Be short.' })).toMatchObject({ id: run, state: 'running' })
    const second = { document: 'chat.chatmd', input: 'And kind.', mode: 'steer' }
    expect(await post('/api/runs', second)).toMatchObject({ id: run, queue: [] })
    middle.open()
    expect(await until(run, 'done')).toMatchObject({ steps: 2 })
    expect(await messagesOf(served)).toEqual(joined)
    expect((await served.get<{ runs: RunResource[] }>('/api/runs')).runs).toHaveLength(1)
  })

  test('is the same one if it is sent again with its key, also when the run is over', async () => {
    const served = await held([looks, 'Short it is.'])
    const { run, ask, middle, until } = served
    const headers = { 'idempotency-key': 'k1' }
    const send = (input: string, path = `/api/runs/${run}/messages`) => ask('POST', path, { input }, headers)
    expect((await send('Be short.')).status).toBe(202)
    expect((await send('Be short.')).status).toBe(202)
    expect((await send('Be long.')).status).toBe(409)
    middle.open()
    await until(run, 'done')
    const again = await send('Be short.')
    expect([again.status, again.headers.get('x-argot-run-id')]).toEqual([202, run])
    expect((await ask('POST', `/api/runs/${run}/messages`, { input: 'More?' })).status).toBe(410)
    expect(await messagesOf(served)).toEqual([
      'user: Look.',
      'assistant: ',
      'user: Be short.',
      'assistant: Short it is.',
    ])
  })

  test('is answered by a run of its own if the run ends before its next step', async () => {
    const served = await held([looks, 'Short it is.'], { run: { maxSteps: 1 } })
    const { run, post, middle, until, get } = served
    await post(`/api/runs/${run}/messages`, { input: 'Be short.' })
    await post(`/api/runs/${run}/messages`, { input: 'And kind.' })
    middle.open()
    await until(run, 'failed')
    await expect
      .poll(async () => (await get<{ runs: RunResource[] }>('/api/runs')).runs.map(({ state }) => state), {
        timeout: 20_000,
      })
      .toEqual(['done', 'done', 'failed'])
    expect((await messagesOf(served)).filter(one => one.startsWith('user'))).toEqual([
      'user: Look.',
      'user: Be short.',
      'user: And kind.',
    ])
  })

  test('that asks is denied with its text, as a call that is asked about before it is read', async () => {
    const both = [...call('l', 'look', {}), ...call('s', 'save', {}), finish('tool-calls')]
    const served = await held([both, 'As you like.'])
    const { run, post, middle, until, get } = served
    await expect.poll(async () => (await get<RunResource>(`/api/runs/${run}`)).pending.length).toBe(1)
    await post(`/api/runs/${run}/messages`, { input: 'Do not save.' })
    middle.open()
    await until(run, 'done')
    expect(await served.read('chat.chatmd')).toMatch(/reason="Do not save\."[\s\S]*<user>\nDo not save\.\n<\/user>/)
  })

  test('in place of an answer is answered by a new run, as before', async () => {
    const served = await serveFolder([saves, 'As you like.'], {
      files,
      tools: [
        defineTool({ name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, execute: () => 1 }),
        defineTool({ name: 'save', description: 'Saves.', inputSchema: { type: 'object' }, execute: () => 1 }),
      ],
    })
    const { id } = await served.post('/api/runs', { document: 'chat.chatmd', input: 'Save.' })
    await served.until(id, 'waiting')
    const next = await served.post(`/api/runs/${id}/messages`, { input: 'Rather not.' })
    expect(next.id).not.toBe(id)
    await served.until(next.id, 'done')
    expect(await messagesOf(served)).toEqual([
      'user: Save.',
      'assistant: ',
      'user: Rather not.',
      'assistant: As you like.',
    ])
  })

  test('is refused if it is empty, or has a file that would have to be read', async () => {
    const { run, ask, middle, until } = await held([looks, 'Done.'])
    const parts = [{ type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' }]
    const linked = await ask('POST', `/api/runs/${run}/messages`, { input: { id: 'm', role: 'user', parts } })
    expect([linked.status, ((await linked.json()) as { code: string }).code]).toEqual([422, 'MODEL_FILE_UNREADABLE'])
    expect((await ask('POST', `/api/runs/${run}/messages`, { input: ' ' })).status).toBe(400)
    expect((await ask('POST', '/api/runs/nobody/messages', { input: 'x' })).status).toBe(404)
    middle.open()
    await until(run, 'done')
  })

  test('is in the stream of our own clients, which show each message once', async () => {
    const served = await held([looks, 'Short it is.'])
    const { run, post, middle, ask } = served
    await post(`/api/runs/${run}/messages`, { input: 'Be short.' })
    const before = await messagesOf(served, '?live=1')
    const stream = ask('GET', `/api/runs/${run}/stream`, undefined, { 'x-argot-chunks': '1' })
    middle.open()
    const { events } = await readEvents(await stream)
    const fold = accumulate()
    for (const { chunk } of events) fold.push(chunk)
    expect(fold.messages.map(one => `${one.role}: ${getMessageText(one)}`)).toEqual([
      'assistant: ',
      'user: Be short.',
      'assistant: Short it is.',
    ])
    expect(before).toEqual(['user: Look.'])
  })
})
