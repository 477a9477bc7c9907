import { existsSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { main } from '@argot/cli'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleCommand, root } from '../../../scripts/bundle-command.ts'
import { listLicences } from '../../../scripts/list-licences.ts'
import { folderWith, start } from './argot.ts'
import { inProcess } from './in-process.ts'

// Below node_modules, so that the providers are found from there.
const outdir = join(root, `node_modules/.cache/argot-installed/${process.pid}`)
const bin = join(outdir, 'bin.js')
let metafiles: Metafile[]

beforeAll(async () => {
  metafiles = await bundleCommand(outdir)
}, 120_000)

afterAll(() => rmSync(outdir, { recursive: true, force: true }))

/** The files of the repository that are read when this file of the bundle is loaded, by their names in the metafile. */
function loadedBy(name: RegExp): string[] {
  const outputs = metafiles[1]!.outputs
  const found = Object.keys(outputs).find(path => name.test(path))
  const seen = new Set<string>()
  const waiting = found === undefined ? [] : [found]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    waiting.push(
      ...outputs[path]!.imports.flatMap(one => (one.kind === 'dynamic-import' || one.external ? [] : one.path)),
    )
  }
  return [...seen].flatMap(path => Object.keys(outputs[path]!.inputs))
}

describe('the command as it is installed', () => {
  test('its help loads the list of commands and no command', () => {
    const loaded = loadedBy(/\/bin\.js$/)
    expect(loaded).toContain('packages/cli/src/commands/command-list.ts')
    const packages = loaded.filter(path => path.startsWith('packages/agent/') || path.includes('node_modules/'))
    expect(packages.filter(path => !path.includes('node_modules/commander/'))).toEqual([])
    expect(
      loaded.filter(path => /^packages\/(cli\/src\/(commands|view|ask)|core\/src\/(syntax|stream|chatmd))/.test(path)),
    ).toEqual(['packages/cli/src/commands/command-list.ts'])
  })

  test('a run loads no provider, no YAML, no HTML and no prompts before it needs them', () => {
    const loaded = loadedBy(/\/run-[A-Z0-9]+\.js$/)
    expect(loaded).toContain('packages/agent/src/run/run-document.ts')
    const heavy = /node_modules\/(yaml|htmlparser2|entities|@mdream|@clack|zod|@ai-sdk\/(?!provider\/))|fetch-source/
    expect(loaded.filter(path => heavy.test(path))).toEqual([])
  })

  test('a large package is in it once, and every file that another one names is there', () => {
    const outputs = metafiles.flatMap(metafile => Object.entries(metafile.outputs))
    const sizes = new Map<string, number[]>()
    for (const [path, { inputs, imports }] of outputs) {
      for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
        if (bytesInOutput < 50_000 || !input.includes('node_modules/')) continue
        sizes.set(input, [...(sizes.get(input) ?? []), bytesInOutput])
      }
      const named = imports.filter(one => one.external === true && one.path.startsWith('.'))
      for (const { path: beside } of named) expect(existsSync(join(root, dirname(path), beside)), beside).toBe(true)
    }
    expect([...sizes.keys()].some(path => path.includes('@modelcontextprotocol/client'))).toBe(true)
    expect([...sizes].filter(([, all]) => all.length > 1)).toEqual([])
  })

  test('says the same as from source, whichever command is asked about', async () => {
    const cwd = await folderWith({})
    for (const args of [[], ['--help'], ['help', 'run'], ['parse', '--help'], ['nothing'], ['run', '--nothing']]) {
      expect(await start(bin, args, { cwd })).toEqual(await inProcess(args, { cwd }))
    }
  })

  test('reads YAML when a call has some, and shows an answer of the demo model', async () => {
    const cwd = await folderWith({
      'call.md': '> [!tool note call_1]\n> input:\n>   tags:\n>     - one\n>     - {two: 2}\n',
      'a.chatmd': '<config model="demo"/>\n\n<user>\nHello.\n</user>\n',
    })
    const parsed = await start(bin, ['parse', '--syntax', 'callout', 'call.md'], { cwd })
    expect(parsed.stdout).toContain('"input":{"tags":["one",{"two":2}]}')
    expect(parsed).toEqual(await inProcess(['parse', '--syntax', 'callout', join(cwd, 'call.md')], { cwd }))
    const run = await start(bin, ['run', 'a.chatmd'], { cwd, env: { HOME: cwd } })
    expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining('demo model') })
    expect(await readFile(join(cwd, 'a.chatmd'), 'utf8')).toContain('</assistant>')
  })

  test('reaches an MCP server, and reads a page, with the packages that are in files of their own', async () => {
    const server = await readFile(join(root, 'packages/agent/test/tool/source/raw-server.mjs'), 'utf8')
    const cwd = await folderWith({
      'page.html': '<h1>Fish</h1><p>Cod and <b>herring</b>.</p>',
      'page.chatmd': '<config model="demo"/>\n\n<user>\n<doc src="page.html" local markdown/>\n</user>\n',
      'server.mjs': server,
      'tools.chatmd':
        '<config model="demo"/>\n<tool mcp_server="stdio:node server.mjs" include="good"/>\n\n<user>\nHello.\n</user>\n',
    })
    const shown = await start(bin, ['run', '--dry-run', 'page.chatmd'], { cwd, env: { HOME: cwd } })
    expect(shown.stdout).toContain('**herring**')
    const run = await start(bin, ['run', '--allow-exec', 'tools.chatmd'], { cwd, env: { HOME: cwd } })
    expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining('demo model') })
  })

  test('exports what the package exports', async () => {
    const index = (await import(/* @vite-ignore */ join(outdir, 'index.js'))) as Record<string, unknown>
    expect(Object.keys(index)).toEqual([main.name])
  })

  test('carries the licences of the packages that are part of it', () => {
    const text = listLicences(metafiles, root)
    for (const name of ['commander', 'yaml', '@mdream/js', 'htmlparser2', '@clack/prompts'])
      expect(text).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'))
  })
})
