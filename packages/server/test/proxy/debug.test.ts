import { Window } from 'happy-dom'
import { afterEach, expect, test } from 'vitest'
import { textChunks } from './fake-upstream.ts'
import { type StartedProxy, startProxy, weather } from './start-proxy.ts'

let started: StartedProxy | undefined

afterEach(async () => {
  await started?.close()
  started = undefined
})

const request = { model: 'qwen3', messages: [{ role: 'user', content: 'Hi' }], tools: [weather] }

async function ask(url: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  })
  await response.text()
}

/** The page with its own script, as a browser has it. `copied` is what reaches the clipboard. */
async function openPage(url: string, hash = ''): Promise<{ window: Window; copied: string[] }> {
  const window = new Window({ url: `${url}/debug${hash}` })
  const copied: string[] = []
  const html = await (await fetch(`${url}/debug`)).text()
  window.document.write(html.replace(/<script.*<\/script>|<link.*>/g, ''))
  const script = await (await fetch(`${url}/debug/page.js`)).text()
  const navigator = { clipboard: { writeText: async (text: string) => void copied.push(text) } }
  const ask = (path: string, init: RequestInit): Promise<Response> => fetch(new URL(path, url), init)
  const names = ['document', 'location', 'navigator', 'fetch', 'setTimeout']
  // The page asks again every two seconds; here it asks once.
  new Function(...names, script)(window.document, window.location, navigator, ask, () => {})
  await expect.poll(() => window.document.getElementById('state')?.textContent).not.toBe('Loading…')
  return { window, copied }
}

test('what the model wrote, what was read, in which dialect, what went wrong, and an issue to copy', async () => {
  const call = '<tool_call>{"name": "weather", "arguments": {"city": "Oslo", "days": "2"}}</tool_call>'
  started = await startProxy([
    { chunks: [{ reasoning_content: 'Hm.' }, ...textChunks(`I look.\n${call}`)] },
    { chunks: textChunks('<tool_cal>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_cal>') },
    { status: 500, error: { message: 'CUDA out of memory' } },
  ])
  for (let count = 0; count < 3; count++) await ask(started.url)
  const { window, copied } = await openPage(started.url)
  const [failed, miss, good] = [...window.document.querySelectorAll('details')]
  expect(good!.textContent).toContain('qwen3')
  expect(good!.textContent).toMatch(/1 call.*Hm\..*I look\..*weather \(hermes\).*"days":2.*repaired: /s)
  expect(miss!.textContent).toMatch(/0 calls, see details.*<tool_cal>.*no calls.*near-miss: /s)
  expect(failed!.textContent).toContain('CUDA out of memory')
  good!.querySelector('button')!.click()
  await expect
    .poll(() => copied[0])
    .toMatch(/\*\*Model\*\* qwen3[\s\S]*```\nI look\.\n<tool_call>[\s\S]*- weather \(hermes\)/)
})

test('nothing of a model is markup', async () => {
  started = await startProxy([{ chunks: textChunks('<img src=x onerror=alert(1)><script>alert(1)</script>') }])
  await ask(started.url)
  const { window } = await openPage(started.url)
  expect(window.document.querySelector('main img, main script')).toBeNull()
  expect(window.document.querySelector('pre')!.textContent).toContain('<img')
})

test('with a token the page shows requests only if its address has the token', async () => {
  const token = 'a-long-secret-token'
  started = await startProxy([{ chunks: textChunks('Hi') }], { token })
  await ask(started.url, { 'x-argot-token': token })
  const without = await openPage(started.url)
  expect(without.window.document.querySelector('details')).toBeNull()
  expect(without.window.document.body.textContent).toContain('#token=')
  const { window } = await openPage(started.url, `#token=${token}`)
  expect(window.document.querySelectorAll('details')).toHaveLength(1)
})
