import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ask, folderStore, runDocument } from '@argot/agent'
import { isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { checkChatMd } from '@argot/core/chatmd'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const tools = [fakeTool('look', 'read', ({ a }) => `${a} seen`), fakeTool('save', 'write', ({ a }) => ({ saved: a }))]
const steps: ScriptedStep[] = [
  [
    ...text('I look at both.'),
    ...call('toolu_1', 'look', { a: 'x' }),
    ...call('toolu_2', 'look', { a: 'y' }),
    finish('tool-calls'),
  ],
  [...text('I save it.'), ...call('toolu_3', 'save', { a: 'z' }), finish('tool-calls')],
  'Saved.',
]
const yes: Ask = async () => ({ approved: true, by: 'ann', at: 1 })
const no: Ask = async () => ({ approved: false, by: 'ann', at: 1, reason: 'Not now.' })
const other: Ask = async () => ({ approved: true, by: 'ann', at: 1, input: { a: 'w' } })

/** Runs the document once more, in a folder of its own. */
async function play(payloads: 'inline' | 'external', ask: Ask): Promise<{ file: string; message: Message }> {
  const config = payloads === 'inline' ? '<config show_tool_call/>\n' : ''
  const folder = await documentFolder({
    'chat.chatmd': `${config}<tool name="look"/>\n<tool name="save"/>\n\n<user>\nGo.\n</user>\n`,
  })
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools, ask }
  const run = runDocument('chat.chatmd', { ...options, model: scriptedModel(steps), input: 'Save it.' })
  const { result } = await follow(run)
  expect(result.status).toBe('done')
  return { file: join(folder, 'chat.chatmd'), message: result.message! }
}

const ways = (['inline', 'external'] as const).flatMap(payloads =>
  Object.entries({ given: yes, denied: no, edited: other }).map(([name, ask]) => ({ payloads, name, ask })),
)

test.each(ways)(
  'two runs of a document give the same bytes (payloads $payloads, approval $name)',
  async ({ payloads, ask }) => {
    const [first, second] = [await play(payloads, ask), await play(payloads, ask)]
    expect(execFileSync('diff', [first.file, second.file], { encoding: 'utf8' })).toBe('')
  },
)

test.each(ways)(
  'what a run writes is the conversation, and its books are beside it (payloads $payloads, approval $name)',
  async ({ payloads, ask }) => {
    const { file, message } = await play(payloads, ask)
    const source = await readFile(file, 'utf8')
    expect(checkChatMd(source)).toEqual([])
    const tags = [...source.matchAll(/<(\w+)([^>]*)>/g)].map(([, name, rest]) => [
      name,
      rest!.match(/[\w-]+(?==)/g) ?? [],
    ])
    const kept = [
      'function_name',
      'tool_call_id',
      'encoding',
      'state',
      'approved',
      'approved_by',
      'approved_at',
      'approval_reason',
      'approved_input',
      'src',
      'name',
    ]
    for (const [, names] of tags) for (const name of names!) expect(kept).toContain(name)
    expect((await readMessages(file)).at(-1)).toEqual(JSON.parse(JSON.stringify(message)))
  },
)

test.each(ways)(
  'without the sidecar every call, result, step and phase is the same (payloads $payloads, approval $name)',
  async ({ payloads, ask }) => {
    const { file, message } = await play(payloads, ask)
    const said = ({ parts }: Message): unknown[] =>
      parts.map(part => {
        if (part.type === 'text') return [part.text, part.phase, part.toolCallId]
        if (!isToolPart(part)) return part.type
        const { toolCallId, toolName, state, input, output, errorText, approval }: ToolInvocation = part.toolInvocation
        return {
          toolCallId,
          toolName,
          state,
          input,
          output,
          errorText,
          approved: approval?.approved,
          reason: approval?.reason,
        }
      })
    const [with_, first] = [said(message), await readFile(file, 'utf8')]
    await rm(join(file, '../.chatmd/sidecars'), { recursive: true })
    const alone = (await readMessages(file)).at(-1)!
    // The first step of a message begins with the message.
    expect(said(alone)).toEqual(with_.slice(1))
    const model = scriptedModel(['And more.'])
    const folder = join(file, '..')
    const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools, model, input: 'More?' }
    expect((await follow(runDocument('chat.chatmd', options))).result).toMatchObject({ status: 'done' })
    expect((await readFile(file, 'utf8')).startsWith(first)).toBe(true)
  },
)

test('an element that was edited has no record, and no element ever has the record of another', async () => {
  const said = ['Yes.', 'No.', 'Yes.', 'Yes.']
  const folder = await documentFolder({ 'chat.chatmd': '<user>\nGo.\n</user>\n' })
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config') }
  const file = join(folder, 'chat.chatmd')
  for (const [index, words] of said.entries())
    await follow(
      runDocument('chat.chatmd', {
        ...options,
        id: `r${index}`,
        model: scriptedModel([words]),
        ...(index === 0 ? {} : { input: 'Sure?' }),
      }),
    )
  const source = await readFile(file, 'utf8')
  const elements = source.split(/\n(?=<[a-z])/)
  const owners = (await readMessages(file)).map(({ id }) => id)
  const edit = fc.record({
    at: fc.nat(elements.length - 1),
    how: fc.constantFrom('remove', 'change', 'double', 'up', 'down'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 3 }), async edits => {
      const marked = elements.map((element, index) => ({ element, owner: owners[index]! as string | undefined }))
      for (const { at, how } of edits) change(marked, at % Math.max(1, marked.length), how)
      await writeFile(file, marked.map(({ element }) => element).join('\n'))
      const ids = (await readMessages(file)).map(({ id }) => id)
      expect(ids).toHaveLength(marked.length)
      for (const [index, id] of ids.entries()) {
        // Elements with the same text cannot be told apart once they were moved; all others have their own record or none.
        const isTwin = marked.filter(({ element }) => element.trim() === marked[index]!.element.trim()).length > 1
        if (!id.startsWith('chatmd-') && !isTwin) expect(id).toBe(marked[index]!.owner)
      }
    }),
    { numRuns: 60 },
  )
})

function change(list: { element: string; owner: string | undefined }[], at: number, how: string): void {
  const one = list[at]
  if (one === undefined) return
  if (how === 'remove') list.splice(at, 1)
  else if (how === 'change') list[at] = { element: one.element.replace('.', ', I think.'), owner: undefined }
  else if (how === 'double') list.splice(at, 0, { ...one })
  else {
    list.splice(at, 1)
    list.splice(how === 'up' ? Math.max(0, at - 1) : at + 1, 0, one)
  }
}

test('call ids are never used again, whatever was taken out of the document', async () => {
  const { file } = await play('inline', yes)
  const source = await readFile(file, 'utf8')
  await writeFile(file, source.slice(0, source.indexOf('<assistant>')))
  const folder = join(file, '..')
  const options = {
    cwd: folder,
    env: {},
    configFolder: join(folder, 'config'),
    tools,
    store: folderStore(folder, { configFolder: join(folder, 'config'), env: {} }),
  }
  await follow(
    runDocument('chat.chatmd', {
      ...options,
      model: scriptedModel([[...call('x', 'look', { a: 'n' }), finish('tool-calls')], 'Done.']),
    }),
  )
  expect(
    [...(await readFile(file, 'utf8')).matchAll(/<tool_call [^>]*tool_call_id="(\w+)"/g)].map(([, id]) => id),
  ).toEqual(['c4'])
})
