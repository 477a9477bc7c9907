import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { folderStore } from '@argot/agent'
import { expect, onTestFinished, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { openTranscript, type TranscriptOptions } from '../../src/transcript/open-transcript.ts'
import type { Transcript } from '../../src/transcript/transcript.ts'
import { makeDocument } from './runs.ts'

const [holder] = bundlePrograms([join(import.meta.dirname, 'holder.ts')])

function openFile(file: string, options: TranscriptOptions = {}): Promise<Transcript> {
  return openTranscript(folderStore(dirname(file)), basename(file), options)
}

interface Holder {
  process: ChildProcessWithoutNullStreams
  /** The next line that it says. */
  says(): Promise<string>
  ended: Promise<void>
}

/** Opens the document in a process of its own. */
function hold(file: string, how: 'wait' | 'fail' = 'fail'): Holder {
  const child = spawn(process.execPath, [holder!, file, how])
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const waiting: ((line: string) => void)[] = []
  let rest = ''
  child.stderr.setEncoding('utf8').on('data', text => lines.push(`stderr: ${text}`))
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (rest + text).split('\n')
    rest = pieces.pop()!
    lines.push(...pieces)
    while (waiting.length > 0 && lines.length > 0) waiting.shift()!(lines.shift()!)
  })
  const says = (): Promise<string> =>
    lines.length > 0 ? Promise.resolve(lines.shift()!) : new Promise(resolve => waiting.push(resolve))
  return { process: child, says, ended: new Promise(resolve => child.on('close', () => resolve())) }
}

function lockOf(file: string): string {
  return join(dirname(file), '.chatmd', 'locks', 'chat.chatmd.lock')
}

test('while another process has the document it is locked, and the message names that process', async () => {
  const file = await makeDocument()
  const holder = hold(file)
  expect(await holder.says()).toBe('open')
  await expect(openFile(file)).rejects.toMatchObject({
    code: 'RUN_LOCKED',
    message: expect.stringMatching(
      new RegExp(
        `^\`chat\\.chatmd\` is being run by process ${holder.process.pid}, which started at \\d{4}-.*Z\\. Wait for`,
      ),
    ),
  })
  holder.process.stdin.end()
  expect(await holder.says()).toBe('closed')
  await (await openFile(file)).close()
  expect(readdirSync(join(dirname(file), '.chatmd', 'locks'))).toEqual([])
})

test('who waits gets the document when it is free', async () => {
  const file = await makeDocument()
  const first = hold(file)
  expect(await first.says()).toBe('open')
  const second = hold(file, 'wait')
  const third = hold(file)
  expect(await third.says()).toBe('RUN_LOCKED')
  first.process.stdin.end()
  expect(await first.says()).toBe('closed')
  expect(await second.says()).toBe('open')
  second.process.stdin.end()
  expect(await second.says()).toBe('closed')
})

test('who waits can be stopped', async () => {
  const file = await makeDocument()
  const transcript = await openFile(file)
  const stop = new AbortController()
  const waiting = openFile(file, { wait: true, signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await transcript.close()
})

test('the document of a process that was killed is taken over, by one process only', async () => {
  const file = await makeDocument()
  const dead = hold(file)
  expect(await dead.says()).toBe('open')
  dead.process.kill('SIGKILL')
  await dead.ended
  const takers = [hold(file), hold(file), hold(file)]
  const said = await Promise.all(takers.map(taker => taker.says()))
  expect(said.sort()).toEqual(['RUN_LOCKED', 'RUN_LOCKED', 'open'])
  for (const taker of takers) taker.process.stdin.end()
  await Promise.all(takers.map(taker => taker.ended))
  expect(readdirSync(join(dirname(file), '.chatmd', 'locks'))).toEqual([])
})

test('of many who want a dead lock at once, one has it at a time', async () => {
  const file = await makeDocument()
  mkdirSync(dirname(lockOf(file)), { recursive: true })
  for (let round = 0; round < 20; round++) {
    writeFileSync(lockOf(file), JSON.stringify({ pid: 2 ** 22 + 7, host: hostname(), since: 0, nonce: String(round) }))
    let holders = 0
    const run = async (): Promise<void> => {
      const transcript = await openFile(file, { wait: true })
      expect(++holders).toBe(1)
      await Promise.resolve()
      holders--
      await transcript.close()
    }
    await Promise.all([run(), run(), run(), run()])
  }
})

const own = { pid: process.pid, host: hostname(), since: 0, nonce: 'x' }

test.each([
  ['nonsense', 'not a lock'],
  ['nothing', ''],
  ['a process of the same number that started at another time', JSON.stringify({ ...describe(), start: '1' })],
  ['a process before the machine was started again', JSON.stringify({ ...describe(), boot: 'another' })],
])('a lock of %s is taken over', async (_, text) => {
  const file = await makeDocument()
  mkdirSync(dirname(lockOf(file)), { recursive: true })
  writeFileSync(lockOf(file), text)
  await (await openFile(file)).close()
})

/** What a lock of this process says, as far as the system tells. */
function describe(): Record<string, unknown> {
  const read = (path: string): string | undefined => {
    try {
      return readFileSync(path, 'utf8').trim()
    } catch {
      return undefined
    }
  }
  return { ...own, boot: read('/proc/sys/kernel/random/boot_id') }
}

test('a link to a document and the document itself are one document', async () => {
  const file = await makeDocument()
  const link = join(dirname(file), 'elsewhere', 'link.chatmd')
  mkdirSync(dirname(link))
  symlinkSync(file, link)
  const transcript = await openFile(link)
  await expect(openFile(file)).rejects.toMatchObject({ code: 'RUN_LOCKED' })
  await transcript.close()
  expect(readdirSync(dirname(link))).toEqual(['link.chatmd'])
})

test('nothing is written through a link that stands where the folder should be', async () => {
  const file = await makeDocument()
  const elsewhere = join(dirname(file), 'elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, join(dirname(file), '.chatmd'))
  await expect(openFile(file)).rejects.toMatchObject({ code: 'RUN_UNSAFE_FOLDER' })
  expect(readdirSync(elsewhere)).toEqual([])
})

// Finding 9 of the attacks: links below `.chatmd`, and a pipe in the place of the lock.
test.each(['locks', 'runs', 'runs/chat.chatmd'])(
  'nothing is written through a link in the place of .chatmd/%s',
  async name => {
    const file = await makeDocument()
    const elsewhere = join(dirname(file), 'elsewhere')
    mkdirSync(elsewhere)
    mkdirSync(dirname(join(dirname(file), '.chatmd', name)), { recursive: true })
    symlinkSync(elsewhere, join(dirname(file), '.chatmd', name))
    const open = async (): Promise<void> => {
      const transcript = await openFile(file)
      try {
        await transcript.begin({ id: 'run-1', payloads: 'inline' })
      } finally {
        await transcript.close()
      }
    }
    await expect(open()).rejects.toMatchObject({ code: 'RUN_UNSAFE_FOLDER' })
    expect(readdirSync(elsewhere)).toEqual([])
  },
)

test('a pipe in the place of the lock is refused, and nobody waits for it', async () => {
  const file = await makeDocument()
  mkdirSync(dirname(lockOf(file)), { recursive: true })
  execFileSync('mkfifo', [lockOf(file)])
  await expect(openFile(file)).rejects.toMatchObject({ code: 'RUN_UNSAFE_FOLDER' })
})

test('what a process left that died while it took the lock is cleared away', async () => {
  const file = await makeDocument()
  mkdirSync(dirname(lockOf(file)), { recursive: true })
  const dead = JSON.stringify({ pid: 2 ** 22 + 7, host: hostname(), since: 0, nonce: 'x' })
  for (const name of ['.0123456789abcdef', '.0123.tmp']) writeFileSync(`${lockOf(file)}${name}`, dead)
  const transcript = await openFile(file)
  expect(readdirSync(dirname(lockOf(file)))).toEqual(['chat.chatmd.lock'])
  await transcript.close()
})

test('a name that is too long for the files beside it is said in a sentence', async () => {
  const file = await makeDocument(undefined, `${'n'.repeat(240)}.chatmd`)
  const message = expect.stringContaining('too long')
  await expect(openFile(file)).rejects.toMatchObject({ code: 'RUN_NOT_SAVED', message })
})
