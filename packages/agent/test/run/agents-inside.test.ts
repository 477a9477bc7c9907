import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { type Chunk, toolCalls } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const files = {
  'chat.chatmd': '<tool name="helper" agent="helper.chatmd" local/>\n\n<user>\nGo.\n</user>\n',
  'helper.chatmd': '<tool name="change"/>\n<tool name="deeper" agent="deeper.chatmd" local/>\n',
  'deeper.chatmd': '<tool name="change"/>\n',
}
const askHelper: ScriptedStep = [...call('outer', 'helper', { input: 'Help.' }), finish('tool-calls')]
const askDeeper: ScriptedStep = [...call('middle', 'deeper', { input: 'Dig.' }), finish('tool-calls')]
const change: ScriptedStep = [...text('I change it. '), ...call('c1', 'change', { a: 'x' }), finish('tool-calls')]

async function run(steps: readonly ScriptedStep[], options: RunOptions = {}, onChunk?: (chunk: Chunk) => void) {
  const folder = await documentFolder(files)
  const model = scriptedModel(steps)
  const tools = [fakeTool('change', 'write', () => 'changed')]
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), model, tools }
  const running = runDocument('chat.chatmd', { ...shared, ...options })
  if (onChunk === undefined) return { ...(await follow(running)), model, folder }
  const chunks: Chunk[] = []
  for await (const chunk of running) {
    chunks.push(chunk)
    onChunk(chunk)
  }
  return { chunks, result: await running.result, model, folder, running }
}

/** The chunks inside calls, with the calls that they are in. */
function inside(chunks: readonly Chunk[]): { way: string; chunk: Chunk }[] {
  return chunks.flatMap(chunk => {
    if (chunk.type !== 'data-argot-sub' || !('data' in chunk)) return []
    const { toolCallId, chunk: inner } = chunk.data as { toolCallId: string; chunk: Chunk }
    return [
      { way: toolCallId, chunk: inner },
      ...inside([inner]).map(one => ({ ...one, way: `${toolCallId}/${one.way}` })),
    ]
  })
}

test('what an agent inside a call says and does is seen live, at every depth', async () => {
  const { chunks, result } = await run([askHelper, askDeeper, change, 'Dug.', 'Helped.', 'Done.'], { approve: 'all' })
  expect(result).toMatchObject({ status: 'done', text: 'Done.' })
  const seen = inside(chunks).map(({ way, chunk }) => `${way} ${chunk.type}`)
  expect(seen).toContain('c1 tool-input-available')
  expect(seen).toContain('c1/c1 text-delta')
  expect(seen).toContain('c1/c1 tool-output-available')
  const kinds = chunks.map(chunk => chunk.type)
  expect(kinds.indexOf('data-argot-sub')).toBeGreaterThan(kinds.indexOf('tool-input-available'))
  expect(kinds.lastIndexOf('data-argot-sub')).toBeLessThan(kinds.lastIndexOf('tool-output-available'))
})

test('the tokens of agents count for the run around them, and its budget ends it', async () => {
  const steps = [askHelper, askDeeper, change, 'Dug.', 'Helped.', 'Done.']
  const { chunks } = await run(steps, { approve: 'all' })
  const last = chunks.findLast(chunk => chunk.type === 'finish')
  // Six steps of twenty tokens.
  expect(last).toMatchObject({ messageMetadata: { usage: { totalTokens: 120 } } })
  const { result, model } = await run(steps, { approve: 'all', tokenBudget: 60 })
  expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_TOKENS' })
  expect(model.asked.length).toBeLessThanOrEqual(4)
})

test('a question of an agent is asked at the top, with the names of the agents', async () => {
  const asked: unknown[] = []
  const { result } = await run([askHelper, askDeeper, change, 'Dug.', 'Helped.', 'Done.'], {
    approve: { default: 'ask', helper: 'all', deeper: 'all' },
    ask: async ({ toolName, agents }) => {
      asked.push([toolName, agents])
      return { approved: true }
    },
  })
  expect(result.status).toBe('done')
  expect(asked).toEqual([['change', ['helper', 'deeper']]])
})

test('a question of an agent can be answered from outside by the way to it', async () => {
  const folder = await documentFolder(files)
  const model = scriptedModel([askHelper, askDeeper, change, 'Dug.', 'Helped.', 'Done.'])
  const changed: unknown[] = []
  const tools = [fakeTool('change', 'write', input => changed.push(input))]
  const running = runDocument('chat.chatmd', {
    ...{ cwd: folder, env: {}, configFolder: join(folder, 'config'), model, tools },
    approve: { default: 'ask', helper: 'all', deeper: 'all' },
    ask: 'wait',
  })
  const answered: string[] = []
  for await (const chunk of running) {
    for (const { chunk: inner } of inside([chunk])) {
      if (inner.type !== 'tool-approval-request' || !inner.approvalId?.startsWith('c1/c1/')) continue
      expect(running.answer('c1/nobody/c1', { approved: true })).toBe(false)
      expect(running.answer(inner.approvalId, { approved: true })).toBe(true)
      answered.push(inner.approvalId)
    }
  }
  expect(answered).toEqual([expect.stringMatching(/^c1\/c1\/c1-[\w-]{12}$/)])
  expect(changed).toHaveLength(1)
  expect((await running.result).status).toBe('done')
})

test('a stop goes through all levels, and every call is settled', async () => {
  const stop = new AbortController()
  const { result } = await run(
    [askHelper, askDeeper, change, 'Never said.'],
    { approve: 'all', signal: stop.signal },
    chunk => {
      if (inside([chunk]).some(({ way, chunk: inner }) => way === 'c1/c1' && inner.type === 'tool-input-start')) {
        stop.abort()
      }
    },
  )
  expect(result.status).toBe('stopped')
  expect(toolCalls(result.message!).every(isSettled)).toBe(true)
})

test('a stop reaches a tool that runs at the innermost level, and its document is whole', async () => {
  const folder = await documentFolder(files)
  const stop = new AbortController()
  const ended: unknown[] = []
  const hanging = fakeTool('change', 'write', (_, { signal }) => {
    // Whoever stops the run stops it while the tool works.
    setImmediate(() => stop.abort(new Error('Enough.')))
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended.push(signal.aborted)
        reject(signal.reason)
      })
    })
  })
  const model = scriptedModel([askHelper, askDeeper, change, 'Never said.'])
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), model, tools: [hanging] }
  const { result } = await follow(runDocument('chat.chatmd', { ...shared, approve: 'all', signal: stop.signal }))
  expect(result.status).toBe('stopped')
  expect(ended).toEqual([true])
  expect(model.asked).toHaveLength(3)
  const [written] = toolCalls((await readMessages(join(folder, 'chat.chatmd'))).at(-1)!)
  expect(isSettled(written!)).toBe(true)
})

test('the log has what agents said inside calls, and the document only what they answered', async () => {
  const { folder } = await run([askHelper, askDeeper, change, 'Dug.', 'Helped.', 'Done.'], { approve: 'all' })
  const logs = join(folder, '.chatmd/runs/chat.chatmd')
  const [name] = await readdir(logs)
  const log = await readFile(join(logs, name!), 'utf8')
  expect(log).toContain('"data-argot-sub"')
  expect(log).toContain('I change it.'.split(' ')[1])
  const document = await readFile(join(folder, 'chat.chatmd'), 'utf8')
  expect(document).not.toContain('argot-sub')
  expect(document).not.toContain('I change it.')
  const [call] = toolCalls((await readMessages(join(folder, 'chat.chatmd'))).at(-1)!)
  expect(call!.output).toBe('Helped.')
})

describe('an agent as a tool', () => {
  const declare = (name: string): string => `<tool name="next" agent="${name}" local/>\n\n<system>\nGo on.\n</system>\n`

  async function failures(documents: Record<string, string>): Promise<{ errors: string[]; asked: number }> {
    const folder = await documentFolder({ ...documents, 'chat.chatmd': `${declare('0.chatmd')}<user>\nGo.\n</user>\n` })
    // Calls the next agent until that is refused.
    const model = scriptedModel([
      ({ prompt }) => {
        const told = prompt.find(({ role }) => role === 'tool')
        if (told === undefined) return [...call('c', 'next', { input: 'Deeper.' }), finish('tool-calls')]
        return 'I was told.'
      },
    ])
    const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), model }
    const { chunks } = await follow(runDocument('chat.chatmd', { ...shared, approve: 'all' }))
    const errors = [...inside(chunks).map(one => one.chunk), ...chunks].flatMap(chunk =>
      chunk.type === 'tool-output-error' ? [chunk.errorText] : [],
    )
    return { errors, asked: model.asked.length }
  }

  test('that leads back to itself is refused with the chain, and the model is told', async () => {
    const { errors, asked } = await failures({ '0.chatmd': declare('1.chatmd'), '1.chatmd': declare('0.chatmd') })
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/leads back to itself: .*chat\.chatmd → .*0\.chatmd → .*1\.chatmd → .*0\.chatmd/)
    // Three documents, each asked twice.
    expect(asked).toBe(6)
  })

  test('that runs agents more than eight deep is refused', async () => {
    const chain = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}.chatmd`, declare(`${i + 1}.chatmd`)]))
    const { errors, asked } = await failures({ ...chain, '12.chatmd': '<system>End.</system>' })
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain('nested more than 8 deep')
    expect(asked).toBe(2 * 9)
  })
})

test('an agent is described by its tag, else by its document, else by its name', async () => {
  const config = '<config description="Knows the garden."/>\n'
  const folder = await documentFolder({
    'chat.chatmd': `<tool name="a" agent="described.chatmd" local/>
<tool name="b" agent="described.chatmd" local description="Knows more."/>
<tool name="c" agent="plain.chatmd" local/>

<user>
Go.
</user>
`,
    'described.chatmd': config,
    'plain.chatmd': '<system>\nHelp.\n</system>\n',
  })
  const model = scriptedModel(['Done.'])
  await follow(runDocument('chat.chatmd', { cwd: folder, env: {}, configFolder: join(folder, 'config'), model }))
  const descriptions = model.asked[0]!.tools?.map(tool => ('description' in tool ? tool.description : undefined))
  expect(descriptions).toEqual(['Knows the garden.', 'Knows more.', 'Gives a task to the agent plain.chatmd.'])
})

test('runs of other processes count as agents around a run', async () => {
  const steps = [askHelper, askDeeper, 'Dug.', 'Helped.', 'Done.']
  const near = await run(steps, { approve: 'all', depth: 6 })
  expect(near.result).toMatchObject({ status: 'done', text: 'Done.' })
  const far = await run([askHelper, askDeeper, 'Helped.', 'Done.'], { approve: 'all', depth: 7 })
  expect(far.result).toMatchObject({ status: 'done', text: 'Done.' })
  expect(JSON.stringify(far.model.asked)).toContain('nested more than 8 deep: another run')
})
