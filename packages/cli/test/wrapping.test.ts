import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '@argot/cli'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commandList } from '../src/commands/command-list.ts'
import { getColumns } from '../src/io/columns.ts'
import { wrapText } from '../src/io/wrap-rows.ts'
import { TerminalView } from '../src/view/terminal-view.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { FakeTerminal } from './terminal.ts'

const sizes = [80, 40, 0]

async function place(files: Record<string, string> = {}): Promise<string> {
  const folder = await folderWith(files)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** What the command writes on a terminal that is so wide. */
async function onScreen(args: readonly string[], columns: number, cwd: string): Promise<string[]> {
  const terminal = new FakeTerminal(columns)
  const stdin = new PassThrough()
  stdin.end()
  const io = { stdin, stdout: terminal, stderr: terminal, env: { HOME: cwd, NO_COLOR: '1' }, cwd: () => cwd }
  await main(args, io)
  return terminal.written.replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, '').split('\n')
}

describe.each(sizes)('on a terminal of %i columns', size => {
  const columns = getColumns({ columns: size })

  test.each<[string, string[]]>([
    ['a notice and the last line', ['run', 'chat.chatmd']],
    ['why a call failed', ['run', 'write.chatmd', '-m', 'demo', '--approve', 'readonly']],
    ['an error', ['parse', '-s', 'bogus']],
    ['wrong usage', ['run', 'chat.chatmd', '--approve', 'bogus']],
    ['a diagnostic', ['check', 'wrong.chatmd']],
    ['the syntaxes', ['models', '--syntaxes']],
  ])('%s breaks between words', async (_, args) => {
    const cwd = await place({
      'chat.chatmd':
        '<user>\nHello, and a few more words so that this line is longer than any terminal here is.\n</user>\n',
      'write.chatmd': '<tool name="write_file"/>\n<user>\nCall write_file.\n</user>\n',
      'wrong.chatmd': `<config syntax="xml" ${'temperature="0" '.repeat(8)}bogus="1"/>\n<user>\nHi\n</user>\n`,
    })
    const rows = await onScreen(
      args.map(arg => (arg.endsWith('.chatmd') ? join(cwd, arg) : arg)),
      size,
      cwd,
    )
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) {
      const isWhole = !row.trim().includes(' ') || /^ *\d* \|/.test(row)
      if (!isWhole) expect(row.length, row).toBeLessThanOrEqual(columns)
    }
  })

  test('the help fits', async () => {
    const cwd = await place()
    for (const { name } of commandList) {
      for (const row of await onScreen([name, '--help'], size, cwd)) {
        // Examples are commands.
        if (!/^ {2}(?:argot|printf) /.test(row)) expect(row.length, row).toBeLessThanOrEqual(columns)
      }
    }
  })

  test('what the user said, and remarks, break between words', () => {
    const out = new FakeTerminal(size)
    const view = new TerminalView({ out, errors: out, colours: false, canMove: false })
    const text = 'many words that are longer than the screen is wide, '.repeat(4)
    view.quote({ id: 'a', role: 'user', status: 'sent', parts: [{ type: 'text', id: 't', text, state: 'done' }] })
    view.notice(text)
    void view.push({ type: 'source-url', sourceId: 's', url: 'https://example.org/', title: text })
    for (const row of out.written.split('\n')) {
      expect(row.length).toBeLessThanOrEqual(columns)
      expect(row).toMatch(/(?:^| )(?:many|words|that|are|longer|than|the|screen|is|wide,|https\S+|)$/)
    }
  })
})

describe('wrapText', () => {
  const command = 'argot run /somewhere/far/away/chat.chatmd --approve ask,write_file=all'

  test.each([
    ['a command to copy', `Stopped. To continue, run: ${command}`, `Stopped. To continue,\nrun:\n${command}`],
    ['a command that is indented', `  ${command}`, `  ${command}`],
    [
      'a picture',
      '12 | <config syntax="xml" and more of this line/>',
      '12 | <config syntax="xml" and more of this line/>',
    ],
    [
      'an address',
      'See https://example.org/a/very/long/address now',
      'See\nhttps://example.org/a/very/long/address\nnow',
    ],
    ['a cure', '   = Write one of these words instead', '   = Write one of these\n     words instead'],
    ['a list', '  - the first thing that was lost here', '  - the first thing that\n    was lost here'],
    ['a column', 'xml   tags; for models without calls', 'xml   tags; for models\n      without calls'],
    ['colours', '\x1b[2mone two three four five six\x1b[22m', '\x1b[2mone two three four five\nsix\x1b[22m'],
    ['what fits', 'one two\n\nthree', 'one two\n\nthree'],
  ])('keeps %s in one piece', (_, text, wrapped) => {
    expect(wrapText(text, 25)).toBe(wrapped)
  })

  test('keeps every word, in order', () => {
    const text = `Notices have (many) words: ${'x'.repeat(30)}, and\n  two lines  of them.`
    for (let columns = 1; columns < 60; columns++) {
      expect(wrapText(text, columns).split(/\s+/)).toEqual(text.split(/\s+/))
    }
  })
})

describe('words that fit the command', () => {
  test('argot docs says nothing about a document without anything to answer; a dry run does', async () => {
    const done = '<tool name="read_file"/>\n<user>\nHi\n</user>\n<assistant>\nHello.\n</assistant>\n'
    const cwd = await place({ 'done.chatmd': done, 'none.chatmd': '<tool name="read_file"/>\n' })
    for (const name of ['done.chatmd', 'none.chatmd']) {
      const { status, stdout, stderr } = await inProcess(['docs', join(cwd, name), '-s', 'xml'], { cwd })
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toContain('read_file')
      const dry = await inProcess(['run', join(cwd, name), '--dry-run', '-m', 'demo'], { cwd })
      expect(dry.stderr).toContain('Nothing to do')
    }
  })

  test('argot ask with a tool that is not there speaks of the flag, not of a document', async () => {
    const { status, stderr } = await inProcess(['ask', 'Hi', '-t', 'qqq', '-m', 'demo'], { cwd: await place() })
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^argot: --tools: there is no built-in tool "qqq"\. Built-in tools: read_file, /),
    ])
    expect(stderr).not.toMatch(/document/)
    expect(stderr).toContain('Try `argot ask --help`.')
  })

  test('argot models --json says that a provider is ready only if its server answers with a model', async () => {
    const cwd = await place()
    let models: string[] = ['small']
    const server = createServer((_, reply) => reply.end(JSON.stringify({ data: models.map(id => ({ id })) })))
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const env = { ARGOT_BASE_URL: `http://127.0.0.1:${port}/v1`, OLLAMA_HOST: 'http://127.0.0.1:1' }
    const ready = async (): Promise<unknown> => {
      const { stdout } = await inProcess(['models', '--json'], { cwd, env })
      const { providers } = JSON.parse(stdout) as { providers: { name: string; isReady: boolean }[] }
      return Object.fromEntries(providers.map(({ name, isReady }) => [name, isReady]))
    }
    expect(await ready()).toMatchObject({ ollama: false, 'openai-compatible': true, demo: true, openai: false })
    models = []
    expect(await ready()).toMatchObject({ 'openai-compatible': false })
    await new Promise(done => server.close(done))
    expect(await ready()).toMatchObject({ 'openai-compatible': false })
  })
})
