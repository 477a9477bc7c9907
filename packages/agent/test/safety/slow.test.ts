/**
 * Inputs that are made to take long or to fill the disk. Siblings that were tried besides: a pattern whose automaton has no
 * end of different states, and choices inside choices; previews by a generator, and a schema that says very much.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createBuiltinTools, createWorkspace, defineTool, type Tool } from '@argot/agent'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { compileGlob } from '../../src/files/compile-glob.ts'
import { writeFolder } from '../tool/files.ts'
import { callTool, toolContext } from '../tool/tool-context.ts'

/** The work of this process so far, in milliseconds of a processor: a busy machine does not add to it. */
function work(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The most work that was done while nothing else could run, and how often others had their turn. */
function watchTurns(): { longest: () => number; turns: () => number } {
  let last = work()
  let longest = 0
  let turns = 0
  const timer = setInterval(() => {
    longest = Math.max(longest, work() - last)
    last = work()
    turns++
  }, 1)
  onTestFinished(() => clearInterval(timer))
  return { longest: () => Math.max(longest, work() - last), turns: () => turns }
}

const paths = Array.from({ length: 4000 }, (_, index) => `${'a'.repeat(index % 40)}/${'ab'.repeat(60)}${index}.txt`)

async function manyFiles(): Promise<Map<string, Tool>> {
  const root = await writeFolder()
  for (let folder = 0; folder < 8; folder++) {
    await mkdir(join(root, `folder${folder}`))
    const names = Array.from({ length: 150 }, (_, index) => join(root, `folder${folder}`, `${'ab'.repeat(90)}${index}`))
    await Promise.all(names.map(name => writeFile(name, '')))
  }
  return createBuiltinTools({ workspace: createWorkspace({ roots: [root] }) })
}

const hostile: [string, string][] = [
  ['`**/` 300 times', `${'**/'.repeat(300)}*.none`],
  ['`*/` between `**/`', `${'**/*/'.repeat(150)}x`],
  ['490 choices', `**/{${'b,'.repeat(489)}b}`],
  ['490 choices after a star', `**/*{${'a,'.repeat(480)}a}`],
  ['choices inside choices', `**/${'{a,'.repeat(240)}b${'}'.repeat(240)}*`],
  ['a star before each of many letters', `**/${'*a'.repeat(450)}z`],
  ['many states at once', `**/*a${'?'.repeat(300)}`],
]

beforeAll(() => {
  compileGlob('**/*').matches('a/b')
})

test.each(hostile)('a glob with %s is fast', (_, pattern) => {
  const started = work()
  const glob = compileGlob(pattern)
  for (const path of paths) glob.matches(path)
  expect(work() - started).toBeLessThan(3000)
})

test.each(hostile)('a glob with %s lets others have their turn', async (_, pattern) => {
  const tools = await manyFiles()
  for (const [name, input] of [
    ['glob', { pattern }],
    ['grep', { pattern: 'x', glob: pattern }],
  ] as const) {
    const { longest } = watchTurns()
    await callTool(tools.get(name)!, input)
    expect(longest(), name).toBeLessThan(1000)
  }
})

test('an expression with many choices, or one that has no end, is searched in a thread of its own', async () => {
  const root = await writeFolder({ 'a.txt': `${'ab'.repeat(2000)}\n`.repeat(50) })
  const tools = createBuiltinTools({ workspace: createWorkspace({ roots: [root] }) })
  const { turns } = watchTurns()
  const stop = AbortSignal.timeout(1500)
  for (const pattern of [`(?:${Array.from({ length: 490 }, (_, i) => `a${i}`).join('|')})+$`, '(a|b|ab)*c$']) {
    await callTool(tools.get('grep')!, { pattern }, toolContext(stop)).catch(() => {})
  }
  // The thread works for a second and a half; here is nothing to do.
  expect(turns()).toBeGreaterThan(20)
})

test.each([
  ['a text', (context: { preview(output: unknown): void }) => context.preview('x'.repeat(1_000_000))],
  ['an object', (context: { preview(output: unknown): void }) => context.preview({ a: ['y'.repeat(1_000_000)] })],
])('previews of a tool in code are limited in size and in number: %s', async (_, show) => {
  const tool = defineTool({
    ...{ name: 'loud', description: 'Shows much.', effect: 'read', inputSchema: { type: 'object' } },
    execute: (_input, context) => {
      for (let count = 0; count < 500; count++) show(context)
      return 'done'
    },
  })
  const context = toolContext()
  expect(await callTool(tool, {}, context)).toEqual({ output: 'done' })
  expect(context.shown.length).toBeGreaterThan(0)
  expect(JSON.stringify(context.shown).length).toBeLessThan(512 * 1024)
})

test('so are those of a generator', async () => {
  const tool = defineTool({
    ...{ name: 'loud', description: 'Shows much.', effect: 'read', inputSchema: { type: 'object' } },
    *execute() {
      for (let count = 0; count < 100_000; count++) yield `step ${count}`
    },
  })
  const context = toolContext()
  expect(await callTool(tool, {}, context)).toEqual({ output: 'step 99999' })
  expect(context.shown[0]).toBe('step 0')
  expect(context.shown.length).toBeLessThan(5000)
})

test.each<[string, Tool, unknown]>([
  [
    'a schema of zod',
    defineTool({
      ...{ name: 'strict', description: 'Takes little.', execute: () => '' },
      inputSchema: z.object({ a: z.string().refine(() => false, { message: 'x'.repeat(1_000_000) }) }),
    }),
    { a: 'x' },
  ],
  [
    'a JSON Schema',
    defineTool({
      ...{ name: 'strict', description: 'Takes little.', execute: () => '' },
      inputSchema: { type: 'object', properties: { a: { enum: [`${'y'.repeat(1_000_000)}`] } } },
    }),
    { a: 'x'.repeat(1_000_000) },
  ],
  [
    'long names',
    defineTool({
      ...{ name: 'strict', description: 'Takes little.', execute: () => '' },
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    }),
    { ['k'.repeat(1_000_000)]: 1 },
  ],
])('what is wrong with an input is said in few words: %s', async (_, tool, input) => {
  const checked = await tool.validate(input)
  expect(checked.ok).toBe(false)
  expect(JSON.stringify(checked).length).toBeLessThan(10_000)
})
