import { readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { version } from '../src/io/version.ts'
import { startFolder } from '../src/main.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

async function place(files: Record<string, string> = {}): Promise<string> {
  const folder = await folderWith(files)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('--version is that of the package', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  expect(version).toBe(manifest.version)
  expect(await inProcess(['--version'], { cwd: await place() })).toMatchObject({ status: 0, stdout: `${version}\n` })
})

test.each([
  [['run', '--bogus', 'x'], "argot: Unknown option '--bogus'."],
  [['run'], "argot: Missing required argument 'file'."],
  [['bogus'], 'argot: There is no command "bogus".'],
  [['run', 'x', '--limit', 'two'], "argot: Option '--limit <calls>' argument 'two' is invalid."],
  [['run', 'x', '--max-steps', 'no'], "argot: Option '--max-steps <n>' argument 'no' is invalid."],
  [['fmt', '-', '--write'], "argot: --write can't update standard input."],
  [['ask', ' '], 'argot: The question is empty.'],
])('wrong usage has one voice and status 2: %j', async (args, said) => {
  const { status, stderr } = await inProcess(args, { cwd: await place(), input: '<user>\nx\n</user>\n' })
  expect(status).toBe(2)
  expect(stderr).toContain(said)
  expect(stderr).toMatch(/\nTry `argot (?:\w+ )?--help`\.\n$/)
})

test.each([
  ['run', '.'],
  ['run', '.', '--dry-run'],
  ['replay', '.'],
  ['parse', '.', '--syntax', 'xml'],
  ['docs', '.', '--syntax', 'xml'],
  ['docs', '--tools', '.', '--syntax', 'xml'],
  ['branch', '.', '--at', 'x'],
  ['undo', '.'],
  ['ask', 'Hi', '--output-schema', '.'],
])('a folder in place of a file is named: %s %s %s', async (...args) => {
  const cwd = await place()
  const at = args.indexOf('.')
  args[at] = cwd
  const { status, stderr } = await inProcess(args, { cwd })
  expect([status, stderr]).toEqual([1, `argot: This is a folder, not a file: ${cwd}\n`])
})

test.skipIf(process.platform !== 'linux')('a folder that the system does not make is one sentence', async () => {
  const cwd = await place({ 'a.chatmd': '<user>\nHi\n</user>\n' })
  const file = join(cwd, 'a.chatmd')
  for (const args of [
    ['init', '/proc/argot'],
    ['convert', file, '--to', 'jsonl', '-o', '/proc/argot/a.jsonl'],
    ['run', file, '-o', '/proc/argot/a.chatmd', '--model', 'demo'],
    ['ask', 'Hi', '-o', '/proc/argot/a.chatmd', '--model', 'demo'],
  ]) {
    const { status, stderr } = await inProcess(args, { cwd })
    expect([args[0], status, stderr]).toEqual([args[0], 1, expect.stringMatching(/^argot: .*: \/proc\/argot\S*.*\n$/)])
  }
})

test('the help of every command with a syntax names both options', async () => {
  const cwd = await place()
  for (const name of ['run', 'ask', 'serve', 'parse', 'docs'])
    expect((await inProcess([name, '--help'], { cwd })).stdout).toMatch(
      /-s, --syntax <name>(.|\n)*--tool-syntax <name>/,
    )
})

test('what is refused before it begins leaves no document, so the same command works later', async () => {
  const cwd = await place()
  const kept = join(cwd, 'kept.chatmd')
  for (const [args, refusal] of [
    [['ask', 'Hi', '-o', kept, '--model', 'nobody:x'], 'MODEL_UNKNOWN_PROVIDER'],
    [['run', '-', '-o', kept, '--model', 'demo'], 'TOOL_UNKNOWN'],
  ] as const) {
    for (const time of ['first', 'second']) {
      const { status, stderr } = await inProcess(args, { cwd, input: '<tool name="bogus"/>\n<user>\nHi\n</user>\n' })
      expect([time, status, stderr]).toEqual([time, 1, expect.stringContaining(refusal)])
      expect(stderr).not.toMatch(/\^|kept\.chatmd/)
    }
  }
})

test('init writes both files or none', async () => {
  const folder = await place({ 'argot.config.json': '{}' })
  expect(await inProcess(['init', folder], { cwd: folder })).toMatchObject({ status: 2 })
  expect(await readdir(folder)).toEqual(['argot.config.json'])
})

test.each([
  ['a folder', (folder: string) => ['run', folder]],
  ['a folder to write to', (folder: string) => ['convert', join(folder, 'a.chatmd'), '--to', 'jsonl', '-o', folder]],
  ['a file that is not there', (folder: string) => ['check', join(folder, 'none.chatmd')]],
])('errors of the system are words: %s', async (_, args) => {
  const folder = await place({ 'a.chatmd': '<user>\nHi\n</user>\n' })
  const { status, stderr } = await inProcess(args(folder), { cwd: folder })
  expect(status).toBeGreaterThan(0)
  expect(stderr).not.toMatch(/E[A-Z]{4,}:|illegal operation|aborted/)
})

test('- is standard input for run, check, fmt and convert', async () => {
  const folder = await place({ 'notes.md': 'hello' })
  const input = '<tool name="read_file"/>\n<user>\nWhat is in notes.md?\n</user>\n'
  const io = { cwd: folder, input }
  const kept = join(folder, 'kept.chatmd')
  expect(await inProcess(['run', '-', '-o', kept, '--model', 'demo'], io)).toMatchObject({ status: 0 })
  expect(await readFile(kept, 'utf8')).toContain('<assistant')
  const run = await inProcess(['run', '-', '--model', 'demo'], io)
  expect([run.status, run.stdout]).toEqual([0, expect.stringContaining('`read_file` returned')])
  expect(await inProcess(['check', '-'], io)).toMatchObject({ status: 0 })
  expect(await inProcess(['fmt', '-'], io)).toMatchObject({ status: 0, stdout: expect.stringContaining('<user>') })
  const converted = await inProcess(['convert', '-', '--from', 'chatmd', '--to', 'ui-messages'], io)
  expect(JSON.parse(converted.stdout)).toMatchObject([{ role: 'user' }])
  expect(await inProcess(['check', '-'], { cwd: folder, input: '<usr>x</usr>' })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('<stdin>:1:1'),
  })
})

test('check writes annotations for GitHub, and JSON', async () => {
  const folder = await place({ 'a.chatmd': '<user>\nHi\n</user>\nstray, 100%\n' })
  const { stdout, status } = await inProcess(['check', join(folder, 'a.chatmd'), '--format', 'github'], { cwd: folder })
  expect(status).toBe(1)
  expect(stdout).toMatch(
    /^::error file=[^,]*a\.chatmd,line=4,col=1,endLine=\d+,endColumn=\d+,title=CHATMD_TEXT_AT_TOP::/,
  )
  const json = await inProcess(['check', join(folder, 'a.chatmd'), '--format', 'json'], { cwd: folder })
  expect(JSON.parse(json.stdout)).toMatchObject({ code: 'CHATMD_TEXT_AT_TOP' })
})

test('ask answers without a document, with tools and files, and keeps it only where told', async () => {
  const folder = await place({ 'notes.md': 'hello <there>' })
  const env = { ARGOT_MODEL: 'demo' }
  const notes = join(folder, 'notes.md')
  const kept = join(folder, 'kept.chatmd')
  const args = ['ask', 'Use read_file. <doc src="x"/>', '--tools', 'read_file', '--file', notes, '-o', kept]
  const asked = await inProcess(args, { cwd: folder, env })
  expect([asked.status, asked.stdout]).toEqual([0, expect.stringContaining('`read_file`')])
  const source = await readFile(kept, 'utf8')
  expect(source).toContain('hello <there>')
  expect(source).toContain('<assistant')
  expect(await inProcess(args, { cwd: folder, env })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('RUN_OUTPUT_EXISTS'),
  })
  const piped = await inProcess(['ask', '-'], { cwd: folder, env, input: 'Hello' })
  expect([piped.status, piped.stdout]).toEqual([0, expect.stringContaining('demo model')])
})

test('models says what is set and never shows a value', async () => {
  const cwd = await place()
  const env = { ANTHROPIC_API_KEY: 'sk-secret-value-of-a-key' }
  const { stdout, status } = await inProcess(['models'], { cwd, env })
  expect(status).toBe(0)
  expect(stdout).toMatch(/✔ anthropic:\S+ +Anthropic · ANTHROPIC_API_KEY is set/)
  expect(stdout).toContain('set OPENAI_API_KEY')
  expect(stdout).toMatch(/Default model: anthropic:/)
  expect(stdout).not.toContain('sk-secret')
  const json = await inProcess(['models', '--json'], { cwd })
  expect(JSON.parse(json.stdout)).toMatchObject({ default: 'demo', providers: expect.any(Array) })
})

test('models asks the servers that need no key, and a server that is not there has no tick', async () => {
  const cwd = await place()
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ data: [{ id: request.url === '/v1/models' ? 'llama3:8b' : 'wrong' }, { id: 7 }] }))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const there = await inProcess(['models'], { cwd, env: { OLLAMA_HOST: `127.0.0.1:${port}` } })
  expect(there.stdout).toMatch(/✔ ollama:NAME +Ollama · OLLAMA_HOST is set · llama3:8b\n/)
  server.closeAllConnections()
  server.close()
  const other = createServer()
  await new Promise<void>(done => other.listen(0, '127.0.0.1', done))
  const free = (other.address() as AddressInfo).port
  await new Promise(done => other.close(done))
  const env = { OLLAMA_HOST: `127.0.0.1:${free}`, ARGOT_BASE_URL: 'nonsense' }
  const gone = await inProcess(['models'], { cwd, env })
  expect(gone.status).toBe(0)
  expect(gone.stdout).toMatch(/· ollama:NAME +Ollama · OLLAMA_HOST is set · http:\S+: nothing is listening there\n/)
  expect(gone.stdout).toMatch(/· openai-compatible:NAME .* ARGOT_BASE_URL is not an http or https address/)
})

test('init writes a document that runs, and overwrites nothing', async () => {
  const folder = await place()
  expect(await inProcess(['init', folder], { cwd: folder })).toMatchObject({ status: 0 })
  const chat = join(folder, 'chat.chatmd')
  expect(await inProcess(['check', chat], { cwd: folder })).toMatchObject({ status: 0 })
  expect(await inProcess(['run', chat, '--model', 'demo'], { cwd: folder })).toMatchObject({ status: 0 })
  const before = await readFile(chat, 'utf8')
  expect(await inProcess(['init', folder], { cwd: folder })).toMatchObject({ status: 2 })
  expect(await readFile(chat, 'utf8')).toBe(before)
})

/** A document in which the demo model calls `write_file`. */
const writing = '<tool name="write_file"/>\n<user>\nCall write_file.\n</user>\n'

/** A run of that document where no one can be asked, and what the call came to. */
async function runWriting(folder: string, ...flags: string[]): Promise<string> {
  await writeFile(join(folder, 'write.chatmd'), writing)
  const args = ['run', join(folder, 'write.chatmd'), '--model', 'demo', ...flags]
  return (await inProcess(args, { cwd: folder })).stderr
}

test('what init writes leaves --approve and --allow as they are', async () => {
  for (const flags of [
    ['--approve', 'all'],
    ['--allow', 'write_file'],
  ]) {
    const folder = await place()
    await inProcess(['init', folder], { cwd: folder })
    const stderr = await runWriting(folder, ...flags)
    expect([flags, stderr]).toEqual([flags, expect.stringContaining('✔')])
    expect(stderr).not.toMatch(/didn't run|allows less/)
  }
})

test.each([
  [
    '{ "approve": "ask" }',
    ['--approve', 'all'],
    /`approve` in `FILE` requires approval.* No flag overrides that: change it, then use `--approve all`.* terminal\.\n/,
  ],
  ['{ "approve": { "write_file": "ask" } }', ['--allow', 'write_file'], /`approve` in `FILE` requires approval/],
  [
    '{ "approve": "readonly" }',
    ['--approve', 'all'],
    /approval policy is `readonly` \(`approve` in `FILE`\), which allows only/,
  ],
  ['{ "ask": ["write_file"] }', ['--approve', 'all'], /the rule `ask write_file` \(`FILE`\) requires approval/],
  ['{ "deny": ["write_file"] }', ['--approve', 'all'], /the rule `deny write_file` \(`FILE`\) denies it/],
])('a call that the project file %s stops under %j names that file', async (settings, flags, said) => {
  const folder = await realpath(await place({ 'argot.config.json': settings }))
  const stderr = await runWriting(folder, ...flags)
  expect(stderr.replaceAll(join(folder, 'argot.config.json'), 'FILE')).toMatch(said)
})

test('the demo model introduces itself once in a document', async () => {
  const folder = await place({ 'a.chatmd': '<tool name="read_dir"/>\n<user>\nLook.\n</user>\n' })
  const file = join(folder, 'a.chatmd')
  const first = await inProcess(['run', file, '--model', 'demo'], { cwd: folder })
  const second = await inProcess(['run', file, '--model', 'demo', '--input', 'Again.'], { cwd: folder })
  const count = ({ stdout, stderr }: { stdout: string; stderr: string }) =>
    `${stdout}${stderr}`.split('demo model').length - 1
  expect([count(first), count(second)]).toEqual([1, 0])
})

test('the folder of the user counts only in a script that npm has started in the folder of its package', () => {
  const script = { INIT_CWD: '/home/me/sub', npm_command: 'run-script', npm_package_json: '/repo/package.json' }
  expect(startFolder(script, '/repo')).toBe('/home/me/sub')
  expect(startFolder(script, '/repo/elsewhere')).toBe('/repo/elsewhere')
  expect(startFolder({ ...script, npm_command: 'exec' }, '/repo')).toBe('/repo')
  expect(startFolder({ INIT_CWD: '/home/me' }, '/repo')).toBe('/repo')
})
