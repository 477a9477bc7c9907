import type { ArgotServer } from '@argot/server'
import { expect, test } from 'vitest'
import { serveFolder } from './served-folder.ts'

const hello = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }

interface Described {
  paths: Record<string, Record<string, unknown>>
}

/** What each path of the description can be asked with. */
function methodsOf(server: ArgotServer): [path: string, methods: string[]][] {
  return Object.entries((server.openapi as Described).paths).map(([path, methods]) => {
    const names = Object.keys(methods).map(name => name.toUpperCase())
    const all = new Set(names.includes('GET') ? [...names, 'HEAD'] : names)
    return [path, [...all].sort()]
  })
}

test('every address that is asked with another method than its own says which those are', async () => {
  const { server, ask } = await serveFolder(['Hi.'], { files: hello })
  const paths = methodsOf(server)
  expect(paths.length).toBeGreaterThan(15)
  for (const [path, methods] of paths) {
    const address = path
      .replace('{path}', 'hello.chatmd')
      .replace('{chat}', 'a/b')
      .replaceAll(/\{\w+\}/g, 'x')
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      if (methods.includes(method)) continue
      const answer = await ask(method, address)
      expect([method, path, answer.status, answer.headers.get('allow')]).toEqual([
        method,
        path,
        405,
        methods.join(', '),
      ])
      expect(await answer.json()).toMatchObject({ code: 'SERVER_BAD_METHOD' })
    }
  }
  expect((await ask('POST', '/api/nope', {})).status).toBe(404)
  expect((await ask('DELETE', '/api/runs/x', undefined, { host: 'evil.example' })).status).toBe(421)
})

test('a head is given for whatever can be got, without its body', async () => {
  const { ask } = await serveFolder(['Hi.'], { files: hello })
  for (const path of ['/healthz', '/api/documents', '/api/documents/hello.chatmd', '/api/runs', '/api/events']) {
    const answer = await ask('HEAD', path)
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, ''])
  }
})
