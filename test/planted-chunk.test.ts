import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readWorkspace, root } from './guards/workspace.ts'

const chunkFile = 'packages/core/src/stream/chunk.ts'
const table = 'packages/core/src/stream/chunk-table.ts'

/** The source of every package on its own, with the packages of others beside it. */
let copy: string
let chunkSource: string

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
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

function link(target: string, name: string): void {
  symlinkSync(target, join(copy, 'node_modules', name), 'dir')
}

/** The source files that do not compile once each of these types is one of the chunks of its group. */
async function filesThatFail(planted: Readonly<Record<string, string>>): Promise<string[]> {
  let source = chunkSource
  for (const [group, type] of Object.entries(planted)) {
    const union = `export type ${group} =\n`
    expect(source).toContain(union)
    source = source.replace(union, `${union}  | ${type}\n`)
  }
  writeFileSync(join(copy, chunkFile), source)
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json', '--pretty', 'false']
  const output = await promisify(execFile)(process.execPath, args, { cwd: copy }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
  return [...new Set(output.match(/^[^\s(].*?(?=\(\d+,\d+\): error)/gm) ?? [])].sort()
}

const kinds: [string, Record<string, string>][] = [
  ['of the life of a message', { LifeChunk: `{ type: 'planted' }` }],
  ['of a text', { TextChunk: `{ type: 'planted'; id: string }` }],
  ['of a call', { ToolChunk: `{ type: 'tool-planted'; toolCallId: string }` }],
  ['of anything else', { RestChunk: `{ type: 'planted'; url: string }` }],
]
/** Each compiles everything once more, so that they are tried together unless all laws are. */
const together: [string, Record<string, string>][] = [
  ['of each kind', Object.assign({}, ...kinds.map(([, planted]) => planted))],
]

describe('a new type of chunk fails to compile where somebody must decide what it does, and nowhere else', () => {
  test.each(process.env.LAWS === 'full' ? kinds : together)('one %s', async (_, planted) => {
    const files = await filesThatFail(planted)
    expect(files).toContain(table)
    expect(files.length, files.join(', ')).toBeLessThanOrEqual(5)
  })

  test('without it the copy compiles', async () => {
    expect(await filesThatFail({})).toEqual([])
  })
})
