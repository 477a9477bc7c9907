import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAgent, runDocument } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const source = '<user>\nTell me.\n</user>\n'

/** Runs a document once for each model, and gives what came of it. */
async function runAll(...models: (readonly ScriptedStep[])[]) {
  const folder = await documentFolder({ 'chat.chatmd': source })
  const results = []
  for (const steps of models) {
    const model = scriptedModel(steps)
    const notices: string[] = []
    const options = { cwd: folder, env: {}, configFolder: join(folder, 'no-config'), model }
    const { result, chunks } = await follow(
      runDocument('chat.chatmd', { ...options, notice: notice => notices.push(notice) }),
    )
    results.push({ result, chunks, notices, asked: model.asked })
  }
  return { results, file: join(folder, 'chat.chatmd') }
}

describe('an answer that reached the token limit', () => {
  test('is said so, and the next run asks for its rest', async () => {
    const { results, file } = await runAll([[...text('One, two, '), finish('length')]], ['three.'])
    const [first, second] = results
    expect(first!.result).toMatchObject({
      status: 'failed',
      code: 'MODEL_REPLY_CUT',
      finishReason: 'length',
      text: 'One, two, ',
      steps: 1,
      usage: { inputTokens: 10, outputTokens: 10, totalTokens: 20 },
    })
    expect(first!.chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'length' })
    expect(first!.notices).toEqual([expect.stringMatching(/reached the token limit.*Run it again/)])
    expect(second!.result).toMatchObject({ status: 'done', finishReason: 'stop', text: 'One, two, three.' })
    expect(second!.asked[0]!.prompt).toMatchObject([
      { role: 'user', content: [{ text: 'Tell me.' }] },
      { role: 'assistant', content: [{ text: 'One, two, ' }] },
      { role: 'user', content: [{ text: expect.stringContaining('Continue exactly where it ends') }] },
    ])
    const messages = await readMessages(file)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(messages[1]).toMatchObject({ status: 'sent', finishReason: 'stop' })
  })

  test('is continued as often as it takes, and a later question sees all of it', async () => {
    const cut = (said: string): ScriptedStep => [...text(said), finish('length')]
    const { results, file } = await runAll([cut('a ')], [cut('b ')], ['c'])
    expect(results.map(({ result }) => [result.status, result.text])).toEqual([
      ['failed', 'a '],
      ['failed', 'a b '],
      ['done', 'a b c'],
    ])
    const model = scriptedModel(['Well.'])
    await follow(runDocument(file, { env: {}, configFolder: join(file, '..', 'none'), model, input: 'And?' }))
    const roles = model.asked[0]!.prompt.map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user'])
  })

  test('is continued from messages in memory, too', async () => {
    const model = scriptedModel([[...text('One, '), finish('length')], 'two.'])
    const agent = createAgent({ model, env: {} })
    const first = await agent.run('Count.').result
    const asked = { id: 'u', role: 'user', status: 'sent', parts: [] } as const
    const second = await agent.run([asked, first.message!]).result
    expect(second).toMatchObject({ status: 'done', text: 'One, two.' })
  })
})

test('an answer that was filtered is said so, and made again without what was filtered', async () => {
  const { results, file } = await runAll([[...text('Something b'), finish('content-filter')]], ['Something else.'])
  expect(results[0]!.result).toMatchObject({
    status: 'failed',
    code: 'MODEL_REPLY_FILTERED',
    finishReason: 'content-filter',
    text: 'Something b',
  })
  expect(results[0]!.notices).toEqual([expect.stringContaining('content filter')])
  expect(results[1]!.asked[0]!.prompt).toMatchObject([{ role: 'user' }])
  expect(results[1]!.result).toMatchObject({ status: 'done' })
  expect((await readMessages(file)).at(-1)).toMatchObject({ finishReason: 'stop' })
})

describe('an answer that is empty', () => {
  test.each([
    ['nothing', [finish()]],
    ['blanks', [...text(' \n'), finish()]],
    [
      'thoughts only',
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
        { type: 'reasoning-end', id: 'r' },
        finish(),
      ],
    ],
    ['nothing before the limit', [finish('length')]],
  ] as const)('%s: is said so, and the next run asks again', async (_, step) => {
    const { results, file } = await runAll([step], ['An answer.'])
    const [first, second] = results
    expect(first!.result).toMatchObject({ status: 'failed', code: expect.stringMatching(/MODEL_REPLY_(EMPTY|CUT)/) })
    expect(first!.notices).toHaveLength(1)
    expect(second!.asked[0]!.prompt.filter(({ role }) => role !== 'assistant')).toMatchObject([{ role: 'user' }])
    expect(second!.result.status).toBe('done')
    expect(second!.result.text.trim()).toBe('An answer.')
    expect((await readMessages(file)).map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('leaves nothing in the document', async () => {
    const { file } = await runAll([[finish()]])
    expect(await readFile(file, 'utf8')).toBe(source)
  })

  test('after calls is one as well, and the next run asks for the answer only', async () => {
    const look = fakeTool('look', 'read', () => 'seen')
    const model = scriptedModel([[...call('c1', 'look', {}), finish('tool-calls')], [finish()], 'It is there.'])
    const agent = createAgent({ model, tools: [look], env: {} })
    const first = await agent.run('Look.').result
    expect(first).toMatchObject({ status: 'failed', code: 'MODEL_REPLY_EMPTY', finishReason: 'stop' })
    const second = await agent.run([first.message!]).result
    expect(second).toMatchObject({ status: 'done', text: 'It is there.' })
    expect(look.inputs).toHaveLength(1)
  })

  test('is none when a file was given', async () => {
    const model = scriptedModel([[{ type: 'file', mediaType: 'image/png', data: 'AAAA' }, finish()]])
    expect(await createAgent({ model, env: {} }).run('Draw.').result).toMatchObject({ status: 'done' })
  })
})

describe('a call that the token limit cut', () => {
  const inputSchema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a', 'b'],
  } as const
  const write = () => fakeTool('write', 'write', () => 'written', { inputSchema })
  const input = { a: 'first\nlines', b: 'second\nlines, and more of them' }

  test.each(syntaxes.names().filter(name => name !== 'native'))(
    'is told of the limit in %s, wherever it was cut, and not how calls are written',
    async name => {
      const syntax = syntaxes.get(name)
      const stride = Math.round(1 / share)
      const tool = write()
      const whole = syntax.format({ toolCallId: 'c1', toolName: 'write', input }, tool)
      const first = whole.indexOf('first') + 2
      // By default one cut in five, other ones for each syntax.
      for (let cut = first + (name.length % stride); cut < whole.length - 1; cut += stride) {
        const model = scriptedModel([[...text(whole.slice(0, cut)), finish('length')], 'Well.'])
        const result = await createAgent({ model, tools: [tool], syntax: name, approve: 'all', env: {} }).run('Go')
          .result
        const [made] = toolCalls(result.message!)
        expect([cut, made?.errorText]).toEqual([cut, expect.stringContaining('reached the token limit')])
        expect(made?.errorText).not.toContain('like this')
        expect(JSON.stringify(model.asked[1]!.prompt)).toContain('reached the token limit')
      }
      expect(tool.inputs).toEqual([])
    },
  )

  test.each([
    [
      'arguments that stop in the middle',
      [
        { type: 'tool-input-start', id: 'c1', toolName: 'write' },
        { type: 'tool-input-delta', id: 'c1', delta: '{"a":"fir' },
      ],
    ],
    ['arguments that are no JSON', [{ type: 'tool-call', toolCallId: 'c1', toolName: 'write', input: '{"a":"fir' }]],
  ] as const)('is told of the limit in native, with %s', async (_, parts) => {
    const model = scriptedModel([[...parts, finish('length')], 'Well.'])
    const result = await createAgent({ model, tools: [write()], approve: 'all', env: {} }).run('Go').result
    expect(toolCalls(result.message!)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('reached the token limit') },
    ])
    expect(JSON.stringify(model.asked[1]!.prompt)).toContain('reached the token limit')
  })

  test('arguments that are no JSON without a limit are told to be not JSON', async () => {
    const bad = { type: 'tool-call', toolCallId: 'c1', toolName: 'write', input: '{"a":"fir' } as const
    const model = scriptedModel([[bad, ...text('So.'), finish('tool-calls')], 'Well.'])
    const result = await createAgent({ model, tools: [write()], approve: 'all', env: {} }).run('Go').result
    expect(toolCalls(result.message!)).toMatchObject([{ errorText: expect.stringContaining('not valid JSON') }])
  })

  test.each(['native', 'xml', 'hermes'])(
    'again and again ends the run in %s, long before its last step',
    async name => {
      const syntax = syntaxes.get(name)
      const whole = syntax.format({ toolCallId: 'c1', toolName: 'write', input })
      const parts =
        name === 'native'
          ? [{ type: 'tool-input-start', id: 'c1', toolName: 'write' } as const]
          : text(whole.slice(0, -12))
      const model = scriptedModel([[...parts, finish('length')]])
      const notices: string[] = []
      const agent = createAgent({ model, tools: [write()], syntax: name, env: {}, notice: one => notices.push(one) })
      const result = await agent.run('Go').result
      expect(result).toMatchObject({ status: 'failed', code: 'MODEL_REPLY_CUT', finishReason: 'length', steps: 3 })
      expect(notices).toEqual([expect.stringMatching(/3 times in a row.*max_tokens/)])
    },
  )

  test('does not end a run that comes on in between', async () => {
    const look = fakeTool('look', 'read', () => 'seen')
    const cut: ScriptedStep = [{ type: 'tool-input-start', id: 'c', toolName: 'look' }, finish('length')]
    const good: ScriptedStep = [...call('c', 'look', {}), finish('tool-calls')]
    const model = scriptedModel([cut, cut, good, cut, cut, 'Done.'])
    const result = await createAgent({ model, tools: [look], env: {} }).run('Go').result
    expect(result).toMatchObject({ status: 'done', steps: 6, finishReason: 'stop' })
  })
})
