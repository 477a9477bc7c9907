import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, filesBelow, follow, readMessages } from './document-folder.ts'

const document = `<config show_tool_call/>
<tool name="look"/>
<tool name="change"/>

<system>
Be brief.
</system>

<user>
What is in x?
</user>
`

const steps = [[...text('I look. '), ...call('c1', 'look', { a: 'x' }), finish('tool-calls')], 'It is empty.']

async function shared(folder: string) {
  return { cwd: folder, env: {}, configFolder: join(folder, '..', 'no-such-config') }
}

describe('a document', () => {
  test.each([
    ['inline', document],
    ['external', document.replace(' show_tool_call', '')],
  ])('is run, and the new messages are appended to it (%s)', async (mode, source) => {
    const folder = await documentFolder({ 'chat.chatmd': source })
    const file = join(folder, 'chat.chatmd')
    const look = fakeTool('look', 'read', ({ a }) => `${a} is empty`)
    const model = scriptedModel(steps)
    const options = {
      ...(await shared(folder)),
      model,
      tools: [look, fakeTool('change', 'write')],
      id: 'r1',
      now: () => 1e12,
    }
    const { result } = await follow(runDocument('chat.chatmd', options))
    expect(result).toMatchObject({ status: 'done', text: 'It is empty.' })
    const after = await readFile(file, 'utf8')
    expect(after.startsWith(source)).toBe(true)
    if (mode === 'inline')
      expect(after.slice(source.length)).toMatchInlineSnapshot(`
        "
        <assistant>
        I look. 
        </assistant>

        <tool_call function_name="look" tool_call_id="c1">
        RAW|
        {"a":"x"}
        |RAW
        </tool_call>

        <tool_response tool_call_id="c1">
        RAW|
        x is empty
        |RAW
        </tool_response>

        <assistant>
        It is empty.
        </assistant>
        "
      `)
    else
      expect((await filesBelow(folder)).sort()).toMatchInlineSnapshot(`
        [
          ".chatmd/.gitignore",
          ".chatmd/0.tool-call-result.c1.json",
          ".chatmd/0.tool-call.c1.json",
          ".chatmd/runs/chat.chatmd/r1.jsonl",
          ".chatmd/sidecars/chat.chatmd.jsonl",
          "chat.chatmd",
        ]
      `)
    const messages = await readMessages(file)
    expect(messages.at(-1)).toEqual(result.message)
    expect(model.asked[0]!.prompt).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ text: 'What is in x?' }] },
    ])
  })

  test('that is answered has nothing to answer; another message of the user goes on with it', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    const model = scriptedModel([...steps, 'Yes.'])
    const options = { ...(await shared(folder)), model, tools: [fakeTool('look', 'read'), fakeTool('change', 'write')] }
    await follow(runDocument('chat.chatmd', options))
    const before = await readFile(join(folder, 'chat.chatmd'), 'utf8')
    const { result, chunks } = await follow(runDocument('chat.chatmd', options))
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_NOTHING_TO_ANSWER' })
    expect(chunks.map(({ type }) => type)).toEqual(['start', 'error', 'finish'])
    expect(await readFile(join(folder, 'chat.chatmd'), 'utf8')).toBe(before)
    const again = await follow(runDocument('chat.chatmd', { ...options, input: 'Sure?' }))
    expect(again.result).toMatchObject({ status: 'done', text: 'Yes.' })
    const messages = await readMessages(join(folder, 'chat.chatmd'))
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant'])
    expect(model.asked.at(-1)!.prompt.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'Sure?' }] })
  })

  test('with errors is not run, and stays as it is', async () => {
    const folder = await documentFolder({ 'chat.chatmd': '<user>\nHello' })
    const { result } = await follow(
      runDocument('chat.chatmd', { ...(await shared(folder)), model: scriptedModel(['x']) }),
    )
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_BAD_DOCUMENT', diagnostics: [{ severity: 'error' }] })
    expect(await readFile(join(folder, 'chat.chatmd'), 'utf8')).toBe('<user>\nHello')
  })

  test('is left as it is when the model fails before it has said anything', async () => {
    const folder = await documentFolder({ 'chat.chatmd': '<user>\nHello\n</user>\n' })
    const model = scriptedModel([[{ type: 'error', error: new Error('No such model.') }]])
    const { result } = await follow(runDocument('chat.chatmd', { ...(await shared(folder)), model }))
    expect(result).toMatchObject({ status: 'failed' })
    expect(await readFile(join(folder, 'chat.chatmd'), 'utf8')).toBe('<user>\nHello\n</user>\n')
  })

  test('goes on in the same message after the limit of steps', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    const look = fakeTool('look', 'read')
    const model = scriptedModel(steps)
    const options = { ...(await shared(folder)), model, tools: [look, fakeTool('change', 'write')] }
    const first = await follow(runDocument('chat.chatmd', { ...options, maxSteps: 1 }))
    expect(first.result).toMatchObject({ status: 'failed', code: 'RUN_MAX_STEPS' })
    const second = await follow(runDocument('chat.chatmd', options))
    expect(second.result).toMatchObject({ status: 'done', text: 'It is empty.' })
    expect(look.inputs.length).toBe(1)
    const messages = await readMessages(join(folder, 'chat.chatmd'))
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant'])
    expect(messages.at(-1)!.parts.map(({ type }) => type)).toEqual(['step-start', 'text', 'tool', 'step-start', 'text'])
    expect(messages.at(-1)).toMatchObject({ status: 'sent', finishReason: 'stop' })
    expect(messages.at(-1)).not.toHaveProperty('errorText')
    const third = await follow(runDocument('chat.chatmd', options))
    expect(third.result).toMatchObject({ status: 'failed', code: 'RUN_NOTHING_TO_ANSWER' })
  })

  test('whose question was not answered is parked, and the question is asked again by the next run', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    const change = fakeTool('change', 'write')
    const model = scriptedModel([[...call('c1', 'change', { a: 'x' }), finish('tool-calls')], 'Done.'])
    const options = { ...(await shared(folder)), model, tools: [fakeTool('look', 'read'), change] }
    const parked = await follow(runDocument('chat.chatmd', { ...options, ask: async () => undefined }))
    expect(parked.result).toMatchObject({ status: 'parked' })
    expect(parked.chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' })
    const waiting = (await readMessages(join(folder, 'chat.chatmd'))).at(-1)!
    expect(toolCalls(waiting)).toMatchObject([{ toolCallId: 'c1', state: 'approval-requested' }])
    const asked: unknown[] = []
    const ask = async (request: { approvalId: string; interrupted?: boolean }) => {
      asked.push([request.approvalId, request.interrupted])
      return { approved: true, input: { a: 'edited' }, by: 'Ada', reason: 'fine' }
    }
    const { result } = await follow(runDocument('chat.chatmd', { ...options, ask }))
    expect(result).toMatchObject({ status: 'done', text: 'Done.' })
    expect(asked).toEqual([[expect.stringMatching(/^c1-[\w-]{12}$/), undefined]])
    expect(change.inputs).toEqual([{ a: 'edited' }])
    const messages = await readMessages(join(folder, 'chat.chatmd'))
    expect(toolCalls(messages.at(-1)!)).toMatchObject([
      {
        state: 'output-available',
        input: { a: 'edited' },
        rawInput: { a: 'x' },
        approval: { approved: true, by: 'Ada' },
      },
    ])
  })

  test('whose open calls the user passes over gets them settled first', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    const change = fakeTool('change', 'write')
    const model = scriptedModel([[...call('c1', 'change', { a: 'x' }), finish('tool-calls')], 'Fine.'])
    const options = { ...(await shared(folder)), model, tools: [fakeTool('look', 'read'), change] }
    await follow(runDocument('chat.chatmd', { ...options, ask: async () => undefined }))
    const { result } = await follow(runDocument('chat.chatmd', { ...options, input: 'Never mind.' }))
    expect(result).toMatchObject({ status: 'done', text: 'Fine.' })
    expect(change.inputs).toEqual([])
    const messages = await readMessages(join(folder, 'chat.chatmd'))
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant'])
    expect(toolCalls(messages[2]!)).toMatchObject([{ state: 'output-error' }])
  })

  test('whose answer broke off is answered again, without the half answer in the prompt', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    const tools = [fakeTool('look', 'read'), fakeTool('change', 'write')]
    const half = text('Half an answer').slice(0, -1)
    const model = scriptedModel([steps[0]!, half, steps[0]!, 'The whole answer.'])
    const options = { ...(await shared(folder)), model, tools }
    const broken = await follow(runDocument('chat.chatmd', options))
    expect(broken.result).toMatchObject({ status: 'failed', code: 'MODEL_STREAM_BROKEN' })
    expect(broken.result.message).toMatchObject({ metadata: { usage: { totalTokens: 20 } } })
    const again = await follow(runDocument('chat.chatmd', options))
    expect(again.result).toMatchObject({ status: 'done', text: 'The whole answer.' })
    expect(model.asked.slice(2).map(({ prompt }) => JSON.stringify(prompt).includes('Half'))).toEqual([false, false])
    const last = (await readMessages(join(folder, 'chat.chatmd'))).at(-1)!
    expect(last.parts.filter(part => part.type === 'text')).toMatchObject([
      { text: 'I look. ' },
      { text: 'Half an answer', state: 'aborted' },
      { text: 'I look. ' },
      { text: 'The whole answer.', phase: 'final' },
    ])
  })

  test('that is stopped leaves no program behind, not even one that ignores being asked to end', async () => {
    const folder = await documentFolder({
      'chat.chatmd': '<tool name="stubborn" command="node stubborn.mjs"/>\n<user>\nGo\n</user>\n',
      'stubborn.mjs': `process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)`,
    })
    const stop = new AbortController()
    const model = scriptedModel([[...call('c1', 'stubborn', { arguments: [] }), finish('tool-calls')], 'Done.'])
    const env = { PATH: process.env.PATH }
    const options = {
      ...(await shared(folder)),
      env,
      model,
      allowExec: true,
      sandbox: 'off',
      approve: 'all',
      signal: stop.signal,
    } as const
    const run = runDocument('chat.chatmd', options)
    let pid = 0
    for await (const chunk of run) {
      if (chunk.type !== 'tool-output-available' || chunk.preliminary !== true) continue
      pid = Number(/\d+/.exec(String(chunk.output))?.[0])
      stop.abort('Enough.')
    }
    expect(await run.result).toMatchObject({ status: 'stopped' })
    expect(pid).toBeGreaterThan(0)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test.each(['inline', 'external'])('stopped at any chunk is readable, and every call is settled (%s)', async mode => {
    const source = mode === 'inline' ? document : document.replace(' show_tool_call', '')
    const script = [
      [...text('I look. '), ...call('r', 'look', { a: 'x' }), ...call('w', 'change', {}), finish('tool-calls')],
      'It is empty.',
    ]
    const folder = await documentFolder({})
    let total = Number.POSITIVE_INFINITY
    for (let index = 0; index < total; index++) {
      const name = `${index}.chatmd`
      await writeFile(join(folder, name), source)
      const stop = new AbortController()
      const tools = [fakeTool('look', 'read'), fakeTool('change', 'write')]
      const options = { ...(await shared(folder)), model: scriptedModel(script), tools, approve: 'all' as const }
      const run = runDocument(name, { ...options, signal: stop.signal })
      let seen = 0
      for await (const _ of run) if (++seen === index + 1) stop.abort('Enough.')
      const result = await run.result
      total = Math.min(total, result.status === 'done' ? seen : total)
      const messages = await readMessages(join(folder, name))
      const last = messages.at(-1)!
      if (last.role === 'assistant') expect(last).toEqual(result.message)
      else expect(result.message!.parts.every(part => part.type === 'step-start')).toBe(true)
      expect(messages.flatMap(message => toolCalls(message)).every(isSettled)).toBe(true)
    }
    expect(total).toBeGreaterThan(20)
  })

  test.each(['inline', 'external'])('with --output stays as it is; the other file has it all (%s)', async mode => {
    const source = mode === 'inline' ? document : document.replace(' show_tool_call', '')
    const folder = await documentFolder({ 'chat.chatmd': source })
    const tools = [fakeTool('look', 'read'), fakeTool('change', 'write')]
    const options = { ...(await shared(folder)), tools }
    const first = { ...options, model: scriptedModel(steps) }
    await follow(runDocument('chat.chatmd', { ...first, output: 'one.chatmd' }))
    expect(await readFile(join(folder, 'chat.chatmd'), 'utf8')).toBe(source)
    expect((await readMessages(join(folder, 'one.chatmd'))).length).toBe(3)
    const second = { ...options, model: scriptedModel(['Yes.']), input: 'Sure?' }
    await follow(runDocument('one.chatmd', { ...second, output: 'sub/two.chatmd' }))
    const messages = await readMessages(join(folder, 'sub/two.chatmd'))
    expect(messages.length).toBe(5)
    expect(messages.slice(0, 3)).toEqual(await readMessages(join(folder, 'one.chatmd')))
    const before = await readFile(join(folder, 'one.chatmd'), 'utf8')
    const { result } = await follow(runDocument('chat.chatmd', { ...first, output: 'one.chatmd' }))
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_OUTPUT_EXISTS' })
    expect(await readFile(join(folder, 'one.chatmd'), 'utf8')).toBe(before)
  })

  test('that goes to another folder takes the files of its calls along, and replaces none of another document', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document.replace(' show_tool_call', ''), 'out/x.md': '' })
    const model = scriptedModel([...steps, 'Yes.', 'Again.', 'No.'])
    const options = { ...(await shared(folder)), model, tools: [fakeTool('look', 'read'), fakeTool('change', 'write')] }
    await follow(runDocument('chat.chatmd', options))
    const elsewhere = { ...options, input: 'Sure?', output: 'out/done.chatmd' }
    expect((await follow(runDocument('chat.chatmd', elsewhere))).result).toMatchObject({ status: 'done', text: 'Yes.' })
    const messages = await readMessages(join(folder, 'out/done.chatmd'))
    expect(messages.flatMap(message => toolCalls(message))).toMatchObject([{ input: { a: 'x' }, output: 'look done' }])
    const another = { ...elsewhere, output: 'out/again.chatmd' }
    expect((await follow(runDocument('chat.chatmd', another))).result).toMatchObject({ status: 'done', text: 'Again.' })
    await writeFile(join(folder, 'out/.chatmd/0.tool-call.c1.json'), '{"a":"of another"}')
    const { result } = await follow(runDocument('chat.chatmd', { ...elsewhere, output: 'out/other.chatmd' }))
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_NOT_SAVED' })
    expect((await filesBelow(folder)).includes('out/other.chatmd')).toBe(false)
  })

  test('may declare an agent as a tool, and may ask one in its text', async () => {
    const folder = await documentFolder({
      'chat.chatmd':
        '<tool name="helper" agent="helper.chatmd" local description="Helps."/>\n<user>\nHe says: <agent src="helper.chatmd" local>one</agent>\n</user>\n',
      'helper.chatmd': '<system>\nYou are the helper.\n</system>\n',
    })
    const isHelper = (prompt: readonly { role: string; content: unknown }[]) =>
      prompt.some(({ role, content }) => role === 'system' && content === 'You are the helper.')
    const model = scriptedModel([
      ({ prompt }) => {
        const last = JSON.stringify(prompt.at(-1))
        if (isHelper(prompt)) return last.includes('one') ? 'first' : 'second'
        if (last.includes('second')) return 'All done.'
        return [...call('h1', 'helper', { input: 'two' }), finish('tool-calls')]
      },
    ])
    const { result } = await follow(runDocument('chat.chatmd', { ...(await shared(folder)), model }))
    expect(result).toMatchObject({ status: 'done', text: 'All done.' })
    expect(toolCalls(result.message!)).toMatchObject([{ toolName: 'helper', output: 'second' }])
    const main = model.asked.find(({ prompt }) => !isHelper(prompt))!
    expect(JSON.stringify(main.prompt)).toContain('He says: first')
  })

  test.each([
    ['only reads', '<tool name="look"/>', undefined],
    ['has no tools', '', undefined],
    ['changes something', '<tool name="change"/>', 'exec'],
    ['runs a command', '<tool name="ls" command="ls"/>', 'exec'],
    ['has tools that it imports', '<import src="more.chatmd"/>', 'exec'],
    ['has tools that it imports, and these only read', '<import src="reads.chatmd"/>', undefined],
    ['imports text into a message', '<user>\n<import src="style.md"/>\n</user>', undefined],
    ['imports a text that asks another agent', '<user>\n<import src="asks.md"/>\n</user>', 'exec'],
    ['asks another agent', '<user>\n<agent src="more.chatmd" local>Hm</agent>\n</user>', 'exec'],
  ])('may call an agent unasked only if that one surely only reads: it %s', async (_, helper, asked) => {
    const folder = await documentFolder({
      'chat.chatmd': '<tool name="helper" agent="helper.chatmd" local/>\n<user>\nGo\n</user>\n',
      'helper.chatmd': `${helper}\n<system>\nYou are the helper.\n</system>\n`,
      'more.chatmd': '<tool name="change"/>\n',
      'reads.chatmd': '<tool name="look"/>\n',
      'style.md': 'Be brief. <doc src="reads.chatmd" local/>',
      'asks.md': '<agent src="more.chatmd" local>Hm</agent>',
    })
    const model = scriptedModel([
      ({ prompt }) => {
        if (JSON.stringify(prompt[0]).includes('You are the helper')) return 'Helped.'
        return prompt.length > 1 ? 'Done.' : [...call('h1', 'helper', { input: 'two' }), finish('tool-calls')]
      },
    ])
    const effects: string[] = []
    const ask = async ({ effect }: { effect: string }) => {
      effects.push(effect)
      return { approved: false }
    }
    const tools = [fakeTool('look', 'read'), fakeTool('change', 'write')]
    const { result } = await follow(runDocument('chat.chatmd', { ...(await shared(folder)), model, tools, ask }))
    expect(result).toMatchObject({ status: 'done', text: 'Done.' })
    expect(effects).toEqual(asked === undefined ? [] : [asked])
    expect(toolCalls(result.message!)[0]!.state).toBe(asked === undefined ? 'output-available' : 'output-denied')
  })

  test('that was changed by hand after a run is taken as it is now', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    const options = {
      ...(await shared(folder)),
      model: scriptedModel(steps),
      tools: [fakeTool('look', 'read'), fakeTool('change', 'write')],
    }
    await follow(runDocument('chat.chatmd', options))
    await writeFile(join(folder, 'chat.chatmd'), document)
    const again = await follow(runDocument('chat.chatmd', { ...options, model: scriptedModel(['Another answer.']) }))
    expect(again.result).toMatchObject({ status: 'done', text: 'Another answer.' })
    expect((await readMessages(join(folder, 'chat.chatmd'))).length).toBe(3)
  })
})
