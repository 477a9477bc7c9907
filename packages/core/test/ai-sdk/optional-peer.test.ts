import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const core = join(import.meta.dirname, '../..')
const modules = join(core, '../../node_modules')

/** A project that has installed `@argot/core` as it is published, its dependencies, and nothing else. */
let project: string

async function tsc(...args: string[]): Promise<string> {
  const command = [join(modules, 'typescript/bin/tsc'), ...args]
  return promisify(execFile)(process.execPath, command, { cwd: project }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
}

/** What the compiler says of a program of that project, the declarations that it reaches included. */
async function check(program: string): Promise<string> {
  writeFileSync(join(project, 'program.ts'), program)
  const strict = ['--strict', '--skipLibCheck', 'false', '--noEmit', '--types', '']
  return tsc(
    ...strict,
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--lib',
    'es2023,dom,dom.asynciterable',
    'program.ts',
  )
}

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'argot-peer-'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const installed = join(project, 'node_modules/@argot/core')
  mkdirSync(installed, { recursive: true })
  cpSync(join(core, 'package.json'), join(installed, 'package.json'))
  cpSync(join(modules, 'yaml'), join(project, 'node_modules/yaml'), { recursive: true })
  expect(
    await tsc('-p', join(core, 'tsconfig.json'), '--composite', 'false', '--outDir', join(installed, 'dist')),
  ).toBe('')
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

test('all other doors are typed where @ai-sdk/provider is not installed', async () => {
  const { exports } = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8')) as { exports: object }
  const doors = Object.keys(exports).filter(door => !door.startsWith('./ai-sdk') && door !== './package.json')
  expect(doors).toContain('./convert')
  const imports = doors.map(door => `export type * as door${doors.indexOf(door)} from '@argot/core${door.slice(1)}'`)
  const program = `import { fromUIMessage, type Message, toUIMessage } from '@argot/core'
export const copy = (message: Message): Message => fromUIMessage(toUIMessage(message))`
  expect(await check([...imports, program].join('\n'))).toBe('')
})

test('@argot/core/ai-sdk needs it', async () => {
  expect(await check(`export * from '@argot/core/ai-sdk'`)).toContain(`'@ai-sdk/provider'`)
})
