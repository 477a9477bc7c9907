import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readWorkspace, root } from './guards/workspace.ts'

const chunkFile = 'packages/core/src/stream/chunk.ts'
const declarationFile = 'packages/core/src/chatmd/document.ts'

/** The source of every package on its own, with the packages of others beside it. */
let copy: string
let chunkSource: string
let declarationSource: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'argot-planted-'))
  const folders = readWorkspace().map(({ folder }) => folder)
  for (const folder of folders) {
    cpSync(join(root, folder, 'src'), join(copy, folder, 'src'), { recursive: true })
    cpSync(join(root, folder, 'package.json'), join(copy, folder, 'package.json'))
  }
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== 'argot' && name !== '@argot') link(join(root, 'node_modules', name), name)
  }
  for (const { folder, manifest } of readWorkspace()) {
    if (manifest.name?.startsWith('@argot/')) mkdirSync(join(copy, 'node_modules/@argot'), { recursive: true })
    if (manifest.name !== undefined) link(join(copy, folder), manifest.name)
  }
  for (const name of ['tsconfig.json', 'tsconfig.base.json']) cpSync(join(root, name), join(copy, name))
  writeFileSync(join(copy, 'package.json'), readFileSync(join(root, 'package.json')))
  chunkSource = readFileSync(join(root, chunkFile), 'utf8')
  declarationSource = readFileSync(join(root, declarationFile), 'utf8')
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

function link(target: string, name: string): void {
  symlinkSync(target, join(copy, 'node_modules', name), 'dir')
}

/** The source files that do not compile once each of these types is one of the chunks of its group, or a kind of `<tool>`. */
async function filesThatFail(planted: Readonly<Record<string, string>>): Promise<string[]> {
  const { ToolDeclaration: tool, ...chunks } = planted
  const builtin = `  | { kind: 'builtin'; name: string }\n`
  expect(declarationSource).toContain(builtin)
  const plantedTool = tool === undefined ? '' : `  | ${tool}\n`
  writeFileSync(join(copy, declarationFile), declarationSource.replace(builtin, builtin + plantedTool))
  let source = chunkSource
  for (const [group, type] of Object.entries(chunks)) {
    const union = `export type ${group} =\n`
    expect(source).toContain(union)
    source = source.replace(union, `${union}  | ${type}\n`)
  }
  writeFileSync(join(copy, chunkFile), source)
  // Several checkers would do much of the work several times, and other tests run beside this one.
  const options = ['-p', 'tsconfig.json', '--pretty', 'false', '--singleThreaded']
  const args = [join(root, 'node_modules/typescript/bin/tsc'), ...options]
  const output = await promisify(execFile)(process.execPath, args, { cwd: copy }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
  return [...new Set(output.match(/^[^\s(].*?(?=\(\d+,\d+\): error)/gm) ?? [])].sort()
}

/** Where somebody must decide what it does, as CONTRIBUTING.md says; the type itself is in `chunk.ts` or `document.ts`. */
const always = ['packages/core/src/stream/chunk-table.ts', 'packages/core/src/stream/commentary.ts']
const message = [...always, 'packages/core/src/stream/builder/message-builder.ts']
const call = [...always, 'packages/core/src/stream/builder/call-table.ts']
const tool = [
  'packages/agent/src/run/document/declaration-problem.ts',
  'packages/agent/src/tool/source/tool-sources.ts',
]

const kinds: [string, Record<string, string>, string[]][] = [
  ['a chunk of the life of a message', { LifeChunk: `{ type: 'planted' }` }, message],
  ['a chunk of a text', { TextChunk: `{ type: 'planted'; id: string }` }, message],
  ['a chunk of a call', { ToolChunk: `{ type: 'tool-planted'; toolCallId: string }` }, call],
  ['a chunk of anything else', { RestChunk: `{ type: 'planted'; url: string }` }, message],
  ['a kind of `<tool>`', { ToolDeclaration: `{ kind: 'planted'; name: string }` }, tool],
]
/** Each compiles everything again, so that they are tried together unless all laws are. */
const together: typeof kinds = [
  ['one of each', Object.assign({}, ...kinds.map(([, planted]) => planted)), kinds.flatMap(([, , files]) => files)],
]

describe('what is planted fails to compile where somebody must decide what it does, and nowhere else', () => {
  test.each(process.env.LAWS === 'full' ? kinds : together)('%s', async (_, planted, expected) => {
    expect(await filesThatFail(planted)).toEqual([...new Set(expected)].sort())
  })

  test('without it the copy compiles', async () => {
    expect(await filesThatFail({})).toEqual([])
  })
})
