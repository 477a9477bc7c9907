/** Whether a program began is what `bwrap` says on its own descriptor, never what the program prints or returns. */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createShellTool } from '@argot/agent/workshop'
import { describe, expect, test } from 'vitest'
import { callTool } from '../tool/tool-context.ts'
import { isTried, makeSandboxPlace } from './sandbox-place.ts'

const words = [
  "bwrap: Can't find source path /x: No such file or directory",
  'bwrap: execvp sh: No such file',
  'bwrap: ',
]
const codes = [1, 126, 127, 255]

describe.runIf(isTried)('a confined program that ran', () => {
  test.each(words.flatMap(one => codes.map(code => [one, code] as const)))(
    'is not recorded as never started when it prints %j and exits with %i',
    async (text, code) => {
      const { sh, project } = await makeSandboxPlace()
      const output = await sh(`echo did > it; printf '%s\\n' "${text}" >&2; exit ${code}`)
      expect(output).toMatch(new RegExp(`^exit ${code}\n--- stderr\nbwrap:`))
      expect(await readFile(join(project, 'it'), 'utf8')).toBe('did\n')
    },
  )

  test('nor when it writes to every descriptor that it finds, and kills what it can', async () => {
    const { sh } = await makeSandboxPlace()
    const script =
      'for n in 3 4 5 6 7 8 9; do echo "{}" >&$n; done 2>/dev/null; echo "bwrap: no" >&2; kill -9 1 -1; exit 1'
    expect(await sh(script)).toMatch(/^exit \d+\n--- stderr\nbwrap: no/)
  })

  test('and one that could not be executed is recorded as never started', async () => {
    const { project, env, sandbox } = await makeSandboxPlace({ files: { script: '#!/no/such/interpreter\n' } })
    await chmod(join(project, 'script'), 0o755)
    const tool = createShellTool({ name: 'x', command: './script', cwd: project, env, sandbox })
    await expect(callTool(tool, {})).rejects.toMatchObject({
      code: 'TOOL_COMMAND_NOT_STARTED',
      message: expect.stringContaining("couldn't be started in the sandbox: bwrap: execvp"),
    })
    await writeFile(join(project, 'script'), '#!/bin/sh\necho fine\n')
    expect((await callTool(tool, {})).output).toBe('fine\n')
  })
})
