import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { syntaxes } from '@argot/core/syntax'
import { expect, onTestFinished, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder, filesBelow, follow } from './document-folder.ts'

const document = `<config temperature="0"/>
<tool name="look"/>
<tool name="helper" agent="helper.chatmd" local description="Helps."/>

<developer>
Be brief.
</developer>

<user>
Notes: <doc src="notes.md" local/>
</user>

<assistant>
I look.
</assistant>

<tool_call tool_call_id="c1" function_name="look">
RAW|
{"a":"x"}
|RAW
</tool_call>

<tool_response tool_call_id="c1">
RAW|
It is empty.
|RAW
</tool_response>

<assistant>
Nothing there.
</assistant>

<system>
And kind.
</system>

<user>
And y? <import src="more.md"/>
</user>
`
const files = {
  'chat.chatmd': document,
  'notes.md': 'The notes.',
  'more.md': 'Look twice.',
  'helper.chatmd': '<system>\nYou help.\n</system>\n',
}

const openCall = `<user>
Hi
</user>

<tool_call tool_call_id="c1" function_name="look">
RAW|{}|RAW
</tool_call>
`

test.each(syntaxes.names())('what a preview shows is what a model is sent, in the syntax %s', async syntax => {
  const folder = await documentFolder(files)
  const model = scriptedModel(['Done.'])
  const shared = {
    cwd: folder,
    env: {},
    configFolder: join(folder, 'config'),
    syntax,
    tools: [fakeTool('look', 'read')],
  }
  const preview = await previewDocument('chat.chatmd', { ...shared, model: scriptedModel([]), input: 'One more.' })
  await follow(runDocument('chat.chatmd', { ...shared, model, input: 'One more.' }))
  const { abortSignal: _, ...sent } = model.asked[0]!
  expect(JSON.parse(JSON.stringify(preview.request))).toEqual(JSON.parse(JSON.stringify(sent)))
  const shown = preview.messages.flatMap(({ pieces }) => pieces.map(({ text }) => text)).join('\n')
  for (const said of ['Be brief.', 'The notes.', 'I look.', 'It is empty.', 'And kind.', 'Look twice.', 'One more.'])
    expect(shown).toContain(said)
})

test('each piece says the file and the line that it comes from', async () => {
  const folder = await documentFolder(files)
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [fakeTool('look', 'read')] }
  const { messages, tools } = await previewDocument('chat.chatmd', { ...shared, model: scriptedModel([]) })
  const origins = new Map(messages.flatMap(({ pieces }) => pieces.map(({ text, origin }) => [text.trim(), origin])))
  const line = (said: string): string => `chat.chatmd:${document.slice(0, document.indexOf(said)).split('\n').length}`
  expect(origins.get('Be brief.')).toBe(line('Be brief.'))
  expect(origins.get('The notes.')).toBe(`notes.md (${line('<doc')})`)
  expect(origins.get('I look.')).toBe(line('<assistant>\nI look'))
  expect(origins.get('look {"a":"x"}')).toBe(line('<tool_call'))
  expect(origins.get('look → It is empty.')).toBe(line('<tool_response'))
  expect(origins.get('Nothing there.')).toBe(line('<assistant>\nNothing'))
  expect(origins.get('Look twice.')).toBe('more.md:1')
  expect(tools.map(({ name }) => name)).toEqual(['look', 'helper'])
})

test('each piece says its line after parallel calls too, whose responses are among them', async () => {
  const call = (id: string): string =>
    `<tool_call tool_call_id="${id}" function_name="look">\n{"a":"${id}"}\n</tool_call>\n`
  const answer = (id: string): string => `<tool_response tool_call_id="${id}">\nSeen ${id}\n</tool_response>\n`
  const text = [
    '<tool name="look"/>\n<user>\nLook\n</user>\n<assistant message="m" step="0">\nFirst.\n</assistant>\n',
    call('c1').replace('>', ' message="m" step="0">'),
    answer('c1'),
    call('c2').replace('>', ' message="m">'),
    answer('c2'),
    '<assistant message="m" step="1">\nThen.\n</assistant>\n',
    call('c3').replace('>', ' message="m">'),
    answer('c3'),
    '<assistant message="m" step="2">\nLast.\n</assistant>\n<user>\nMore\n</user>\n',
  ].join('')
  const folder = await documentFolder({ 'chat.chatmd': text })
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [fakeTool('look', 'read')] }
  const { messages } = await previewDocument('chat.chatmd', { ...shared, model: scriptedModel([]) })
  const pieces = messages.flatMap(({ pieces }) => pieces).map(({ text, origin }) => [text.trim(), origin])
  const line = (said: string): string => `chat.chatmd:${text.slice(0, text.indexOf(said)).split('\n').length}`
  for (const [said, origin] of pieces) {
    const [, id, isAnswer] = /(c\d)/.exec(said!) ? [said, /(c\d)/.exec(said!)![1], said!.includes('→')] : []
    if (id !== undefined)
      expect(origin, said).toBe(line(`${isAnswer ? '<tool_response' : '<tool_call'} tool_call_id="${id}"`))
    else if (/^(?:First|Then|Last)\.$/.test(said!))
      expect(Number(origin!.split(':')[1]), said).toBe(Number(line(said!).split(':')[1]) - 1)
  }
  expect(pieces.map(([said]) => said)).toEqual(expect.arrayContaining(['First.', 'Then.', 'Last.']))
})

test('a message that is only an agent is sent: its answer is shown where it is known, and nobody is asked', async () => {
  const talk = '<user>\n<agent src="helper.chatmd" local>one</agent>\n</user>\n'
  const folder = await documentFolder({ ...files, 'chat.chatmd': talk })
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config') }
  const model = scriptedModel([({ prompt }) => (JSON.stringify(prompt).includes('You help') ? 'Help.' : 'Done.')])
  const before = await previewDocument('chat.chatmd', { ...shared, model: scriptedModel([]) })
  expect(before.messages).toMatchObject([
    { role: 'user', sent: true, pieces: [{ text: expect.stringContaining('helper.chatmd') }] },
  ])
  expect(before.start?.join()).toContain('asked first')
  expect(await filesBelow(folder)).not.toContain('.chatmd/cache')
  await follow(runDocument('chat.chatmd', { ...shared, model }))
  await writeFile(join(folder, 'chat.chatmd'), talk)
  const after = await previewDocument('chat.chatmd', { ...shared, model: scriptedModel([]) })
  expect(after.messages).toMatchObject([{ pieces: [{ text: 'Help.' }] }])
})

test('a preview says what changed since it was sent, and shows what was', async () => {
  const folder = await documentFolder({ ...files, 'chat.chatmd': '<user>\n<doc src="notes.md" local/>\n</user>\n' })
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config') }
  await follow(runDocument('chat.chatmd', { ...shared, model: scriptedModel(['Done.']) }))
  await writeFile(join(folder, 'notes.md'), 'Other notes.')
  const before = await readFile(join(folder, 'chat.chatmd'), 'utf8')
  const { notices, messages } = await previewDocument('chat.chatmd', {
    ...shared,
    model: scriptedModel([]),
    input: 'And?',
  })
  expect(notices.join('\n')).toMatch(/`notes\.md` changed after it was sent.*--refresh/)
  expect(messages[0]!.pieces[0]!.text).toBe('The notes.')
  expect(await readFile(join(folder, 'chat.chatmd'), 'utf8')).toBe(before)
})

test('a call that waits for its turn is shown as it would be sent', async () => {
  const folder = await documentFolder({ ...files, 'chat.chatmd': '<tool name="look"/>\n<user>\nGo\n</user>\n' })
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [fakeTool('look', 'exec')] }
  const model = scriptedModel([[...call('c1', 'look', {}), finish('tool-calls')]])
  await follow(runDocument('chat.chatmd', { ...shared, model, ask: async () => undefined }))
  const { messages } = await previewDocument('chat.chatmd', { ...shared, model: scriptedModel([]) })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
})

test('a dry run says about how many tokens each piece has, and what they cost where the price is known', async () => {
  const folder = await documentFolder({
    ...files,
    'argot.config.json': '{"prices":{"test":{"input":1000000,"output":1}}}',
  })
  const shared = { cwd: folder, configFolder: join(folder, 'config'), env: {}, model: scriptedModel(['No.']) }
  const tools = [fakeTool('look', 'read')]
  const { messages, tokens = 0, cost, toolTokens = 0 } = await previewDocument('chat.chatmd', { ...shared, tools })
  const pieces = messages.flatMap(one => one.pieces)
  expect(pieces.find(({ text }) => text === 'The notes.')).toMatchObject({ tokens: 3, cost: 3 })
  const sum = pieces.reduce((all, one) => all + one.tokens!, toolTokens)
  expect([tokens, cost]).toEqual([sum, sum])
  expect(toolTokens).toBeGreaterThan(20)
  await writeFile(join(folder, 'argot.config.json'), '{}')
  expect(await previewDocument('chat.chatmd', { ...shared, tools })).not.toHaveProperty('cost')
})

test('an image is not counted as text, and one that the run would fetch is fetched, or said to be missing', async () => {
  const image = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
    'base64',
  )
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/a.png' ? 200 : 404, { 'content-type': 'image/png' }).end(image)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const at = `http://127.0.0.1:${port}`
  const source = `<user>\nSee <img src="${at}/a.png"/> and <img src="${at}/b.png"/>.\n</user>\n`
  const folder = await documentFolder({ 'chat.chatmd': source })
  const model = scriptedModel(['No.'])
  const options = { cwd: folder, configFolder: join(folder, 'config'), env: {}, model, allowPrivateAddresses: true }
  const { request, tokens, files: sent, notices } = await previewDocument('chat.chatmd', options)
  const [{ content }] = request!.prompt as [{ content: { type: string; data?: Uint8Array; mediaType?: string }[] }]
  expect(content.map(({ type }) => type)).toEqual(['text', 'file', 'text', 'file', 'text'])
  expect([Buffer.from(content[1]!.data!).equals(image), content[1]!.mediaType]).toEqual([true, 'image/png'])
  expect(sent).toBe(2)
  expect(tokens).toBeLessThan(10)
  expect(notices).toEqual([expect.stringMatching(/b\.png.*The run would fail there\.$/s)])
})

test.each([
  ['has no message', '<config temperature="0"/>\n', undefined, /Nothing to do: the document has no message/],
  [
    'is answered',
    '<user>\nHi\n</user>\n<assistant>\nHo\n</assistant>\n',
    undefined,
    /the last message has already been answered/,
  ],
  ['has an open call', openCall, undefined, /^Calls without a result are settled first/],
  ['has an open call that the input ends', openCall, 'Never mind.', /^Calls without a result end first/],
  ['is answered, with an input', '<user>\nHi\n</user>\n<assistant>\nHo\n</assistant>\n', 'And?', undefined],
])('a preview says what a run does first with a document that %s', async (_, text, input, said) => {
  const folder = await documentFolder({ 'chat.chatmd': text })
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), model: scriptedModel([]) }
  const { notices, start } = await previewDocument('chat.chatmd', { ...shared, input })
  expect([notices, start]).toEqual([[], said && [expect.stringMatching(said)]])
})

test.each([
  ['the document', '<config model="openai:gpt-4o"/>', {}, /OPENAI_API_KEY/],
  ['the variable', '', { ARGOT_MODEL: 'openai:gpt-4o' }, /OPENAI_API_KEY/],
  ['a document that names nobody', '<config model="nobody:x"/>', {}, /nobody/],
])('a model of %s that cannot be used is named all the same, with what it needs', async (_, config, env, needs) => {
  const folder = await documentFolder({ 'a.chatmd': `${config}\n<user>\nHello.\n</user>\n` })
  const options = { cwd: folder, env, configFolder: join(folder, '.config') }
  const preview = await previewDocument(join(folder, 'a.chatmd'), options)
  expect(preview.model).toBe(config.includes('nobody') ? 'nobody:x' : 'openai:gpt-4o')
  expect(preview.notices.join('\n')).toMatch(needs)
  expect(JSON.stringify(preview.request)).toContain('Hello.')
  // A run has no model that is only named.
  const { status } = await runDocument(join(folder, 'a.chatmd'), options).result
  expect(status).toBe('failed')
})
