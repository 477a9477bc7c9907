import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineTool } from '@argot/agent'
import { listen } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { KEY_FILE } from '../../../agent/src/files/key-file.ts'
import { call, finish, type ScriptedStep } from '../../../agent/test/scripted-model.ts'
import { type ServedFolder, type ServeOptions, serveFolder } from '../served-folder.ts'

/** Keys that are sent over HTTP: stored once, given back to no one, and taken only where no one else reads along. */

const key = 'sk-live-0123456789abcdefSECRET'
const json = { 'content-type': 'application/json' }

interface KeyServer extends ServedFolder {
  url: string
  notices: string[]
  keyFile: string
  put(path: string, body: string, headers?: Record<string, string>): Promise<Response>
}

async function serveKeys(options: ServeOptions = {}, steps: readonly ScriptedStep[] = ['Fine.']): Promise<KeyServer> {
  const notices: string[] = []
  const served = await serveFolder(steps, { takesKeys: true, notice: text => notices.push(text), ...options })
  const { port, close } = await listen(served.server, { port: 0 })
  onTestFinished(close)
  const url = `http://127.0.0.1:${port}`
  return {
    ...served,
    url,
    notices,
    keyFile: join(dirname(served.folder), 'config', KEY_FILE),
    put: (path, body, headers = {}) =>
      fetch(`${url}${path}`, { method: 'PUT', headers: { ...json, ...headers }, body }),
  }
}

/** The files below a folder that have the key. */
function filesWithKey(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return files.filter(file => readFileSync(file).includes(key))
}

test('a key that was stored comes back from no route, no event, no error, no notice and no file but its own', async () => {
  const reader = defineTool({
    name: 'environment',
    description: 'Reads.',
    effect: 'read',
    inputSchema: { type: 'object' },
    execute: async () => `OPENAI_API_KEY=${key}`,
  })
  const leak = [...call('1', 'environment', {}), finish('tool-calls')]
  const files = { 'a.chatmd': '<tool name="environment"/>\n\n<user>\nHello.\n</user>\n' }
  const served = await serveKeys({ files, tools: [reader] }, [leak, 'It is not here.'])
  const { url, put, post, until, notices, keyFile, server, folder } = served
  const answer = await put('/api/keys/openai', JSON.stringify({ key }))
  expect([answer.status, await answer.json()]).toEqual([200, { place: 'file', isUsed: true }])
  expect(JSON.stringify([...answer.headers])).not.toContain(key)
  expect(statSync(keyFile).mode & 0o077).toBe(0)
  const events = await fetch(`${url}/api/events`)
  const run = await post('/api/runs', { document: 'a.chatmd' })
  await until(run.id, 'done')
  const { paths } = server.openapi as { paths: Record<string, Record<string, unknown>> }
  const texts: string[] = [JSON.stringify(server.openapi), ...notices]
  for (const [path, operations] of Object.entries(paths)) {
    if (!('get' in operations) || path === '/api/events') continue
    const address = path
      .replace('{path}', 'a.chatmd')
      .replace('{chat}', 'a')
      .replace('{id}', run.id)
      .replace('{toolCallId}', 'c1')
      .replace('{approvalId}', 'x')
    const query = path === '/api/search' ? `?q=${key}` : ''
    texts.push(await (await fetch(`${url}${address}${query}`)).text())
  }
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
    const other = await fetch(`${url}/api/keys/openai`, { method })
    expect([method, other.status]).toEqual([method, 405])
    texts.push(await other.text())
  }
  for (const path of ['/api/keys', '/api/keys/', '/api/keys/openai/x', '/config/keys.json', '/..%2fconfig/keys.json']) {
    const other = await fetch(`${url}${path}`)
    expect([path, other.ok]).toEqual([path, false])
    texts.push(await other.text())
  }
  const reading = events.body!.getReader()
  texts.push(new TextDecoder().decode((await reading.read()).value))
  await reading.cancel()
  expect(texts.length).toBeGreaterThan(20)
  expect(texts.filter(text => text.includes(key))).toEqual([])
  expect(await (await fetch(`${url}/api/documents/a.chatmd/messages`)).text()).toContain('[redacted: OPENAI_API_KEY]')
  expect(filesWithKey(dirname(folder))).toEqual([keyFile])
  const { models } = (await (await fetch(`${url}/api/models`)).json()) as { models: unknown[] }
  expect(models).toContainEqual(expect.objectContaining({ provider: 'openai', isReady: true }))
})

test('a key is refused over plain HTTP from elsewhere, and through a proxy that is not trusted', async () => {
  const trusting = await serveKeys({ hosts: ['argot.test'], trustsProxy: true })
  const plain = await serveKeys({ hosts: ['argot.test'] })
  const from = (address: string, encrypted = false): unknown => ({
    incoming: { socket: { remoteAddress: address, encrypted } },
  })
  const send = async (
    { server }: KeyServer,
    env: unknown,
    headers: Record<string, string> = {},
    url = 'http://127.0.0.1:4176',
  ): Promise<number> => {
    const body = JSON.stringify({ key })
    const request = new Request(`${url}/api/keys/openai`, { method: 'PUT', headers: { ...json, ...headers }, body })
    const answer = await server.fetch(request, env)
    const text = await answer.text()
    expect(text).not.toContain(key)
    if (answer.status === 403) expect(text).toContain('SERVER_NOT_PRIVATE')
    return answer.status
  }
  const local = from('127.0.0.1')
  const named = { host: 'argot.test' }
  expect(await send(plain, from('192.0.2.7'))).toBe(403)
  expect(await send(plain, from('192.0.2.7'), { 'x-forwarded-proto': 'https' })).toBe(403)
  expect(await send(plain, from('10.0.0.1'), {}, 'https://127.0.0.1:4176')).toBe(403)
  expect(await send(plain, local, named)).toBe(403)
  expect(await send(plain, undefined)).toBe(403)
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']) {
    expect([name, await send(plain, local, { [name]: 'https' })]).toEqual([name, 403])
  }
  for (const protocol of ['http', 'https, http', 'http,https', '', 'httpsx']) {
    const headers = { ...named, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': protocol }
    expect([protocol, await send(trusting, local, headers)]).toEqual([protocol, 403])
  }
  expect(await send(trusting, local, { ...named, 'x-forwarded-for': '192.0.2.7' })).toBe(403)
  expect(existsSync(plain.keyFile) || existsSync(trusting.keyFile)).toBe(false)
  expect(await send(trusting, local, { ...named, 'x-forwarded-proto': 'https' })).toBe(200)
  expect(await send(plain, from('192.0.2.7', true), named)).toBe(200)
  const listed = (await (await fetch(`${plain.url}/api/models`, { headers: { via: 'x' } })).json()) as object
  expect(listed).toMatchObject({ takesKeys: false })
})

test('a page of another site, a form and a client without the token store nothing', async () => {
  const { put, keyFile } = await serveKeys({ token: 'the-right-token' })
  const body = JSON.stringify({ key })
  const token = { authorization: 'Bearer the-right-token' }
  const tries: [number, Record<string, string>][] = [
    [401, {}],
    [401, { authorization: 'Bearer another-token' }],
    [403, { ...token, origin: 'https://evil.example' }],
    [403, { ...token, origin: 'null' }],
    [403, { ...token, 'sec-fetch-site': 'cross-site' }],
    [403, { ...token, 'sec-fetch-site': 'same-site' }],
    [415, { ...token, 'content-type': 'text/plain' }],
    [415, { ...token, 'content-type': 'application/x-www-form-urlencoded' }],
  ]
  for (const [status, headers] of tries) {
    const answer = await put('/api/keys/openai', body, headers)
    expect([headers, answer.status]).toEqual([headers, status])
    expect(await answer.text()).not.toContain(key)
  }
  expect(existsSync(keyFile)).toBe(false)
})

test('what is not a provider, not a key or too long is refused without being repeated', async () => {
  const { put, keyFile, notices, folder } = await serveKeys()
  const send = async (provider: string, body: unknown): Promise<number> => {
    const answer = await put(`/api/keys/${provider}`, typeof body === 'string' ? body : JSON.stringify(body))
    expect(await answer.text()).not.toContain(key)
    return answer.status
  }
  const names = [
    '..%2f..%2fetc%2fpasswd',
    '..%5c..',
    '__proto__',
    'constructor',
    '%00',
    'demo',
    'openai%0a',
    key,
    'x'.repeat(5000),
  ]
  for (const name of names) {
    const status = await send(name, { key })
    expect([name, status >= 400 && status < 500]).toEqual([name, true])
  }
  for (const bad of [`${key}\n${key}`, `${key}\u0000`, `${key}\u001b[31m`, `${key}é`, ` ${key} ${key}`, '', 'short']) {
    expect([bad, await send('openai', { key: bad })]).toEqual([bad, 422])
  }
  for (const bad of [{}, { key: [key] }, { key: { key } }, { key, more: key }, [key], `"${key}"`, `{"key":"${key}`]) {
    expect([bad, await send('openai', bad)]).toEqual([bad, 400])
  }
  expect(await send('openai', { key: key.repeat(600) })).toBe(413)
  expect(await send('openai', { key: 'k'.repeat(16 * 1024 + 1) })).toBe(400)
  expect(existsSync(keyFile)).toBe(false)
  expect(filesWithKey(dirname(folder))).toEqual([])
  expect(notices.join('\n')).not.toContain(key)
})

test('a disk that refuses a key, and a server that takes none, say so without it', async () => {
  const { put, folder, notices } = await serveKeys()
  await writeFile(join(dirname(folder), 'config'), 'a file, not a folder')
  const answer = await put('/api/keys/openai', JSON.stringify({ key }))
  expect(answer.status).toBe(422)
  expect(await answer.text()).not.toContain(key)
  expect(notices.join('\n')).not.toContain(key)
  const closed = await serveKeys({ takesKeys: false })
  const refused = await closed.put('/api/keys/openai', JSON.stringify({ key }))
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'SERVER_NO_KEYS' }])
  expect(existsSync(closed.keyFile)).toBe(false)
})

test('a key in the environment stays the one that is used, and the stored one is redacted too', async () => {
  const env = { OPENAI_API_KEY: 'sk-from-the-environment' }
  const { put } = await serveKeys({ run: { env } })
  expect(await (await put('/api/keys/openai', JSON.stringify({ key }))).json()).toEqual({
    place: 'file',
    isUsed: false,
  })
  expect(env).toEqual({ OPENAI_API_KEY: 'sk-from-the-environment' })
})
