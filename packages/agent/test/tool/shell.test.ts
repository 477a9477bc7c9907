import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createShellTool } from '@argot/agent/workshop'
import { expect, test } from 'vitest'
import { runProcess } from '../../src/tool/process/run-process.ts'
import { splitCommand } from '../../src/tool/process/split-command.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { writeFolder } from './files.ts'
import { callTool, toolContext } from './tool-context.ts'

const node = `'${process.execPath}'`

interface Given {
  cwd?: string
  env?: Record<string, string | undefined>
  timeoutMs?: number
  outputLimit?: number
}

/** A tool that runs a program of JavaScript; its arguments follow. */
function script(source: string, given: Given = {}): Tool {
  const command = `${node} -e '${source.replaceAll("'", `'\\''`)}' --`
  return createShellTool({ name: 'script', command, description: 'Runs.', cwd: '.', env: process.env, ...given })
}

const printArguments = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'

test.each([
  ['a second command', '; rm -rf /'],
  ['a substitution', '$(id)'],
  ['backticks', '`id`'],
  ['a glob', '*'],
  ['quotes', `'"`],
  ['a newline', 'a\nb'],
  ['a variable', '$HOME %PATH% ~'],
  ['a pipe and redirections', 'a | b > c < d & e && f'],
  ['a backslash', 'a\\b\\'],
  ['nothing', ''],
  ['blanks', '  a  b  '],
  ['other scripts', 'žluťoučký 🐎'],
])('%s in an argument arrives as it is', async (_, argument) => {
  const { output } = await callTool(script(printArguments), { arguments: [argument, 'last'] })
  expect(JSON.parse(output as string)).toEqual([argument, 'last'])
})

test('a call without arguments runs the command alone', async () => {
  expect((await callTool(script(printArguments), {})).output).toBe('[]')
})

test.each<[string, string[]]>([
  ['rg', ['rg']],
  ['  git   log\t-1 \n', ['git', 'log', '-1']],
  [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
  [`a b'c'"d"e`, ['a', 'bcde']],
  [`a '' ""`, ['a', '', '']],
  [String.raw`a b\ c \'d \\`, ['a', 'b c', "'d", '\\']],
  [String.raw`a "\"\\\$\n"`, ['a', '"\\$\\n']],
  [String.raw`a '\'`, ['a', '\\']],
  ['a $HOME *.ts `x` ; b | c # d', ['a', '$HOME', '*.ts', '`x`', ';', 'b', '|', 'c', '#', 'd']],
])('the command %j has the words %j', (command, words) => {
  expect(splitCommand(command)).toEqual(words)
})

test.each(['', '   ', `a 'b`, 'a "b', 'a "b\\"', 'a\\', 'a\0b', `'' a`])('the command %j is refused', command => {
  const make = (): unknown => createShellTool({ name: 'x', command, cwd: '.', env: {} })
  expect(make).toThrow(expect.objectContaining({ name: 'ArgotError', code: 'TOOL_BAD_COMMAND' }))
})

test('the tool says what it is', () => {
  const tool = createShellTool({ name: 'rg', command: 'rg -n', cwd: '.', env: {}, timeoutMs: 1000 })
  expect(tool).toMatchObject({ name: 'rg', effect: 'exec' })
  expect(tool.description).toContain('`rg -n`')
  expect(tool.timeoutMs).toBeGreaterThan(1000)
})

test.each([
  ['only stdout of a program that ended well', 'console.log("out")', 'out\n'],
  ['the status where there is nothing else', '', 'exit 0, no output'],
  ['what went to stderr', 'console.log("out");console.error("err")', 'exit 0\n--- stdout\nout\n--- stderr\nerr'],
  ['a program that failed', 'console.log("out");process.exitCode=3', 'exit 3\n--- stdout\nout'],
  ['a program that failed with a message', 'console.error("err");process.exitCode=1', 'exit 1\n--- stderr\nerr'],
  ['a program that failed without a word', 'process.exitCode=2', 'exit 2, no output'],
  ['a program that was killed', 'process.kill(process.pid,"SIGKILL")', 'ended by SIGKILL, no output'],
  ['bytes that are not text', 'process.stdout.write(Buffer.from([97,255,98]))', 'a\uFFFDb'],
])('the model reads %s', async (_, source, output) => {
  expect(await callTool(script(source), {})).toMatchObject({ output })
})

test('the user interface gets status, sizes and time', async () => {
  const { details } = await callTool(script('process.stdout.write("éé");console.error("x");process.exitCode=7'), {})
  expect(details).toEqual({ exitCode: 7, signal: null, stdoutBytes: 4, stderrBytes: 2, ms: expect.any(Number) })
})

test('the working directory is the one given', async () => {
  const cwd = await writeFolder()
  expect((await callTool(script('process.stdout.write(process.cwd())', { cwd }), {})).output).toBe(cwd)
})

test('the program gets harmless variables only', async () => {
  const harmless = { PATH: '/usr/bin', HOME: '/home/x', LANG: 'C', LC_ALL: 'C.UTF-8', TZ: 'UTC', TMPDIR: '/tmp' }
  const secret = {
    OPENAI_API_KEY: 'k',
    ARGOT_MCP_X: 't',
    LC_SECRET: 's',
    NODE_OPTIONS: '--no-warnings',
    AWS_PROFILE: 'p',
  }
  const env = { ...harmless, ...secret, TERM: undefined }
  const { output } = await callTool(script('process.stdout.write(JSON.stringify(process.env))', { env }), {})
  expect(JSON.parse(output as string)).toEqual({ ...harmless, ARGOT_CALL: expect.stringMatching(/^[0-9a-f]{32}$/) })
})

test('the input of the program is at its end', async () => {
  const source = 'let n=0;process.stdin.on("data",d=>n+=d.length).on("end",()=>console.log("end",n))'
  expect((await callTool(script(source), {})).output).toBe('end 0\n')
})

test.each<[string, unknown]>([
  ['is text', 'a'],
  ['has one string', { arguments: 'a b' }],
  ['has a number', { arguments: ['a', 1] }],
  ['has more than arguments', { arguments: [], shell: true }],
  ['is nothing', null],
])('an input that %s is refused', async (_, input) => {
  expect(await script('').validate(input)).toMatchObject({ ok: false, problem: expect.any(String) })
})

test('a NUL character in an argument is refused with its place', async () => {
  expect(await script('').validate({ arguments: ['a', 'b\0c'] })).toEqual({
    ok: false,
    problem: "arguments[1] contains a NUL character, which can't be passed to a program.",
  })
  const error = await script('')
    .execute({ arguments: ['b\0c'] }, toolContext())
    .catch(error => error)
  expect(error).toMatchObject({ name: 'ToolFailure', code: 'TOOL_COMMAND_NOT_STARTED' })
  expect(error.message).toContain('NUL character')
})

test('arguments that are too long for the system are refused with their size', async () => {
  const given = Array.from({ length: 10_000 }, () => 'x'.repeat(2000))
  const error = await callTool(script(''), { arguments: given }).catch(error => error)
  expect(error).toMatchObject({ name: 'ToolFailure', code: 'TOOL_COMMAND_NOT_STARTED' })
  expect(error.message).toMatch(/ 1000\d arguments are too long for this system \(200000\d\d bytes\)/)
})

test('10 000 short arguments arrive', async () => {
  const given = Array.from({ length: 10_000 }, (_, i) => `${i}`)
  const { output } = await callTool(script(printArguments), { arguments: given })
  expect(JSON.parse(output as string)).toEqual(given)
})

test('a command that is not there is an error that says so', async () => {
  for (const command of ['argot-no-such-command', './no-such-file']) {
    const tool = createShellTool({ name: 'x', command, cwd: '.', env: process.env })
    const error = await callTool(tool, { arguments: [] }).catch(error => error)
    expect(error).toMatchObject({ name: 'ToolFailure', code: 'TOOL_COMMAND_NOT_FOUND' })
    expect(error.message).toContain(`The command ${command} was not found`)
  }
})

test('a file that may not be executed, or a folder that is gone, is an error that says so', async () => {
  const cwd = await writeFolder({ plain: 'x' })
  await chmod(join(cwd, 'plain'), 0o644)
  const plain = createShellTool({ name: 'x', command: './plain', cwd, env: process.env })
  await expect(callTool(plain, {})).rejects.toMatchObject({
    code: 'TOOL_COMMAND_NOT_STARTED',
    message: expect.stringContaining("isn't allowed to execute it"),
  })
  await expect(callTool(script('', { cwd: join(cwd, 'gone') }), {})).rejects.toMatchObject({
    code: 'TOOL_COMMAND_NOT_STARTED',
    message: expect.stringContaining('working directory'),
  })
})

const printMuch = (megabytes: number): string =>
  `const line="x".repeat(1023)+"\\n";const block=line.repeat(1024);let n=${megabytes};` +
  'console.log("first");(function go(){while(n-->0)if(!process.stdout.write(block))return process.stdout.once("drain",go);' +
  'process.stdout.write("last\\n")})()'

test('of 100 MB of output the beginning and the end are kept, in bounded memory', async () => {
  const before = process.memoryUsage()
  let peak = 0
  const timer = setInterval(() => {
    const { arrayBuffers, heapUsed } = process.memoryUsage()
    peak = Math.max(peak, arrayBuffers + heapUsed - before.arrayBuffers - before.heapUsed)
  }, 5)
  const { output, details } = await callTool(script(printMuch(100)), {})
  clearInterval(timer)
  const text = output as string
  expect(text.length).toBeLessThanOrEqual(384 * 1024)
  expect(text).toMatch(/^first\nx+\n/)
  expect(text).toMatch(/\nx{1023}\n\[… \d+ bytes are left out …\]\nx{1023}\n/)
  expect(text).toMatch(/x\nlast\n$/)
  const { stdoutBytes } = details as { stdoutBytes: number }
  expect(stdoutBytes).toBe(100 * 1024 * 1024 + 11)
  const [notice = '', left = ''] = /\[… (\d+) bytes are left out …\]\n/.exec(text) ?? []
  expect(Number(left) + Buffer.byteLength(text) - Buffer.byteLength(notice)).toBe(stdoutBytes)
  expect(peak).toBeLessThan(80 * 1024 * 1024)
})

test('a cut falls between characters, and stderr has a part of the limit of its own', async () => {
  const source = 'process.stdout.write("é".repeat(5000));process.stderr.write("€".repeat(5000))'
  const { output } = await callTool(script(source, { outputLimit: 1001 }), {})
  const text = output as string
  expect(text).not.toContain('\uFFFD')
  expect(text).toMatch(
    /^exit 0\n--- stdout\né+\n\[… \d+ bytes are left out …\]\né+\n--- stderr\n€+\n\[… \d+ bytes are left out …\]\n€+$/,
  )
  expect(Buffer.byteLength(text)).toBeLessThan(1200)
})

/** Whether a process is there; one that has ended and was not collected yet is not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const status = `/proc/${pid}/stat`
  return !existsSync(status) || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(status, 'utf8'))
}

/** A program that starts one that ignores SIGTERM and writes its id into `pid`, then does the rest. */
async function withStubbornChild(redirection: string, rest: string): Promise<string> {
  return writeFolder({
    'stubborn.sh': 'trap "" TERM\necho $$ > part && mv part pid\nwhile :; do sleep 1; done\n',
    'main.sh': `sh stubborn.sh ${redirection} &\nwhile [ ! -e pid ]; do sleep 0.05; done\n${rest}\n`,
  })
}

function main(cwd: string, given: Given = {}): Tool {
  return createShellTool({ name: 'main', command: 'sh main.sh', cwd, env: process.env, ...given })
}

async function pidIn(folder: string): Promise<number> {
  await expect
    .poll(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8'), { timeout: 20_000 })
    .toBeTruthy()
  return Number(readFileSync(join(folder, 'pid'), 'utf8'))
}

test('a program that never ends is stopped, and what it said is in the error', async () => {
  const cwd = await writeFolder({ 'main.sh': 'echo so far\necho hm >&2\nwhile :; do sleep 1; done\n' })
  const tool = main(cwd, { timeoutMs: 1500 })
  const error = await callTool(tool, {}).catch(error => error)
  expect(error).toMatchObject({ name: 'ToolFailure', code: 'TOOL_COMMAND_TIMEOUT' })
  expect(error.message).toContain("didn't end within 1.5 s and was stopped")
  expect(error.message).toContain('--- the end of stdout\nso far\n--- the end of stderr\nhm')
})

test.each([
  ['keeps the pipes open', ''],
  ['is silent', '>/dev/null 2>&1'],
])('a grandchild that ignores SIGTERM and %s ends with a program that takes too long', async (_, redirection) => {
  const cwd = await withStubbornChild(redirection, 'wait')
  await expect(callTool(main(cwd, { timeoutMs: 1500 }), {})).rejects.toMatchObject({ code: 'TOOL_COMMAND_TIMEOUT' })
  const pid = await pidIn(cwd)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a grandchild that is left behind with the pipes open ends with the program', async () => {
  const cwd = await withStubbornChild('', 'echo done')
  expect(await callTool(main(cwd), {})).toMatchObject({ output: 'done\n', details: { exitCode: 0 } })
  const pid = await pidIn(cwd)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a stop ends the whole group and rejects with its reason', async () => {
  const cwd = await withStubbornChild('', 'wait')
  const controller = new AbortController()
  const call = callTool(main(cwd), {}, toolContext(controller.signal)).catch(error => error)
  const pid = await pidIn(cwd)
  const reason = new Error('stopped by the user')
  controller.abort(reason)
  expect(await call).toBe(reason)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a call that is stopped before it begins starts nothing', async () => {
  const cwd = await writeFolder()
  const tool = script('require("fs").writeFileSync("ran","")', { cwd })
  const context = toolContext(AbortSignal.abort(new Error('stopped')))
  await expect(callTool(tool, {}, context)).rejects.toThrow('stopped')
  expect(existsSync(join(cwd, 'ran'))).toBe(false)
})

test('the end of the output is shown while the program runs', async () => {
  const cwd = await writeFolder()
  const context = toolContext()
  const source =
    'console.log("x".repeat(5000));console.log("one");console.error("two");' +
    'const w=setInterval(()=>{if(require("fs").existsSync("go")){clearInterval(w)}},10)'
  const call = callTool(script(source, { cwd }), {}, context)
  await expect.poll(() => context.shown.length, { timeout: 20_000 }).toBe(1)
  expect(context.shown[0]).toMatch(/one\n\n--- stderr\ntwo\n$/)
  expect((context.shown[0] as string).length).toBeLessThan(3000)
  await writeFile(join(cwd, 'go'), '')
  await call
  expect(context.shown).toHaveLength(1)
})

test('a program in the working directory can be run by its relative path', async () => {
  const cwd = await writeFolder({ 'bin/hello': `#!${process.execPath}\nconsole.log('hello')\n` })
  await mkdir(join(cwd, 'other'))
  await chmod(join(cwd, 'bin/hello'), 0o755)
  const tool = createShellTool({ name: 'hello', command: './bin/hello', cwd, env: process.env })
  expect((await callTool(tool, {})).output).toBe('hello\n')
})

test('a time longer than timers can wait is not a time at all', async () => {
  const result = await runProcess({
    command: [process.execPath, '-e', 'setTimeout(()=>{},50)'],
    cwd: '.',
    env: {},
    timeoutMs: Number.MAX_SAFE_INTEGER,
    outputLimit: 100,
  })
  expect(result).toMatchObject({ ended: 'exit', exitCode: 0 })
})

test('the output of a program that ends at once is not lost', async () => {
  const tool = createShellTool({ name: 'echo', command: 'echo hi', cwd: '.', env: process.env })
  for (let count = 0; count < 60; count++) expect((await callTool(tool, {})).output).toBe('hi\n')
})
