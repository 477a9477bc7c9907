import { execFile } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTried } from '../../agent/test/safety/sandbox-place.ts'
import { commandLine, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

const document = '<config model="demo"/>\n\n<user>\nHello.\n</user>\n'

/** One sentence about a file, in words: no code of the system, no stack. */
const sentence = /^argot: [^\n]+\n(?:Try `argot --help`\.\n)?$/
const raw = /\bE[A-Z]{4,}\b|errno|syscall|node:|This is a bug in Argot|operation was aborted/

/** Each command on a path, with and without something to write. */
const commands = (path: string): string[][] => [
  ['run', path],
  ['run', path, '--dry-run'],
  ['check', path],
  ['fmt', path],
  ['convert', path, '--to', 'callout'],
  ['replay', path],
  ['branch', path, '--at', 'm1'],
  ['parse', '--syntax', 'xml', path],
  ['docs', '--cost', path],
  ['ask', 'Hello', '--file', path],
]

test.each(commands('a folder'))('a folder in the place of the file is said to be one: %s', async (...args) => {
  const cwd = await folderWith({})
  await mkdir(join(cwd, 'a folder'))
  const given = args.map(word => (word === 'a folder' ? join(cwd, word) : word))
  const { status, stderr, stdout } = await inProcess(given, { cwd })
  // A folder of documents is something to check and to format.
  if (['check', 'fmt'].includes(args[0]!)) return expect(stderr + stdout).not.toMatch(raw)
  expect(status).toBeGreaterThan(0)
  expect(stderr).not.toMatch(raw)
  expect(stderr).toMatch(/folder/)
})

test.each([
  ['run', ['run', 'a.chatmd', '--output', 'there']],
  ['ask', ['ask', 'Hello', '--output', 'there']],
  ['convert', ['convert', 'a.chatmd', '--to', 'callout', '--output', 'there']],
])('a folder in the place of what %s writes is said to be one', async (_, args) => {
  const cwd = await folderWith({ 'a.chatmd': document })
  await mkdir(join(cwd, 'there'))
  const given = args.map(word => (word === 'a.chatmd' || word === 'there' ? join(cwd, word) : word))
  const { status, stderr } = await inProcess(given, { cwd })
  expect(status).toBeGreaterThan(0)
  expect(stderr).not.toMatch(raw)
})

/** The command inside `bwrap`: everything is read-only, or the user has no rights but those of the owner. */
function confined(
  args: readonly string[],
  cwd: string,
  bounds: readonly string[],
): Promise<{ code: number; said: string }> {
  const base = ['--dev', '/dev', '--proc', '/proc', '--chdir', cwd, '--setenv', 'HOME', cwd]
  const line = [...bounds, ...base, '--', ...commandLine(args)]
  return new Promise(resolve => {
    execFile('bwrap', line, { timeout: 60_000 }, (error, _, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stderr }),
    )
  })
}

describe.runIf(isTried)('a place that is closed', () => {
  test.each([
    ['run', ['run', 'a.chatmd']],
    ['ask --output', ['ask', 'Hello', '--output', 'b.chatmd']],
    ['fmt --write', ['fmt', '--write', 'a.chatmd']],
    ['init', ['init', 'new/folder']],
  ])('is said to be read-only, in one sentence: %s', async (_, args) => {
    const cwd = await folderWith({ 'a.chatmd': document.replace('<user>', '<user   id="user-1">') })
    const { code, said } = await confined(args, cwd, ['--ro-bind', '/', '/'])
    expect(said).not.toMatch(raw)
    expect(said).toMatch(/read-only|can only be read/)
    expect(said).toMatch(sentence)
    expect(code).toBe(1)
  })

  test.each([
    ['run', ['run', 'a.chatmd']],
    ['check', ['check', 'a.chatmd']],
    ['init', ['init', 'shut/new']],
  ])('is said to be denied, in one sentence: %s', async (_, args) => {
    const cwd = await folderWith({ 'a.chatmd': document })
    await mkdir(join(cwd, 'shut'))
    await chmod(join(cwd, 'a.chatmd'), 0)
    await chmod(join(cwd, 'shut'), 0o500)
    const owner = ['--bind', '/', '/', '--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL']
    const { code, said } = await confined(args, cwd, owner)
    expect(said).not.toMatch(raw)
    expect(said).toMatch(/ermission denied/)
    expect(code).toBe(1)
  })
})
