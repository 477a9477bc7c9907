import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { previewDocument, runDocument } from '@argot/agent'
import { syntaxes } from 'argot/syntax'
import { expect, test } from 'vitest'
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

test.each(syntaxes.names())('what a preview shows is what a model is sent, in the syntax %s', async toolSyntax => {
  const folder = await documentFolder(files)
  const model = scriptedModel(['Done.'])
  const shared = {
    cwd: folder,
    env: {},
    configFolder: join(folder, 'config'),
    toolSyntax,
    tools: [fakeTool('look', 'read')],
  }
  const preview = await previewDocument('chat.chatmd', { ...shared, model: scriptedModel([]), input: 'One more.' })
  await follow(runDocument('chat.chatmd', { ...shared, model, input: 'One more.' }))
  const { prompt, tools, temperature } = model.asked[0]!
  expect(JSON.parse(JSON.stringify(preview.request))).toEqual(
    JSON.parse(JSON.stringify({ prompt, tools, temperature })),
  )
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

test('a message that is only an agent is sent: its answer is shown where it is known, and nobody is asked', async () => {
  const talk = '<user>\n<agent src="helper.chatmd" local>one</agent>\n</user>\n'
  const folder = await documentFolder({ ...files, 'chat.chatmd': talk })
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config') }
  const model = scriptedModel([({ prompt }) => (JSON.stringify(prompt).includes('You help') ? 'Help.' : 'Done.')])
  const before = await previewDocument('chat.chatmd', { ...shared, model: scriptedModel([]) })
  expect(before.messages).toMatchObject([
    { role: 'user', sent: true, pieces: [{ text: expect.stringContaining('helper.chatmd') }] },
  ])
  expect(before.notices.join()).toContain('asked first')
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
  expect(notices.join('\n')).toMatch(/`notes\.md` has changed since it was sent.*--refresh/)
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
