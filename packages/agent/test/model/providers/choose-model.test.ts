import { chooseModel, type Model } from '@argot/agent'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { builtinModels } from '../../../src/model/choose-model.ts'
import { loadPackage } from '../../../src/model/load-package.ts'
import { collect, during } from '../collect.ts'
import { startAnthropic } from '../servers/anthropic.ts'
import { startCompatible } from '../servers/compatible.ts'

const keys = { OPENAI_API_KEY: 'sk-a', ANTHROPIC_API_KEY: 'sk-b', GEMINI_API_KEY: 'AIza' }
const local = { ARGOT_BASE_URL: 'http://127.0.0.1:9/v1' }

beforeEach(() => {
  const before = [...builtinModels]
  for (const word of ['demo', 'replay']) {
    const language = {} as Model['language']
    builtinModels.set(word, async (rest, { directory }) => ({
      name: rest ? `${word}:${rest} in ${directory}` : word,
      language,
      nativeTools: true,
      settings: () => ({}),
    }))
  }
  onTestFinished(() => {
    builtinModels.clear()
    for (const [word, create] of before) builtinModels.set(word, create)
  })
})

test.each<[string, string, object?, string?]>([
  ['gpt-4o', 'openai:gpt-4o'],
  ['o3-mini', 'openai:o3-mini'],
  ['chatgpt-4o-latest', 'openai:chatgpt-4o-latest'],
  ['claude-sonnet-5', 'anthropic:claude-sonnet-5'],
  ['gemini-flash-latest', 'google:gemini-flash-latest'],
  ['openai:gpt-4o', 'openai:gpt-4o'],
  ['OpenAI:gpt-4o', 'openai:gpt-4o'],
  [' anthropic:claude-opus-5 ', 'anthropic:claude-opus-5'],
  ['ft:gpt-4o:acme::1', 'openai:ft:gpt-4o:acme::1'],
  ['ollama:llama3:8b', 'ollama:llama3:8b'],
  ['davinci', 'openai:davinci'],
  ['davinci', 'openai-compatible:davinci', local],
  ['meta-llama/llama-3:free', 'openai-compatible:meta-llama/llama-3:free', local],
  ['gpt-4o', 'openai:gpt-4o', local],
  ['openai-compatible:qwen3', 'openai-compatible:qwen3', local],
  ['llama3:8b', 'ollama:llama3:8b', {}, 'ollama'],
  ['gpt-4o', 'openai-compatible:gpt-4o', local, 'openai-compatible'],
  ['anthropic:claude-opus-5', 'anthropic:claude-opus-5', {}, 'openai'],
  ['__proto__', 'openai:__proto__'],
  ['demo', 'demo'],
  ['replay:runs/a.jsonl', 'replay:runs/a.jsonl in /docs'],
])('%s is %s', async (name, expected, env = {}, api?) => {
  const options = { env: { ...keys, ...env }, directory: '/docs', ...(api ? { api } : {}) }
  expect(await chooseModel(name, options)).toMatchObject({ name: expected, nativeTools: true })
})

test.each<[string, Record<string, string>, string]>([
  ['the first key that is set', keys, 'openai:gpt-5.4-mini'],
  ['the key of Anthropic', { ANTHROPIC_API_KEY: 'b' }, 'anthropic:claude-sonnet-5'],
  ['the key of Google', { GOOGLE_GENERATIVE_AI_API_KEY: 'c' }, 'google:gemini-flash-latest'],
  ['a key of blanks, which is none', { OPENAI_API_KEY: ' ', GEMINI_API_KEY: 'c' }, 'google:gemini-flash-latest'],
])('without a name, %s decides and the notice says so', async (_, env, expected) => {
  for (const name of [undefined, '', '  ']) {
    const model = await chooseModel(name, { env })
    expect(model.name).toBe(expected)
    expect(model.notice).toContain(
      `Using ${expected}, because ${Object.keys(env).find(key => env[key]?.trim())} is set`,
    )
  }
})

test('without a name and without a key it is the demo', async () => {
  expect((await chooseModel(undefined, { env: {} })).name).toBe('demo')
})

test('without a name the provider of the document has its default', async () => {
  expect((await chooseModel(undefined, { env: keys, api: 'anthropic' })).name).toBe('anthropic:claude-sonnet-5')
})

test.each<[string, string | undefined, Record<string, string>, string, string, string?]>([
  [
    'a provider that does not exist',
    'foo:bar',
    keys,
    'MODEL_UNKNOWN_PROVIDER',
    'openai, anthropic, google, ollama, openai-compatible, demo, replay',
  ],
  ['a local name without its provider', 'llama3.2:3b', keys, 'MODEL_UNKNOWN_PROVIDER', 'ollama:llama3.2:3b'],
  ['an api that does not exist', 'gpt-4o', keys, 'MODEL_UNKNOWN_PROVIDER', '"azure"', 'azure'],
  ['a prefix that every object has', 'constructor:x', keys, 'MODEL_UNKNOWN_PROVIDER', '"constructor"'],
  ['a missing key', 'gpt-4o', {}, 'MODEL_MISSING_KEY', 'Set OPENAI_API_KEY'],
  [
    'a missing key with two variables',
    'google:x',
    {},
    'MODEL_MISSING_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY',
  ],
  ['a missing key where a server is set', 'gpt-4o', local, 'MODEL_MISSING_KEY', 'openai-compatible:gpt-4o'],
  ['a key that is none', 'gpt-4o', { OPENAI_API_KEY: 'sk-secret\nword' }, 'MODEL_MISSING_KEY', 'a line break'],
  ['a missing name', 'openai:', keys, 'MODEL_MISSING_NAME', 'openai:gpt'],
  ['a server without a name', undefined, { ...keys, ...local }, 'MODEL_MISSING_NAME', 'ARGOT_BASE_URL is set'],
  ['Ollama without a name', undefined, keys, 'MODEL_MISSING_NAME', 'ollama:NAME', 'ollama'],
  ['a missing address', 'openai-compatible:x', keys, 'MODEL_BAD_ADDRESS', 'Set ARGOT_BASE_URL'],
  [
    'an address that is none',
    'gpt-4o',
    { ...keys, OPENAI_BASE_URL: 'localhost:80' },
    'MODEL_BAD_ADDRESS',
    'OPENAI_BASE_URL',
  ],
  [
    'an address with a password',
    'openai-compatible:x',
    { ARGOT_BASE_URL: 'http://me:secret@h/v1' },
    'MODEL_BAD_ADDRESS',
    'password',
  ],
])('%s is said with what to set', async (_, name, env, code, words, api?) => {
  const error = await chooseModel(name, { env, ...(api ? { api } : {}) }).catch((error: unknown) => error)
  expect(error).toMatchObject({ name: 'ArgotError', code })
  const { message } = error as Error
  expect(message).toContain(words)
  expect(message).not.toContain('secret')
  if (code === 'MODEL_MISSING_KEY' && !message.includes('line break')) expect(message).toContain('--model demo')
})

test.each([
  ['OLLAMA_BASE_URL', (url: string) => url],
  ['OLLAMA_BASE_URL', (url: string) => `${url}/v1/`],
  ['OLLAMA_BASE_URL', (url: string) => `${url}/api`],
  ['OLLAMA_HOST', (url: string) => url],
  ['OLLAMA_HOST', (url: string) => url.replace('http://', '')],
  ['OLLAMA_HOST', (url: string) => url.replace('http://127.0.0.1', '0.0.0.0')],
  ['OLLAMA_HOST', (url: string) => url.replace('http://127.0.0.1', '')],
])('Ollama is found where %s says, in each form (%#)', async (variable, print) => {
  const server = await during(startCompatible([{ text: 'Hi.' }]))
  const model = await chooseModel('ollama:llama3:8b', { env: { [variable]: print(server.url) } })
  expect((await collect(model)).thrown).toBeUndefined()
  expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'llama3:8b' } })
  expect(server.requests[0]!.headers.authorization).toBeUndefined()
})

test('Ollama is on its own port of this machine by default, and the given fetch is used', async () => {
  const asked: string[] = []
  const model = await chooseModel('ollama:x', {
    env: {},
    fetch: async input => {
      asked.push(String(input))
      return new Response('', { status: 500 })
    },
  })
  await collect(model)
  expect(asked).toEqual(['http://127.0.0.1:11434/v1/chat/completions'])
})

test('the address of Anthropic may have its version or not', async () => {
  const server = await during(startAnthropic([{ text: 'Hi.' }, { text: 'Hi.' }]))
  for (const end of ['', '/v1/']) {
    const env = { ...server.env, ANTHROPIC_BASE_URL: `${server.url}${end}` }
    await collect(await chooseModel('claude-sonnet-5', { env }))
  }
  expect(server.requests.map(request => request.path)).toEqual(['/v1/messages', '/v1/messages'])
})

test('a package that is not installed is named with the command that installs it', async () => {
  const name: string = '@ai-sdk/not-there'
  const node = () =>
    Promise.reject(Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' }))
  await expect(loadPackage(name, node)).rejects.toMatchObject({
    code: 'MODEL_MISSING_PACKAGE',
    message: expect.stringContaining(`npm install ${name}`),
  })
  const other = Object.assign(new Error("Cannot find package 'zod'"), { code: 'ERR_MODULE_NOT_FOUND' })
  await expect(loadPackage(name, () => Promise.reject(other))).rejects.toBe(other)
})
