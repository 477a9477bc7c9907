import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { inContainer, whyNoContainers } from '../../../../test/containers.ts'
import { nodeDisk } from '../../src/store/folder/disk.ts'
import { folderStoreOn } from '../../src/store/folder/folder-store.ts'
import { openTranscript } from '../../src/transcript/open-transcript.ts'
import { makeDocument } from './runs.ts'

/*
 * Real processes with process numbers and host names of their own, as in containers. Where this user cannot start them,
 * lock-silence.test.ts still tests the rules.
 */
const reason = whyNoContainers()
const [holder] = bundlePrograms([join(import.meta.dirname, 'holder.ts')])

interface Holder {
  process: ChildProcessWithoutNullStreams
  says(): Promise<string>
  ended: Promise<void>
  signal(name: NodeJS.Signals): void
}

function holdIn(container: string, file: string, how = 'fail'): Holder {
  const [command, args] = inContainer(container, [process.execPath, holder!, file, how])
  const child = spawn(command, args, { env: { ...process.env, ARGOT_LEASE_SECONDS: '1' } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (rest + text).split('\n')
    rest = pieces.pop()!
    lines.push(...pieces)
  })
  const says = async (): Promise<string> => {
    await expect.poll(() => lines.length, { timeout: 60_000 }).toBeGreaterThan(0)
    return lines.shift()!
  }
  const ended = new Promise<void>(resolve => child.on('close', () => resolve()))
  const signal = (name: NodeJS.Signals): void => {
    const pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim())
    process.kill(pid, name)
  }
  return { process: child, says, ended, signal }
}

function lockOf(file: string): string {
  return readFileSync(join(dirname(file), '.chatmd', 'locks', `${basename(file)}.lock`), 'utf8')
}

test.skipIf(reason !== undefined)(
  `a run in another container that lives keeps its document, and one that was killed is replaced${reason === undefined ? '' : ` (${reason})`}`,
  async () => {
    const file = await makeDocument()
    const first = holdIn('container-a', file)
    expect(await first.says()).toBe('open')
    const patient = folderStoreOn(nodeDisk, dirname(file), { leaseMs: 600_000 })
    const path = basename(file)
    await expect(openTranscript(patient, path)).rejects.toMatchObject({
      code: 'RUN_LOCKED',
      message: expect.stringContaining('process 1 on container-a'),
    })
    first.signal('SIGKILL')
    await first.ended
    const { epoch } = JSON.parse(lockOf(file))
    const second = holdIn('container-b', file)
    expect(await second.says()).toBe('open')
    expect(JSON.parse(lockOf(file))).toMatchObject({ host: 'container-b', pid: 1 })
    expect(JSON.parse(lockOf(file)).epoch).toBeGreaterThan(epoch)
    second.process.stdin.end()
    expect(await second.says()).toBe('closed')
    const again = await openTranscript(patient, path)
    await again.close()
  },
  120_000,
)

test.skipIf(reason !== undefined)(
  'a process in another container that was stopped, replaced and woken writes nothing',
  async () => {
    const file = await makeDocument()
    const before = readFileSync(file, 'utf8')
    const zombie = holdIn('container-a', file, 'write')
    expect(await zombie.says()).toBe('open')
    zombie.signal('SIGSTOP')
    const next = holdIn('container-b', file, 'write')
    expect(await next.says()).toBe('open')
    zombie.process.stdin.end()
    zombie.signal('SIGCONT')
    expect(await zombie.says()).toBe('RUN_LEASE_LOST')
    await zombie.ended
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(JSON.parse(lockOf(file)).host).toBe('container-b')
    next.process.stdin.end()
    expect(await next.says()).toBe('written')
    expect(await next.says()).toBe('closed')
  },
  120_000,
)

test.skipIf(reason !== undefined)(
  'a person takes a document over from another container without waiting',
  async () => {
    const file = await makeDocument()
    const first = holdIn('container-a', file)
    expect(await first.says()).toBe('open')
    const second = holdIn('container-b', file, 'take-over')
    expect(await second.says()).toBe('open')
    expect(JSON.parse(lockOf(file)).host).toBe('container-b')
  },
  120_000,
)
