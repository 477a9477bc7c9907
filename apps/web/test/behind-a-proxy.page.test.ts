import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

/** A proxy that serves another server below a path, as nginx does, and nothing else. */
async function proxyTo(target: string, prefix: string): Promise<{ url: string; strays: string[] }> {
  const strays: string[] = []
  const proxy = createServer((asked, answer) => {
    const path = asked.url ?? '/'
    if (!path.startsWith(prefix)) {
      strays.push(path)
      answer.writeHead(404).end()
      return
    }
    const passed = request(
      new URL(path.slice(prefix.length - 1), target),
      { method: asked.method, headers: asked.headers },
      got => {
        answer.writeHead(got.statusCode ?? 502, got.headers)
        got.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    await new Promise(resolve => proxy.close(resolve))
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`, strays }
}

test('the page works below a path of a proxy, with a token, through a reload, and asks for nothing beside it', async () => {
  const { open, url } = await serveSample({ token: 'a-long-token' })
  const { url: outside, strays } = await proxyTo(url, '/argot/')
  const page = await open(`${outside}#token=a-long-token`)
  await page.getByRole('button', { name: 'Show me around.' }).click()
  const button = page.getByRole('button', { name: /^Approve/ }).first()
  await button.waitFor()
  await page.reload()
  await button.waitFor()
  await button.click()
  await page.getByRole('log').getByText('That was one of everything').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Replay' }).click()
  await page.getByRole('slider', { name: 'Moment' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/argot/')
  expect(strays).toEqual([])
})

test('the page is given a policy that allows no inline script, no inline style and no other origin', async () => {
  const { url } = await serveSample()
  const answer = await fetch(url)
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'self'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  const text = await answer.text()
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i)
  expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//i)
})
