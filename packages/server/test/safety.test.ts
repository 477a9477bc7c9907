import { defineTool } from '@argot/agent'
import { expect, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { readEvents, serveFolder } from './served-folder.ts'

const own = { 'x-argot-chunks': '1' }

function saveTool(saved: unknown[]) {
  return defineTool<{ text: string }>({
    name: 'save',
    description: 'Saves.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: ({ text }) => {
      saved.push(text)
      return `Saved ${text}.`
    },
  })
}

interface Results {
  results: { status: number; answer?: unknown }[]
}

test('an answer counts for the run that asked and for the input that it asked about, and once', async () => {
  const saved: unknown[] = []
  const text = '<config show_tool_call/>\n<tool name="save"/>\n\n<user>\nSave it.\n</user>\n'
  const saves = (id: string, what: string) => [...call(id, 'save', { text: what }), finish('tool-calls')]
  const { post, until } = await serveFolder([saves('c1', 'harmless'), saves('c2', 'harmful'), 'Done.', 'Done.'], {
    files: { 'a.chatmd': text, 'b.chatmd': text },
    tools: [saveTool(saved)],
  })
  const a = await post('/api/runs', { document: 'a.chatmd' })
  const [ofA] = (await until(a.id, 'waiting')).pending
  const b = await post('/api/runs', { document: 'b.chatmd' })
  const [ofB] = (await until(b.id, 'waiting')).pending
  const answer = async (run: string, approvalId: string, inputHash: string): Promise<number> => {
    const { results } = await post<Results>(`/api/runs/${run}/approvals`, {
      answers: [{ approvalId, inputHash, approved: true }],
    })
    return results[0]!.status
  }
  // The question of the other run, with its own hash and with that of this one; a hash for another input; no question at all.
  expect(await answer(a.id, ofB!.approvalId, ofB!.inputHash)).toBe(410)
  expect(await answer(a.id, ofB!.approvalId, ofA!.inputHash)).toBe(410)
  expect(await answer(a.id, ofA!.approvalId, ofB!.inputHash)).toBe(409)
  for (const name of ['no', '__proto__', 'constructor']) expect(await answer(a.id, name, ofA!.inputHash)).toBe(410)
  expect(saved).toEqual([])
  expect((await until(a.id, 'waiting')).pending).toEqual([ofA])
  expect((await until(b.id, 'waiting')).pending).toEqual([ofB])
  expect(await answer(a.id, ofA!.approvalId, ofA!.inputHash)).toBe(200)
  await until(a.id, 'done')
  // Said again, also to the other run, it changes nothing.
  expect(await answer(a.id, ofA!.approvalId, ofA!.inputHash)).toBe(409)
  expect(await answer(b.id, ofA!.approvalId, ofA!.inputHash)).toBe(410)
  expect(saved).toEqual(['harmless'])
  expect((await until(b.id, 'waiting')).pending).toEqual([ofB])
})

test('a key of the environment that a tool reads is not shown by any route', async () => {
  const key = 'sk-very-secret-key-1234567890'
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effect: 'read',
    execute: () => ({ env: `OPENAI_API_KEY=${key}`, encoded: Buffer.from(key).toString('base64') }),
  })
  const looks = [...call('c1', 'look', {}), finish('tool-calls')]
  const { post, until, ask, read, get } = await serveFolder([looks, 'Seen.'], {
    files: { 'look.chatmd': '<config show_tool_call/>\n<tool name="look"/>\n\n<user>\nLook.\n</user>\n' },
    tools: [look],
    run: { env: { OPENAI_API_KEY: key } },
  })
  const { id } = await post('/api/runs', { document: 'look.chatmd' })
  await until(id, 'done')
  const events = await ask('GET', `/api/events?runs=${id}@0`)
  const reader = events.body!.getReader()
  let said = ''
  while (!said.includes('"finish"')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The events ended without the end of the run: ${said}`)
    said += Buffer.from(value).toString()
  }
  await reader.cancel()
  const texts = [
    said,
    JSON.stringify(await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, own))),
    await (await ask('GET', `/api/runs/${id}/log?offset=-1`)).text(),
    await (await ask('GET', `/api/runs/${id}/calls/c1/output`)).text(),
    JSON.stringify(await get('/api/documents/look.chatmd/messages')),
    JSON.stringify(await get('/api/documents/look.chatmd/preview')),
    JSON.stringify(await get('/api/runs')),
    await read('look.chatmd'),
  ]
  for (const text of texts) {
    expect(text).not.toContain(key)
    expect(text).not.toContain(Buffer.from(key).toString('base64'))
  }
  expect(texts[1]).toContain('OPENAI_API_KEY')
})

test('a token is not taken from an address, and the server repeats it nowhere', async () => {
  const token = 'a-long-token-of-this-server'
  const said: string[] = []
  const { ask } = await serveFolder(['Hi.'], {
    files: { 'hello.chatmd': '<user>\nHello.\n</user>\n' },
    token,
    notice: text => said.push(text),
  })
  for (const path of ['/api/documents', '/api/events', '/api/runs', '/api/nope', '/']) {
    const refused = await ask('GET', `${path}?token=${token}&access_token=${token}`)
    expect([401, 404]).toContain(refused.status)
    expect(await refused.text()).not.toContain(token)
  }
  const headers = { authorization: `Bearer ${token}` }
  for (const [method, path, body] of [
    ['GET', '/api/documents', undefined],
    ['GET', '/api/openapi.json', undefined],
    ['GET', `/api/runs/${token}`, undefined],
    ['POST', '/api/session', { token }],
    ['POST', '/api/runs', { document: 'nope.chatmd' }],
  ] as const) {
    const answer = await ask(method, path, body, headers)
    const text = `${JSON.stringify([...answer.headers])}${path.includes(token) ? '' : await answer.text()}`
    expect(text, `${method} ${path}`).not.toContain(token)
  }
  expect(said.join('\n')).not.toContain(token)
})
