/**
 * What an unconfined program finds of the keys of the process that started it, and what it leaves behind. Siblings that
 * were tried besides: the grandparent from a further shell, and the bytes after the variables; a daemon that holds the
 * output open and one that drops it.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createShellTool } from '@argot/agent/workshop'
import { describe, expect, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { callTool } from '../tool/tool-context.ts'
import { processes } from './sandbox-place.ts'

const KEY = 'sk-proj-attack-0123456789abcdefghijklmnopqrst'
const ADDRESS = 'postgres://me:pass-word-of-the-user@host/db'
const PLAIN = 'something harmless'
/** A time that no other process sleeps. */
const NAP = `302.${process.pid}`
const [holder] = bundlePrograms([join(import.meta.dirname, 'key-holder.ts')])

async function holdKeys(script: string): Promise<{ output: string; key: string; address: string }> {
  const env = { PATH: process.env.PATH, OPENAI_API_KEY: KEY, DATABASE_URL: ADDRESS, PLAIN_WORD: PLAIN }
  const { stdout } = await promisify(execFile)(process.execPath, [holder!, script], { env })
  return JSON.parse(stdout) as { output: string; key: string; address: string }
}

describe.runIf(process.platform === 'linux')('an unconfined program', () => {
  test.each([
    ['its parent', 'cat /proc/$PPID/environ | tr "\\0" "\\n"'],
    ['its parent, from a further shell', 'p=$PPID; sh -c "cat /proc/$p/environ" | tr "\\0" "\\n"'],
    [
      'the memory that its parent shows as its environment',
      'strings -n 4 /proc/$PPID/environ || cat /proc/$PPID/environ',
    ],
  ])('does not find the keys in the environment of %s', async (_, script) => {
    const { output, key, address } = await holdKeys(script)
    expect(output).toContain(PLAIN)
    expect(output).not.toContain(KEY.slice(0, 8))
    expect(output).not.toContain('pass-word')
    // The process itself has them still.
    expect({ key, address }).toEqual({ key: KEY, address: ADDRESS })
  })

  test.each([
    ['in a session of its own', `setsid sleep ${NAP} >/dev/null 2>&1 & echo started`],
    ['as a daemon', `setsid sh -c "setsid sleep ${NAP} >/dev/null 2>&1 &"; echo started`],
    ['that ignores signals', `setsid sh -c "trap '' TERM HUP INT; sleep ${NAP}; :" >/dev/null 2>&1 & echo started`],
    ['that dropped its environment and holds the output', `env -i /usr/bin/setsid /bin/sleep ${NAP} & echo started`],
  ])('leaves no process behind %s', async (_, script) => {
    const tool = createShellTool({ name: 'sh', command: 'sh -c', cwd: '.', env: { PATH: process.env.PATH } })
    expect((await callTool(tool, { arguments: [script] })).output).toBe('started\n')
    // A process that was killed may take a moment to go, longer on a busy machine.
    const left = async (): Promise<string[]> => (await processes()).filter(line => line.endsWith(`sleep ${NAP}`))
    await expect.poll(left).toEqual([])
  })
})
