import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PlantedCopy } from './guards/planted-copy.ts'

let copy: PlantedCopy

beforeAll(() => {
  copy = new PlantedCopy()
})

afterAll(() => copy.remove())

/** The source files that do not compile once each of these types is one of the chunks of its group, or a kind of `<tool>`. */
async function filesThatFail(planted: Readonly<Record<string, string>>): Promise<string[]> {
  const { ToolDeclaration: tool, ...chunks } = planted
  const builtin = `  | { kind: 'builtin'; name: string }\n`
  const plantedTool = tool === undefined ? '' : `  | ${tool}\n`
  copy.plant('packages/core/src/chatmd/document.ts', [[builtin, builtin + plantedTool]])
  copy.plant(
    'packages/core/src/stream/chunk.ts',
    Object.entries(chunks).map(([group, type]) => {
      const union = `export type ${group} =`
      return [union, `${union} ${type} | Other${group}\ntype Other${group} =`]
    }),
  )
  return copy.filesThatFail()
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
  ['a chunk of the life of a message', { LifecycleChunk: `{ type: 'planted' }` }, message],
  ['a chunk of a text', { TextChunk: `{ type: 'planted'; id: string }` }, message],
  ['a chunk of a call', { ToolChunk: `{ type: 'tool-planted'; toolCallId: string }` }, call],
  ['a chunk of anything else', { PartChunk: `{ type: 'planted'; url: string }` }, message],
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
})
