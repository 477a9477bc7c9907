import { createReadStream, existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { chromium } from 'playwright'
import { expect, inject, onTestFinished, test, vi } from 'vitest'

const here = import.meta.dirname

/** Bundles a program of this folder with one of the two versions of React. */
async function bundle(name: string, major: string, options: BuildOptions): Promise<string> {
  const outdir = join(tmpdir(), `react-${major}`, name)
  const alias = major === '18' ? { react: 'react-18', 'react-dom': 'react-dom-18' } : {}
  await build({
    entryPoints: [join(here, `${name}.tsx`)],
    outdir,
    bundle: true,
    jsx: 'automatic',
    conditions: ['@argot/source'],
    define: { 'process.env.NODE_ENV': '"development"' },
    alias,
    logLevel: 'silent',
    ...options,
  })
  return outdir
}

/** Chunks come late, so that the page is used while parts of it are still being hydrated. */
async function serve(folder: string, html: string): Promise<string> {
  const server = createServer((request, response) => {
    const isChunk = !['', 'client.js'].includes(basename(request.url ?? '/'))
    setTimeout(() => answer(request, response), isChunk ? 30 : 0)
  })
  const answer = ({ url = '/' }: IncomingMessage, response: ServerResponse): void => {
    const name = basename(url)
    if (name !== '' && !existsSync(join(folder, name))) {
      // A browser asks for favicon.ico whenever it likes.
      response.writeHead(204).end()
      return
    }
    response.setHeader('content-type', extname(name) === '.js' ? 'text/javascript' : 'text/html; charset=utf-8')
    if (name === '') response.end(html)
    // A browser may ask for an icon.
    else
      createReadStream(join(folder, name))
        .on('error', () => response.writeHead(404).end())
        .pipe(response)
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test.each(['18', '19'])(
  'React %s renders Markdown on a server, and a browser takes it over without an error',
  async major => {
    const program = await bundle('server', major, { platform: 'node', format: 'cjs', outExtension: { '.js': '.cjs' } })
    const client = await bundle('client', major, { platform: 'browser', format: 'esm', splitting: true })
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { page } = (await import(join(program, 'server.cjs'))) as { page: { version: string; html: string } }
    expect(errors.mock.calls).toEqual([])
    errors.mockRestore()
    expect(page.version.split('.')[0]).toBe(major)
    for (const piece of ['<strong>bold</strong>', '<li>an item</li>', '<td', 'argot-token-keyword', '<em>you</em>']) {
      expect(page.html).toContain(piece)
    }
    const html = `<!doctype html><link rel="icon" href="data:,"><div id="root">${page.html}</div><script type="module" src="/client.js"></script>`
    const url = await serve(client, html)
    const browser = await chromium.connect(inject('browser'))
    const context = await browser.newContext({ timezoneId: 'Asia/Tokyo' })
    onTestFinished(() => context.close())
    const tab = await context.newPage()
    const problems: string[] = []
    tab.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    tab.on('pageerror', error => problems.push(String(error)))
    const session = await context.newCDPSession(tab)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await tab.goto(url)
    await tab.locator('body[data-hydrated]').waitFor({ state: 'attached' })
    expect(await tab.locator('strong').first().textContent()).toBe('bold')
    await tab.getByRole('textbox').fill('Go on')
    await tab.keyboard.press('Enter')
    await tab.getByRole('button', { name: /^Approve: / }).click()
    await tab.getByText('It is done.').waitFor()
    expect(await tab.locator('.argot-row', { hasText: 'Ran ls' }).count()).toBe(1)
    expect(problems).toEqual([])
  },
)
