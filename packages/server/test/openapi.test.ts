import { readFile } from 'node:fs/promises'
import { Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { serveFolder } from './served-folder.ts'

interface Operation {
  operationId: string
  responses: Record<string, { headers?: object; content?: Record<string, { schema: object }> }>
}

test('every answer is one that the OpenAPI document describes, and every route of the document is there', async () => {
  const asks = [...call('c1', 'ask_user', { question: 'Which?' }), finish('tool-calls')]
  const changes = [...call('c2', 'write_file', { path: 'x.txt', content: 'x' }), finish('tool-calls')]
  const { ask, get, post, until } = await serveFolder([asks, changes, 'Done.'], {
    allowRelax: true,
    files: {
      'a.chatmd': '<tool name="ask_user"/>\n<tool name="write_file"/>\n\n<user>\nGo.\n</user>\n',
      'bad.chatmd': '<tool name="nope"/>\n<user>\nGo.\n</user>\n',
    },
  })
  const { paths, openapi, info } = await get<{
    openapi: string
    info: { version: string }
    paths: Record<string, Record<string, Operation>>
  }>('/api/openapi.json')
  expect(openapi).toBe('3.1.0')
  const own = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  expect(info.version).toBe(own.version)
  const seen = new Set<string>()
  const check = async (
    path: string,
    method: string,
    status: number,
    send: () => Promise<Response>,
  ): Promise<Response> => {
    const operation = paths[path]?.[method]
    expect(operation, `${method} ${path}`).toBeDefined()
    seen.add(operation!.operationId)
    const answer = await send()
    expect(answer.status, `${method} ${path}: ${status}`).toBe(status)
    const described = operation!.responses[String(status)]
    for (const name of Object.keys(described!.headers ?? {})) expect(answer.headers.get(name), name).not.toBeNull()
    const [type, content] = Object.entries(described!.content ?? {})[0] ?? []
    if (type === undefined) return answer
    if (type !== 'application/json') {
      expect(answer.headers.get('content-type')).toContain(type)
      return answer
    }
    const { valid, errors } = new Validator(content!.schema, '2020-12').validate(await answer.clone().json())
    expect(errors, `${method} ${path}`).toEqual([])
    expect(valid).toBe(true)
    return answer
  }
  const run = await post('/api/runs', { document: 'a.chatmd' })
  const one = `/api/runs/${run.id}`
  await until(run.id, 'waiting')
  await check('/api/runs', 'post', 201, () => ask('POST', '/api/runs', { document: 'a.chatmd', mode: 'queue' }))
  await check('/api/runs', 'post', 409, () => ask('POST', '/api/runs', { document: 'a.chatmd', mode: 'reject' }))
  await check('/api/runs', 'post', 422, () => ask('POST', '/api/runs', { document: 'bad.chatmd' }))
  await check('/api/runs', 'post', 400, () => ask('POST', '/api/runs', { documents: 'a.chatmd' }))
  await check('/api/runs', 'get', 200, () => ask('GET', '/api/runs?state=waiting&document=a.chatmd&limit=5'))
  await check('/api/runs/{id}', 'get', 200, () => ask('GET', one))
  await check('/api/runs/{id}', 'get', 404, () => ask('GET', '/api/runs/nope'))
  await check('/api/runs/{id}/outputs', 'post', 200, () =>
    ask('POST', `${one}/outputs`, { toolCallId: 'c1', output: 'x' }),
  )
  await check('/api/runs/{id}/outputs', 'post', 409, () =>
    ask('POST', `${one}/outputs`, { toolCallId: 'c1', output: 'x' }),
  )
  let pending = (await until(run.id, 'waiting')).pending
  while (pending.length === 0) pending = (await until(run.id, 'waiting')).pending
  const { approvalId, inputHash } = pending[0]!
  const answers = [{ approvalId, inputHash, approved: false, reason: 'no' }]
  const checked = `${one}/approvals/${answers[0]!.approvalId}/check`
  await check('/api/runs/{id}/approvals/{approvalId}/check', 'get', 200, () => ask('GET', checked))
  await check('/api/runs/{id}/approvals', 'post', 200, () => ask('POST', `${one}/approvals`, { answers }))
  await until(run.id, 'done')
  const relax = await check('/api/relax', 'get', 200, () => ask('GET', '/api/relax?document=a.chatmd'))
  const { key } = (await relax.json()) as { key: string }
  const offer = { document: 'a.chatmd', folder: '', key }
  await check('/api/relax', 'post', 200, () => ask('POST', '/api/relax', offer))
  await check('/api/relax', 'post', 409, () => ask('POST', '/api/relax', offer))
  await check('/api/relax', 'delete', 204, () => ask('DELETE', '/api/relax'))
  await check('/api/runs/{id}/messages', 'post', 410, () => ask('POST', `${one}/messages`, { input: 'x' }))
  await check('/api/runs/{id}/stop', 'post', 202, () => ask('POST', `${one}/stop`, {}))
  const stream = await check('/api/runs/{id}/stream', 'get', 200, () => ask('GET', `${one}/stream?from=2`))
  await stream.body!.cancel()
  await check('/api/runs/{id}/calls/{toolCallId}/output', 'get', 200, () => ask('GET', `${one}/calls/c1/output`))
  await check('/api/runs/{id}/calls/{toolCallId}/output', 'get', 404, () => ask('GET', `${one}/calls/nope/output`))
  const turn = `/api/documents/a.chatmd/turns/${run.id}`
  const turnPath = '/api/documents/{path}/turns/{turn}'
  await check(`${turnPath}/changes`, 'get', 200, () => ask('GET', `${turn}/changes`))
  await check(`${turnPath}/changes`, 'get', 404, () => ask('GET', '/api/documents/a.chatmd/turns/nope/changes'))
  await check(`${turnPath}/undo`, 'post', 200, () => ask('POST', `${turn}/undo`))
  const list = await check('/api/documents', 'get', 200, () => ask('GET', '/api/documents'))
  expect(await list.json()).toMatchObject([{ path: 'a.chatmd' }, { path: 'bad.chatmd' }])
  expect(list.headers.get('x-argot-folder')).toBe('docs')
  const text = await check('/api/documents/{path}', 'get', 200, () => ask('GET', '/api/documents/a.chatmd'))
  const version = text.headers.get('etag')!
  const put = (path: string, headers: Record<string, string> = {}) => ask('PUT', `/api/documents/${path}`, 'x', headers)
  await check('/api/documents/{path}', 'put', 412, () => put('a.chatmd', { 'if-match': '"x"' }))
  await check('/api/documents/{path}', 'put', 200, () => put('a.chatmd', { 'if-match': version }))
  await check('/api/documents/{path}', 'put', 201, () => put('folder/new.chatmd'))
  await check('/api/documents/{path}', 'put', 412, () => put('folder/new.chatmd'))
  await check('/api/documents/{path}', 'get', 404, () => ask('GET', '/api/documents/nope.chatmd'))
  await check('/api/documents/{path}/messages', 'get', 200, () =>
    ask('GET', '/api/documents/a.chatmd/messages?limit=2'),
  )
  await check('/api/documents/{path}/check', 'get', 200, () => ask('GET', '/api/documents/bad.chatmd/check'))
  await check('/api/documents/{path}/check', 'post', 200, () => ask('POST', '/api/documents/a.chatmd/check', '<usr>'))
  await check('/api/documents/{path}/preview', 'get', 200, () => ask('GET', '/api/documents/bad.chatmd/preview'))
  await check('/api/search', 'get', 200, () => ask('GET', '/api/search?q=hello'))
  await check('/api/models', 'get', 200, () => ask('GET', '/api/models'))
  const settings = '/api/documents/{path}/settings'
  await check(settings, 'get', 200, () => ask('GET', '/api/documents/a.chatmd/settings'))
  await check(settings, 'get', 404, () => ask('GET', '/api/documents/nope.chatmd/settings'))
  const branch = (at: string) => ask('POST', '/api/documents/bad.chatmd/branch', { at })
  await check('/api/documents/{path}/branch', 'post', 404, () => branch('nope'))
  await check('/api/documents/{path}/branch', 'post', 201, () => branch('chatmd-0'))
  await check('/api/documents/{path}/branches', 'get', 200, () => ask('GET', '/api/documents/bad.chatmd/branches'))
  await check('/api/documents/{path}/branches', 'get', 404, () => ask('GET', '/api/documents/nope.chatmd/branches'))
  const rate = (message: string) => ask('PUT', '/api/documents/a.chatmd/feedback', { message, value: 'good' })
  await check('/api/documents/{path}/feedback', 'put', 404, () => rate('nope'))
  const fresh = '/api/documents/folder/new.chatmd'
  const move = (to: string) => ask('POST', `${fresh}/rename`, { to })
  await check('/api/documents/{path}/rename', 'post', 409, () => move('a.chatmd'))
  await check('/api/documents/{path}/rename', 'post', 200, () => move('folder/new.chatmd'))
  await check('/api/documents/{path}/copy', 'post', 201, () => ask('POST', `${fresh}/copy`, {}))
  await check('/api/documents/{path}/copy', 'post', 409, () => ask('POST', `${fresh}/copy`, { to: 'a.chatmd' }))
  await check('/api/documents/{path}/title', 'put', 200, () => ask('PUT', `${fresh}/title`, { title: 'New' }))
  await check('/api/keys/{provider}', 'put', 403, () => ask('PUT', '/api/keys/openai', { key: 'sk-12345678' }))
  await check('/api/documents/{path}/restore', 'post', 404, () => ask('POST', `${fresh}/restore`))
  await check('/api/documents/{path}', 'delete', 200, () => ask('DELETE', fresh))
  await check('/api/trash', 'get', 200, () => ask('GET', '/api/trash'))
  await check('/api/documents/{path}/restore', 'post', 200, () => ask('POST', `${fresh}/restore`))
  await check('/api/documents/{path}/restore', 'post', 404, () => ask('POST', `${fresh}/restore`))
  await check('/api/documents/{path}', 'delete', 204, () => ask('DELETE', `${fresh}?forever`))
  const events = await check('/api/events', 'get', 200, () => ask('GET', `/api/events?runs=${run.id}@0`))
  await events.body!.cancel()
  const user = { id: '1', role: 'user', parts: [{ type: 'text', text: 'x' }] }
  const chat = await check('/api/chat', 'post', 200, () => ask('POST', '/api/chat', { id: 'new', messages: [user] }))
  await chat.body!.cancel()
  await check('/api/chat/{chat}/stream', 'get', 204, () => ask('GET', '/api/chat/other/stream'))
  await check('/healthz', 'get', 200, () => ask('GET', '/healthz'))
  await check('/readyz', 'get', 200, () => ask('GET', '/readyz'))
  await check('/api/session', 'post', 401, () => ask('POST', '/api/session', { token: 'x' }))
  await check('/api/runs/{id}/log', 'get', 200, () => ask('GET', `${one}/log?offset=-1`))
  await check('/api/runs/{id}/log', 'head', 200, () => ask('HEAD', `${one}/log`))
  await check('/api/openapi.json', 'get', 200, () => ask('GET', '/api/openapi.json'))
  const all = Object.values(paths).flatMap(path => Object.values(path).map(({ operationId }) => operationId))
  expect([...seen].sort()).toEqual(all.sort())
})
