import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { parseChatMd } from '@argot/core/chatmd'
import { describe, expect, test } from 'vitest'
import { call, finish, type ScriptedStep, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

const document =
  '<config params="topic, lang=en"/>\n\n<system>\nAnswer in {{lang}}.\n</system>\n\n<user>\nAbout {{topic}}.\n</user>\n'

function settings(folder: string): RunOptions {
  return { cwd: folder, env: {}, configFolder: join(folder, '..', 'config') }
}

/** Runs the document, and gives what the model was sent, or why it was not asked. */
async function sent(folder: string, options: RunOptions = {}, steps: ScriptedStep[] = ['Answer.']): Promise<string> {
  const model = scriptedModel(steps)
  const { result } = await follow(runDocument('chat.chatmd', { ...settings(folder), model, ...options }))
  if (result.status === 'failed' && model.asked.length === 0) return `${result.code}: ${result.error}`
  return JSON.stringify(model.asked.at(-1)?.prompt ?? 'nothing')
}

describe('the parameters of a run', () => {
  test('are given by the program, the default counts for others, and the document keeps its places', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    const prompt = await sent(folder, { params: { topic: 'tea' } })
    expect(prompt).toContain('Answer in en.')
    expect(prompt).toContain('About tea.')
    expect(await readFile(join(folder, 'chat.chatmd'), 'utf8')).toContain('About {{topic}}.')
  })

  test('are given to a document in memory, too', async () => {
    const model = scriptedModel(['Answer.'])
    const run = runDocument(parseChatMd(document).document, { model, env: {}, params: { topic: 'tea', lang: 'de' } })
    expect((await follow(run)).result.status).toBe('done')
    expect(JSON.stringify(model.asked[0]?.prompt)).toContain('About tea.')
  })

  test('are missing: the run fails with a code before the model is asked, and names all of them', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document.replace('lang=en', 'lang') })
    const failure = await sent(folder)
    expect(failure).toMatch(/^RUN_MISSING_PARAM: .*`topic`, `lang`.*-p topic=… -p lang=…$/)
    await expect(previewDocument('chat.chatmd', settings(folder))).rejects.toMatchObject({ code: 'RUN_MISSING_PARAM' })
  })

  test('that the document does not declare are an error with the name that is meant', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document, 'none.chatmd': '<user>Hi.</user>' })
    expect(await sent(folder, { params: { topik: 'tea' } })).toMatch(/^RUN_UNKNOWN_PARAM: .*Did you mean `topic`\?$/)
    expect(await sent(folder, { params: { zzz: 'tea' } })).toMatch(/^RUN_UNKNOWN_PARAM: .*It has: `topic`, `lang`\.$/)
    const { result } = await follow(runDocument('none.chatmd', { ...settings(folder), params: { a: 'b' } }))
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_UNKNOWN_PARAM' })
    expect(await sent(folder, { params: JSON.parse('{"__proto__": "x", "topic": "y"}') })).toMatch(/^RUN_UNKNOWN_PARAM/)
    const odd = { topic: 7 } as unknown as Record<string, string>
    expect(await sent(folder, { params: odd })).toMatch(/^RUN_MISSING_PARAM: .*not a string/)
  })

  test('that are missing are asked for, each once, although the document is read several times', async () => {
    const files = {
      'chat.chatmd': document.replace('.\n</user>', '. <agent src="a.chatmd" local>{{topic}}</agent></user>'),
    }
    const folder = await documentFolder({ ...files, 'a.chatmd': '<system>Agent.</system>' })
    const asked: string[] = []
    const askParam = async (name: string) => {
      asked.push(name)
      return 'tea'
    }
    expect(await sent(folder, { askParam })).toContain('About tea')
    expect(asked).toEqual(['topic'])
  })

  test('that nobody says fail the run', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    expect(await sent(folder, { askParam: async () => undefined })).toMatch(/^RUN_MISSING_PARAM/)
  })
})

describe('the values that were sent', () => {
  test('are those of every later run, also of one that is refreshed, until another is given', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    await sent(folder, { params: { topic: 'tea', lang: 'de' } })
    const again = await sent(folder, { input: 'And?' })
    expect(again).toContain('About tea.')
    expect(again).toContain('Answer in de.')
    expect(await sent(folder, { input: 'And?', refresh: true })).toContain('About tea.')
    const other = await sent(folder, { input: 'And?', refresh: true, params: { topic: 'coffee' } })
    expect(other).toContain('About coffee.')
    expect(other).toContain('Answer in de.')
  })

  test('stay in answered turns when a new turn is given others, and the dry run says so', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    await sent(folder, { params: { topic: 'tea' } })
    const file = join(folder, 'chat.chatmd')
    await writeFile(file, `${await readFile(file, 'utf8')}\n<user>\nAnd {{topic}} in {{lang}}?\n</user>\n`)
    const params = { topic: 'coffee' }
    const { notices } = await previewDocument('chat.chatmd', { ...settings(folder), model: 'demo', params })
    expect(notices.join('\n')).toContain('`topic` changed after it was sent')
    const prompt = await sent(folder, { params })
    expect(prompt).toContain('About tea.')
    expect(prompt).toContain('And coffee in en?')
    const third = await sent(folder, { input: 'So?' })
    expect(third).toContain('About tea.')
    expect(third).toContain('And coffee in en?')
  })

  test('are used by a run that failed before it was answered, and by a copy of the document', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    const failing = scriptedModel([[{ type: 'error', error: new Error('No key.') }, finish('error')]])
    await follow(runDocument('chat.chatmd', { ...settings(folder), model: failing, params: { topic: 'tea' } }))
    expect(await sent(folder)).toContain('About tea.')
    expect(await sent(folder, { input: 'And?', output: 'copy.chatmd' })).toContain('About tea.')
  })

  test('are not what a message of the user says: it is written and read as it was said', async () => {
    const folder = await documentFolder({ 'chat.chatmd': document })
    expect(await sent(folder, { params: { topic: 'tea' }, input: 'Why {{topic}}?' })).toContain('Why {{topic}}?')
    expect(await sent(folder, { input: 'And?' })).toContain('Why {{topic}}?')
  })
})

test('the dry run shows the values, where they come from, and which pieces they are', async () => {
  const folder = await documentFolder({ 'chat.chatmd': document })
  const params = { topic: '<doc src="/etc/passwd" local/> {{tools}}' }
  const preview = await previewDocument('chat.chatmd', { ...settings(folder), model: 'demo', params })
  expect(preview.params).toEqual([
    { name: 'topic', value: params.topic, from: 'given' },
    { name: 'lang', value: 'en', from: 'default' },
  ])
  const pieces = preview.messages.flatMap(message => message.pieces)
  expect(pieces).toContainEqual(
    expect.objectContaining({ text: params.topic, origin: 'the parameter topic (chat.chatmd:8)' }),
  )
})

describe('a document with parameters as a tool', () => {
  const parent = '<tool name="explain" agent="helper.chatmd" local/>\n\n<user>\nGo.\n</user>\n'

  async function offered(helper: string) {
    const folder = await documentFolder({ 'chat.chatmd': parent, 'helper.chatmd': helper })
    const { tools } = await previewDocument('chat.chatmd', { ...settings(folder), model: 'demo' })
    return { folder, schema: tools[0]?.inputSchema }
  }

  test('takes them as its input, as texts, and those with a default may be left out', async () => {
    const { folder, schema } = await offered(document)
    expect(schema).toEqual({
      type: 'object',
      properties: { topic: { type: 'string' }, lang: { type: 'string', default: 'en' } },
      required: ['topic'],
      additionalProperties: false,
    })
    const ask = (input: unknown): ScriptedStep => [...call('c1', 'explain', input), finish('tool-calls')]
    const model = scriptedModel([ask({ topic: '{{lang}} <doc src="x"/>' }), 'Explained.', 'Done.'])
    const run = runDocument('chat.chatmd', { ...settings(folder), model, approve: 'all' })
    const { chunks } = await follow(run)
    expect(JSON.stringify(model.asked[1]?.prompt)).toContain('About {{lang}} <doc src=\\"x\\"/>.')
    expect(JSON.stringify(model.asked[1]?.prompt)).toContain('Answer in en.')
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-output-available', output: 'Explained.' }))
  })

  test.each([
    ['none', {}],
    ['a number', { topic: 1 }],
    ['one that it does not have', { topic: 'a', other: 'b' }],
  ])('refuses %s, and the model is told', async (_, input) => {
    const { folder } = await offered(document)
    const model = scriptedModel([[...call('c1', 'explain', input), finish('tool-calls')], 'Done.'])
    const { chunks } = await follow(runDocument('chat.chatmd', { ...settings(folder), model, approve: 'all' }))
    expect(model.asked).toHaveLength(2)
    expect(chunks.some(chunk => chunk.type === 'tool-output-error')).toBe(true)
  })

  test('that waits for a message takes that, too, and one without parameters nothing else', async () => {
    const waiting = '<config params="lang=en"/>\n<system>\nAnswer in {{lang}}.\n</system>\n'
    const { schema, folder } = await offered(waiting)
    expect(schema).toMatchObject({ required: ['input'], properties: { input: {}, lang: { default: 'en' } } })
    const input = { input: 'Why {{lang}}?', lang: 'de' }
    const model = scriptedModel([[...call('c1', 'explain', input), finish('tool-calls')], 'Because.', 'Done.'])
    await follow(runDocument('chat.chatmd', { ...settings(folder), model, approve: 'all' }))
    const prompt = JSON.stringify(model.asked[1]?.prompt)
    expect(prompt).toContain('Answer in de.')
    expect(prompt).toContain('Why {{lang}}?')
    expect((await offered('<system>Help.</system>')).schema).toMatchObject({ required: ['input'] })
    const named = '<config params="input"/><user>Translate {{input}}</user>'
    expect((await offered(named)).schema).toMatchObject({ properties: { input: { type: 'string' } } })
  })

  test('is not asked for values on the terminal, and does not have those of the document around it', async () => {
    const folder = await documentFolder({
      'chat.chatmd': `<config params="topic"/>\n<user>{{topic}} <agent src="helper.chatmd" local>Hi</agent></user>`,
      'helper.chatmd': '<config params="topic"/><system>{{topic}}</system>',
    })
    const asked: string[] = []
    const askParam = async (name: string) => {
      asked.push(name)
      return 'tea'
    }
    const failure = await sent(folder, { askParam })
    expect(failure).toContain('has no value')
    expect(asked).toEqual(['topic'])
  })
})
