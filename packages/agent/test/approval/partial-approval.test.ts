import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApprovalAnswer, type ApprovalRequest, runDocument } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { reduceInput } from '@argot/core/stream/internal'
import { expect, onTestFinished, test } from 'vitest'
import { joinParts } from '../../src/tool/foreseen-change.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'

const lines = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const input = {
  patch: [
    '*** Begin Patch',
    '*** Update File: todo.md',
    '@@',
    '-two',
    '+TWO',
    '@@',
    '-eight',
    '+EIGHT',
    '*** End Patch',
  ].join('\n'),
}
type Answer = (request: ApprovalRequest, file: string) => Promise<ApprovalAnswer | undefined>

/** Keeps the first hunk. */
function keepFirst({ input: asked, changes = [] }: ApprovalRequest): ApprovalAnswer {
  return { approved: true, input: reduceInput(asked, joinParts(changes)!, new Set([0])) }
}

async function decide(...answers: Answer[]) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-partial-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const work = join(folder, 'work')
  await mkdir(work)
  const file = join(work, 'todo.md')
  await writeFile(file, `${lines.join('\n')}\n`)
  await writeFile(join(work, 'chat.chatmd'), '<tool name="apply_patch"/>\n\n<user>\nDo it.\n</user>\n')
  const model = scriptedModel([[...call('c1', 'apply_patch', input), finish('tool-calls')], 'Done.'])
  let last: Awaited<ReturnType<typeof runDocument>['result']> | undefined
  for (const answer of answers) {
    const options = { model, env: {}, cwd: work, configFolder: join(folder, 'config') }
    last = await runDocument(join(work, 'chat.chatmd'), { ...options, ask: request => answer(request, file) }).result
  }
  return { made: toolCalls(last!.message!)[0]!, text: await readFile(file, 'utf8'), prompts: model.asked }
}

const note = [
  'The user approved 1 of the 2 changes in this call. These were left out, and were not made:',
  'todo.md, line 8:\n@@\n-eight\n+EIGHT',
].join('\n\n')

test('one of two hunks is made, and the model reads which one was left out', async () => {
  const { made, text, prompts } = await decide(async request => keepFirst(request))
  expect(text).toBe(`${lines.join('\n').replace('two', 'TWO')}\n`)
  expect(made).toMatchObject({ state: 'output-available', output: `M todo.md (+1 −1)\n\n${note}`, rawInput: input })
  expect(JSON.stringify(prompts.at(-1))).toContain(JSON.stringify(note).slice(1, -1))
})

test('an answer to a question that waited for another process does the same', async () => {
  const { made, text } = await decide(
    async () => undefined,
    async request => keepFirst(request),
  )
  expect(text).toContain('TWO\nthree\nfour\nfive\nsix\nseven\neight\n')
  expect(made.output).toContain(note)
})

test('a part is made although the file changed elsewhere, and not if another edit would come of the whole', async () => {
  const quiet = await decide(async (request, file) => {
    await writeFile(file, `zero\n${lines.join('\n')}\n`)
    return keepFirst(request)
  })
  expect(quiet.text).toBe(`zero\n${lines.join('\n').replace('two', 'TWO')}\n`)
  expect(quiet.made.output).toContain('todo.md, line 9:')
  const changed = `two\n${lines.join('\n')}\n`
  // Without the first hunk's line numbers the kept hunk fits twice now: the person saw the line after `one`.
  const moved = await decide(async (request, file) => {
    await writeFile(file, changed.replace('eight', 'acht'))
    return keepFirst(request)
  })
  expect(moved.text).toBe(changed.replace('eight', 'acht'))
  expect(moved.made.errorText).toContain('changed after')
})

test('an input with anything else than parts of the edit is an edited input: nothing is said to be left out', async () => {
  const { made, text } = await decide(async request => {
    const reduced = keepFirst(request).input as typeof input
    return { approved: true, input: { patch: reduced.patch.replace('+TWO', '+two and more') } }
  })
  expect(text).toContain('two and more\n')
  expect(made.output).toBe('M todo.md (+1 −1)')
})

test('a patch of which nothing is left is no patch: nothing is written', async () => {
  const { made, text } = await decide(async () => ({
    approved: true,
    input: { patch: '*** Begin Patch\n*** End Patch' },
  }))
  expect(text).toBe(`${lines.join('\n')}\n`)
  expect(made.state).toBe('output-error')
})
