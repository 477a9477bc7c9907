import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { gate } from './clients/gate.ts'
import { readEvents, serveFolder } from './served-folder.ts'

const hello = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }
const own = { 'x-argot-chunks': '1' }

test('every stream sends its head and a comment at once, and asks not to be held back, kept or changed', async () => {
  const middle = gate()
  const { post, ask } = await serveFolder(['One two.'], {
    files: hello,
    before: { before: part => (part.type === 'text-start' ? middle.wait() : undefined) },
  })
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  await middle.reached
  const paths = [
    `/api/runs/${id}/stream`,
    `/api/events?runs=${id}@0`,
    '/api/chat/hello/stream',
    `/api/runs/${id}/log?offset=-1&live=sse`,
  ]
  for (const path of paths) {
    const { status, headers, body } = await ask('GET', path, undefined, { 'accept-encoding': 'gzip, br' })
    expect([path, status, headers.get('content-type')]).toEqual([
      path,
      200,
      expect.stringMatching(/^text\/event-stream/),
    ])
    expect(headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('content-encoding')).toBeNull()
    const reader = body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toMatch(/^retry: 1000\n:/)
    await reader.cancel()
  }
  middle.open()
})

test('who asks beyond the end waits while more may come, and is told the end where none does', async () => {
  const middle = gate()
  const { post, ask, until } = await serveFolder(['One two.'], {
    files: hello,
    before: { before: part => (part.type === 'text-end' ? middle.wait() : undefined) },
  })
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  await middle.reached
  const beyond = readEvents(await ask('GET', `/api/runs/${id}/stream?from=100000`, undefined, own))
  const isOver = await Promise.race([
    beyond.then(() => true),
    new Promise(resolve => setImmediate(() => resolve(false))),
  ])
  expect(isOver).toBe(false)
  middle.open()
  await until(id, 'done')
  expect(await beyond).toEqual({ events: [], isDone: true })
  for (const from of ['?from=100000', '?from=999999999999999']) {
    const late = await ask('GET', `/api/runs/${id}/stream${from}`, undefined, own)
    expect(await readEvents(late)).toEqual({ events: [], isDone: true })
  }
  const after = await ask('GET', `/api/runs/${id}/stream`, undefined, { ...own, 'last-event-id': '100000' })
  expect(await readEvents(after)).toEqual({ events: [], isDone: true })
  for (const path of ['/api/runs/nope/stream', '/api/runs/nope/log', '/api/runs/nope']) {
    expect((await ask('GET', path)).status).toBe(404)
  }
  for (const bad of ['-1', 'x', '1.5', '1e3', '99999999999999999999']) {
    expect((await ask('GET', `/api/runs/${id}/stream?from=${bad}`)).status, bad).toBe(400)
    expect((await ask('GET', `/api/runs/${id}/stream`, undefined, { 'last-event-id': bad })).status, bad).toBe(400)
  }
})

test.runIf(process.platform === 'linux')('stop ends a tool and every process that it has started', async () => {
  // A time that no other process sleeps.
  const nap = `303.${process.pid}`
  const script = `sleep ${nap} & (setsid sleep ${nap} &) ; wait`
  const { post, ask, until } = await serveFolder(
    [[...call('c1', 'sh', { arguments: [script] }), finish('tool-calls')], 'Done.'],
    {
      files: { 'sh.chatmd': '<tool name="sh" command="sh -c"/>\n\n<user>\nGo.\n</user>\n' },
      run: { allowExec: true, approve: 'all', sandbox: 'off', env: { PATH: process.env.PATH } },
    },
  )
  const sleeping = async (): Promise<number> => {
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'stat,args'])
    return stdout.split('\n').filter(line => !line.startsWith('Z') && line.trim().endsWith(`sleep ${nap}`)).length
  }
  const { id } = await post('/api/runs', { document: 'sh.chatmd' })
  await expect.poll(sleeping, { timeout: 20_000 }).toBe(2)
  const stopped = await ask('POST', `/api/runs/${id}/stop`, { reason: 'enough' })
  expect([stopped.status, ((await stopped.json()) as { state: string }).state]).toEqual([202, 'stopping'])
  await until(id, 'stopped')
  await expect.poll(sleeping, { timeout: 20_000 }).toBe(0)
  const again = await ask('POST', `/api/runs/${id}/stop`, {})
  expect([again.status, ((await again.json()) as { state: string }).state]).toEqual([202, 'stopped'])
})
