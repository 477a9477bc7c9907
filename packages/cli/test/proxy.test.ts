import { spawn } from 'node:child_process'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine } from './argot.ts'

/** A model server that leaks its calls into the text. */
async function startModel(): Promise<string> {
  const text = '<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call>'
  const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }]
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: 'x', choices }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function launch(args: readonly string[]): {
  output: { out: string; err: string }
  ended: Promise<number | null>
  kill: () => void
} {
  const [node, ...rest] = commandLine(args)
  const child = spawn(node, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text
  })
  const ended = new Promise<number | null>(resolve => child.on('exit', code => resolve(code)))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { output, ended, kill: () => child.kill('SIGINT') }
}

test('the first line is the address, each request is a line, and Ctrl-C ends it', async () => {
  const { output, ended, kill } = launch(['proxy', '--upstream', await startModel(), '--port', '0'])
  await expect.poll(() => output.out).toMatch(/^Argot is at http:\/\/127\.0\.0\.1:\d+\/\n$/)
  const url = output.out.slice('Argot is at '.length, -1)
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
  const response = await fetch(`${url}v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'qwen3', messages: [{ role: 'user', content: 'Hi' }], tools }),
  })
  expect(await response.json()).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name: 'weather' } }] } }],
  })
  await expect.poll(() => output.err).toMatch(/POST \/v1\/chat\/completions {2}qwen3 {2}200 .* 1 call \(hermes\)/)
  kill()
  expect(await ended).toBe(0)
})

test('under another name it needs a token, which is made up and printed', async () => {
  const args = ['--port', '0', '--name', 'box.example', '--json', '--quiet']
  const { output } = launch(['proxy', '--upstream', await startModel(), ...args])
  await expect.poll(() => output.out).toContain('\n')
  const { url, token } = JSON.parse(output.out) as { url: string; token: string }
  expect(token.length).toBeGreaterThan(20)
  const ask = async (headers: Record<string, string>): Promise<number> => {
    const { port } = new URL(url)
    return new Promise(resolve => {
      const options = { port, host: '127.0.0.1', path: '/v1/models', headers }
      get(options, response => resolve(response.resume().statusCode ?? 0))
    })
  }
  expect(await ask({ host: 'box.example' })).toBe(401)
  expect(await ask({ host: 'box.example', 'x-argot-token': token })).toBe(200)
  expect(await ask({ host: 'evil.example', 'x-argot-token': token })).toBe(421)
  expect(output.err).toBe('')
})

test.each([
  [['proxy'], 'upstream'],
  [['proxy', '--upstream', 'localhost:1'], 'http://localhost:11434/v1'],
  [['proxy', '--upstream', 'http://localhost:1/v1', '--retries', 'many'], '--retries must be a number from 0 to 9'],
  [['proxy', '--upstream', 'http://localhost:1/v1', '--host', '0.0.0.0', '--token', 'x'], 'at least 8'],
])('wrong usage is status 1 or 2 and says why: %j', async (args, words) => {
  const { output, ended } = launch(args)
  expect([1, 2]).toContain(await ended)
  expect(output.err).toContain(words)
})
