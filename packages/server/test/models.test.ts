import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { serveFolder } from './served-folder.ts'

interface Models {
  models: { name: string; provider: string; isReady: boolean; needs?: string }[]
  syntaxes: string[]
}

const files = {
  'plain.chatmd': '<user>\nGo.\n</user>\n',
  'own.chatmd': '<config model="anthropic:claude-sonnet-5" tool_syntax="caret"/>\n<user>\nGo.\n</user>\n',
  'odd.chatmd': '<config model="nobody:x"/>\n<user>\nGo.\n</user>\n',
}

test('models are listed by what is set, and neither a key nor an address is', async () => {
  const models = createServer((_, response) => response.end(JSON.stringify({ data: [{ id: 'small' }, { id: 7 }] })))
  await new Promise<void>(resolve => models.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void models.close())
  const address = `http://127.0.0.1:${(models.address() as AddressInfo).port}/v1`
  const env = { OPENAI_API_KEY: 'sk-secret-key', ARGOT_BASE_URL: address }
  const { ask } = await serveFolder([], { files, run: { env } })
  const text = await (await ask('GET', '/api/models')).text()
  const { models: list, syntaxes } = JSON.parse(text) as Models
  const find = (provider: string) => list.filter(one => one.provider === provider)
  expect(find('openai')).toMatchObject([{ isReady: true }])
  expect(find('anthropic')).toMatchObject([{ isReady: false, needs: 'set ANTHROPIC_API_KEY' }])
  expect(find('openai-compatible')).toMatchObject([{ name: 'openai-compatible:small', isReady: true }])
  expect(find('demo')).toMatchObject([{ name: 'demo', isReady: true }])
  expect(find('replay')).toEqual([])
  expect(syntaxes).toEqual(expect.arrayContaining(['native', 'xml', 'caret', 'callout']))
  expect(text).not.toContain('sk-secret-key')
  expect(text).not.toContain(address)
})

test('the settings of a document are those of a run that asks for nothing else', async () => {
  const { get } = await serveFolder([], { files, run: { env: {}, model: undefined, approve: 'readonly' } })
  const settings = (name: string): Promise<unknown> => get(`/api/documents/${name}.chatmd/settings`)
  expect(await settings('plain')).toEqual({ model: 'demo', syntax: 'native', approve: 'readonly' })
  expect(await settings('own')).toMatchObject({
    model: 'anthropic:claude-sonnet-5',
    syntax: 'caret',
    problem: expect.stringContaining('ANTHROPIC_API_KEY'),
  })
  expect(await settings('odd')).toMatchObject({ model: 'nobody:x', problem: expect.stringContaining('nobody') })
})

test('a document without a model is told the names of the server, which the menu offers', async () => {
  const list = JSON.stringify({ data: [{ id: 'small' }, { id: 'large' }] })
  const models = createServer((_, response) => response.end(list))
  await new Promise<void>(resolve => models.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void models.close())
  const address = `http://127.0.0.1:${(models.address() as AddressInfo).port}/v1`
  const { get } = await serveFolder([], { files, run: { env: { ARGOT_BASE_URL: address }, model: undefined } })
  const settings = await get<{ problem: string }>('/api/documents/plain.chatmd/settings')
  expect(settings.problem).toMatch(/: small, large\. Set it with --model openai-compatible:small/)
  expect(settings.problem).not.toContain(address)
  const { models: offered } = await get<Models>('/api/models')
  expect(offered.filter(({ isReady }) => isReady).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['openai-compatible:small', 'openai-compatible:large']),
  )
})

test('a preview shows what a run would see that asks for another model and syntax', async () => {
  const { get } = await serveFolder([], { files, run: { env: {}, model: undefined } })
  const preview = await get<{ model: string; syntax: string }>(
    '/api/documents/own.chatmd/preview?model=demo&syntax=xml',
  )
  expect([preview.model, preview.syntax]).toEqual(['demo', 'xml'])
})
