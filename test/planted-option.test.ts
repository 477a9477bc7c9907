import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PlantedCopy } from './guards/planted-copy.ts'
import { root } from './guards/workspace.ts'

const journey = 'test/guards/option-journey.ts'

/** Everything that a new option of a run needs: its home with its default, the place that uses it, and its flag. */
const planting: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'packages/agent/src/loop/plan.ts': [
    ['  replyLength?: number | undefined\n', '  replyLength?: number | undefined\n  plantedMs?: number | undefined\n'],
    ['  replyLength: number\n', '  replyLength: number\n  plantedMs: number\n'],
    ['    price: options.price,\n', '    price: options.price,\n    plantedMs: options.plantedMs ?? 0,\n'],
  ],
  'packages/agent/src/loop/call-model.ts': [
    ['  for (let attempt', '  notice("planted " + talk.plantedMs)\n  for (let attempt'],
  ],
  'packages/cli/src/commands/run.ts': [
    ['  maxReply?: number\n', '  maxReply?: number\n  planted?: number\n'],
    [
      "    .option('-q, --quiet'",
      "    .option('--planted <n>', 'is planted', parseWholeNumber)\n    .option('-q, --quiet'",
    ],
    ['    replyLength: flags.maxReply,\n', '    replyLength: flags.maxReply,\n    plantedMs: flags.planted,\n'],
  ],
}
const files = Object.keys(planting)

let copy: PlantedCopy

beforeAll(() => {
  copy = new PlantedCopy()
  for (const path of [journey, 'packages/agent/test/scripted-model.ts']) copy.add(path)
  for (const [path, replacements] of Object.entries(planting)) copy.plant(path, replacements)
  const given = ['replyLength: 1001', 'replyLength: 1002', 'replyLength: 1003', '--max-reply']
  copy.plant(
    journey,
    given.map(text => [text, text.replace('replyLength', 'plantedMs').replace('max-reply', 'planted')] as const),
  )
})

afterAll(() => copy.remove())

test('an option that is planted compiles for documents, agents in memory and servers', async () => {
  expect(await copy.filesThatFail()).toEqual([])
})

test('and reaches the model calls of a document, of an agent inside it, in memory, of a server and of the command', async () => {
  const tsx = ['--import', join(root, 'node_modules/tsx/dist/loader.mjs'), '--conditions=@argot/source']
  const notices = JSON.parse(await copy.run([...tsx, journey])) as Record<string, string[]>
  const planted = Object.entries(notices).map(([name, texts]) => [
    name,
    texts.flatMap(text => /planted \d+/.exec(text) ?? []),
  ])
  expect(Object.fromEntries(planted)).toEqual({
    document: ['planted 1001', 'planted 1001'],
    agent: ['planted 1002'],
    server: ['planted 1003'],
    command: ['planted 1004'],
  })
})

test('in as many source files as CONTRIBUTING.md says, and at most three', () => {
  const [, count] = /\*\*an option of a run\*\* \((\d+) files/.exec(
    readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'),
  )!
  expect(count).toBe(String(files.length))
  expect(files.length).toBeLessThanOrEqual(3)
})
