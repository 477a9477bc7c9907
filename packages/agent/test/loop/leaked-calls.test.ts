import { createAgent, runDocument } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { parse, syntaxes, type ToolResult } from '@argot/core/syntax'
import type { CallLimit } from '@argot/core/syntax/internal'
import { describe, expect, test } from 'vitest'
import { documentFolder, follow } from '../run/document-folder.ts'
import { call, finish, scriptedModel, text } from '../scripted-model.ts'
import { fakeTool } from './fake-tools.ts'

const written = syntaxes.names().filter(name => syntaxes.get(name).kind !== 'native' && name !== 'auto')

function callIn(name: string, toolName = 'look', id = 'c1'): string {
  return syntaxes.get(name).format({ toolCallId: id, toolName, input: { a: 'x' } })
}

function tools() {
  return [fakeTool('look', 'read', () => 'seen'), fakeTool('change', 'write', () => 'changed')] as const
}

describe('a native model that writes a call into its text', () => {
  test.each(written)('is noticed, with the dialect and the cure, in %s', async name => {
    const notices: string[] = []
    const [look, change] = tools()
    const model = scriptedModel([`I look.\n\n${callIn(name)}\n`])
    const agent = createAgent({ model, tools: [look, change], env: {}, notice: one => notices.push(one) })
    expect(await agent.run('Look').result).toMatchObject({ status: 'done' })
    expect(look.inputs).toEqual([])
    expect(notices).toEqual([expect.stringMatching(/a call of look .*dialect .*--salvage/)])
  })

  test('names the dialect in which the call is written', async () => {
    const notices: string[] = []
    const model = scriptedModel([callIn('hermes')])
    await createAgent({ model, tools: tools(), env: {}, notice: one => notices.push(one) }).run('Look').result
    expect(notices).toEqual([expect.stringMatching(/the dialect hermes, .*--salvage-dialect hermes/)])
  })

  test('is noticed once, not with every step', async () => {
    const notices: string[] = []
    const leak = text(callIn('hermes'))
    const model = scriptedModel([
      [...leak, ...call('c1', 'look', {}), finish()],
      [...leak, finish()],
    ])
    await createAgent({ model, tools: tools(), env: {}, notice: one => notices.push(one) }).run('Look').result
    expect(notices).toHaveLength(1)
  })

  test.each([
    ['a call of a tool that there is not', callIn('hermes', 'missing')],
    ['words', 'You could look at it and change it.'],
  ])('is not suspected because of %s', async (_, said) => {
    const notices: string[] = []
    const model = scriptedModel([said])
    await createAgent({ model, tools: tools(), env: {}, notice: one => notices.push(one) }).run('Look').result
    expect(notices).toEqual([])
  })
})

describe('salvage', () => {
  test.each(['hermes', 'xml', 'caret'])('reads a call that leaked in %s', async name => {
    const notices: string[] = []
    const [look, change] = tools()
    const model = scriptedModel([callIn(name), 'Done.'])
    const shared = { tools: [look, change], env: {}, notice: (one: string) => notices.push(one) }
    const result = await createAgent({ model, salvage: name, ...shared }).run('Look').result
    expect(result).toMatchObject({ status: 'done', text: 'Done.' })
    expect(look.inputs).toEqual([{ a: 'x' }])
    expect(notices).toEqual([])
  })

  test.each(['hermes', 'qwen3-coder', 'mistral'])('without a name reads any dialect, such as %s', async name => {
    const [look, change] = tools()
    const model = scriptedModel([callIn(name), 'Done.'])
    await createAgent({ model, tools: [look, change], salvage: true, env: {} }).run('Look').result
    expect(look.inputs).toEqual([{ a: 'x' }])
  })

  test('says that a reply holds several calls, and runs them all where there is no limit', async () => {
    const notices: string[] = []
    const [look, change] = tools()
    const model = scriptedModel([`${callIn('hermes')}\n${callIn('hermes')}`, 'Done.'])
    const shared = { tools: [look, change], env: {}, notice: (one: string) => notices.push(one) }
    await createAgent({ model, salvage: 'hermes', ...shared }).run('Look').result
    expect(look.inputs).toHaveLength(2)
    expect(notices).toEqual([expect.stringMatching(/contains 2 calls in its text \(hermes\)/)])
  })

  test.each([
    ['its own limit in xml', 'xml', undefined],
    ['the limit that was chosen in hermes', 'hermes', 'one'],
  ] as const)('follows %s, also over several texts of one reply, and says so', async (_, name, limit) => {
    const notices: string[] = []
    const [look, change] = tools()
    const reply = [...text(callIn(name)), ...text(callIn(name, 'change', 'c2'), '1'), finish()]
    const model = scriptedModel([reply, 'Done.'])
    const shared = { tools: [look, change], approve: 'all', env: {} } as const
    const agent = createAgent({ model, salvage: name, limit, ...shared, notice: one => notices.push(one) })
    const result = await agent.run('Look').result
    expect([look.inputs.length, change.inputs.length]).toEqual([1, 0])
    expect(toolCalls(result.message!)).toHaveLength(1)
    expect(notices).toEqual([expect.stringMatching(/limit "one"/)])
  })
})

describe('the limit of calls', () => {
  const two = (name: string) => `${callIn(name)}\n${callIn(name, 'look', 'c2')}\n`
  const writers = (name: string) => `${callIn(name, 'change')}\n${callIn(name, 'look', 'c2')}\n`

  test.each([
    ['xml', undefined, 1],
    ['xml', 'one', 1],
    ['xml', 'one-writer', 2],
    ['xml', 'none', 2],
    ['caret', undefined, 1],
    ['caret', 'none', 2],
    ['hermes', undefined, 2],
    ['hermes', 'one', 1],
  ] as [string, CallLimit | undefined, number][])(
    '%s with %s: two calls that read are %i',
    async (syntax, limit, runs) => {
      const [look, change] = tools()
      const model = scriptedModel([two(syntax), 'Done.'])
      await createAgent({ model, tools: [look, change], syntax, limit, env: {} }).run('Look').result
      expect(look.inputs).toHaveLength(runs)
    },
  )

  test('one-writer lets nothing follow a call that changes something', async () => {
    const [look, change] = tools()
    const model = scriptedModel([writers('xml'), 'Done.'])
    const shared = { tools: [look, change], approve: 'all', env: {} } as const
    await createAgent({ model, syntax: 'xml', limit: 'one-writer', ...shared }).run('Look').result
    expect([look.inputs.length, change.inputs.length]).toEqual([0, 1])
  })

  test.each([
    ['the document', '<config tool_syntax="xml" limit="none"/>\n', {}, {}, 2],
    ['a settings file', '<config tool_syntax="xml"/>\n', { 'argot.config.json': '{ "limit": "one-writer" }' }, {}, 2],
    ['an option before the document', '<config tool_syntax="xml" limit="none"/>\n', {}, { limit: 'one' }, 1],
    [
      'the document before a settings file',
      '<config tool_syntax="xml" limit="one"/>\n',
      { 'argot.config.json': '{ "limit": "none" }' },
      {},
      1,
    ],
  ] as const)('can be chosen in %s', async (_, config, files, more, runs) => {
    const source = `${config}<tool name="look"/>\n<user>\nLook.\n</user>\n`
    const folder = await documentFolder({ 'chat.chatmd': source, ...files })
    const [look] = tools()
    const model = scriptedModel([two('xml'), 'Done.'])
    const shared = { cwd: folder, env: {}, configFolder: `${folder}/none`, model, tools: [look] }
    const { result } = await follow(runDocument('chat.chatmd', { ...shared, ...more }))
    expect(result.status).toBe('done')
    expect(look.inputs).toHaveLength(runs)
  })
})

describe('stop sequences', () => {
  test.each(written)('are sent for %s, so that the model cannot write the result of its own call', async name => {
    const syntax = syntaxes.get(name)
    const [look, change] = tools()
    const invented = syntax.formatResult({ ...result, output: 'invented' })
    const model = scriptedModel([
      ({ stopSequences = [] }) =>
        cutAtStop(`I look.\n\n${callIn(name)}\n${invented}\n\nIt says invented.`, stopSequences),
      'Done.',
    ])
    const run = createAgent({ model, tools: [look, change], syntax: name, env: {} }).run('Look')
    expect(await run.result).toMatchObject({ status: 'done', text: 'Done.' })
    expect(model.asked[0]!.stopSequences).toEqual(syntax.stop)
    expect(look.inputs).toEqual([{ a: 'x' }])
    expect(JSON.stringify(model.asked[1]!.prompt)).not.toContain('invented')
  })

  test.each(written)('what they cut off a reply in %s leaves its call whole', name => {
    const syntax = syntaxes.get(name)
    const whole = `${callIn(name)}\n${syntax.formatResult(result)}`
    const said = cutAtStop(whole, syntax.stop ?? [])
    expect(said).not.toBe(whole)
    const read = parse(syntax, said).filter(chunk => chunk.type === 'tool-input-available')
    expect(read).toMatchObject([{ toolName: 'look', input: { a: 'x' } }])
    expect(said).not.toContain('seen')
  })

  test('are not sent with native calls, and not without tools', async () => {
    const native = scriptedModel(['Hello.'])
    await createAgent({ model: native, tools: tools(), env: {} }).run('Hi').result
    const bare = scriptedModel(['Hello.'])
    await createAgent({ model: bare, syntax: 'xml', env: {} }).run('Hi').result
    expect([native.asked[0]!.stopSequences, bare.asked[0]!.stopSequences]).toEqual([undefined, undefined])
  })

  test('a value that holds one is cut, and the model is told why', async () => {
    const syntax = syntaxes.get('hermes')
    const said = syntax.format({ toolCallId: 'c1', toolName: 'look', input: { a: 'before <tool_response> after' } })
    const model = scriptedModel([({ stopSequences = [] }) => cutAtStop(said, stopSequences), 'Done.'])
    const agent = createAgent({ model, tools: tools(), syntax: 'hermes', env: {} })
    const { message } = await agent.run('Look').result
    expect(toolCalls(message!)).toMatchObject([{ errorText: expect.stringContaining('"<tool_response>"') }])
  })
})

const result: ToolResult = { toolCallId: 'c1', toolName: 'look', state: 'output-available', output: 'seen' }

/** What a server gives that stops there. */
function cutAtStop(said: string, stops: readonly string[]): string {
  const at = stops.map(stop => said.indexOf(stop)).filter(index => index >= 0)
  return at.length === 0 ? said : said.slice(0, Math.min(...at))
}
