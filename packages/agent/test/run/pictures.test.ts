import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { APICallError, type LanguageModelV3Prompt } from '@ai-sdk/provider'
import { defineTool, runDocument } from '@argot/agent'
import { type Message, toolCalls, userMessage } from '@argot/core'
import { readContentForModel } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { call, finish, type ScriptedModel, type ScriptedStep, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const source =
  '<tool name="import_image"/>\n<tool name="draw"/>\n\n<user>\nLook at a.png. <img src="a.png" local/>\n</user>\n'

/** Every file that a prompt has in messages of the user, and the text of every result. */
function seen(prompt: LanguageModelV3Prompt): { files: string[]; text: string } {
  const content = prompt.flatMap((message): readonly { type: string }[] =>
    typeof message.content === 'string' ? [] : message.content,
  )
  const files = content.flatMap(part => (part.type === 'file' ? [fileOf(part)] : []))
  return { files, text: JSON.stringify(prompt) }
}

function fileOf(part: object): string {
  const { mediaType, data } = part as { mediaType: string; data: unknown }
  return `${mediaType} ${String(data)}`
}

async function run(
  syntax: string,
  model: ScriptedModel,
  env: Record<string, string> = {},
  data = PIXEL,
  mediaType = 'image/png',
  text = source,
  notices: string[] = [],
) {
  const folder = await documentFolder({ 'chat.chatmd': text })
  await writeFile(join(folder, 'a.png'), Buffer.from(PIXEL, 'base64'))
  await writeFile(join(folder, 'fake.png'), 'not a picture')
  const draw = defineTool({
    ...{ name: 'draw', description: 'Draws.', effect: 'read', inputSchema: { type: 'object' } },
    execute: () => ({
      type: 'content',
      value: [
        { type: 'text', text: 'Here it is:' },
        { type: 'file-data', data, mediaType },
      ],
    }),
  })
  const notice = (said: string): unknown => notices.push(said)
  const options = {
    cwd: folder,
    env,
    configFolder: join(folder, 'config'),
    model,
    syntax,
    tools: [draw],
    notice,
    limit: 'none' as const,
  }
  const { result } = await follow(runDocument('chat.chatmd', options))
  return { result, file: join(folder, 'chat.chatmd'), folder, options }
}

const native = (name: string, input: object) => [...call(`c-${name}`, name, input), finish('tool-calls')]

/** A step that calls `draw` so many times. */
function draws(syntaxName: string, count: number): ScriptedStep {
  const ids = Array.from({ length: count }, (_, index) => `c${index}`)
  if (syntaxName === 'native') return [...ids.flatMap(id => call(id, 'draw', {})), finish('tool-calls')]
  const syntax = syntaxes.get(syntaxName)
  const tool = { name: 'draw', inputSchema: { type: 'object' } } as const
  const written = ids.map(id =>
    syntax.format({ key: id, toolCallId: id, toolName: 'draw', state: 'input-available', input: {} }, tool),
  )
  return written.join('\n')
}

describe('a picture that a tool gives', () => {
  test.each(['native', 'xml', 'caret', 'fence'])('is seen by the model, in the syntax %s', async syntaxName => {
    const model = scriptedModel([draws(syntaxName, 1), 'I see a pixel.'])
    const { result, file, options } = await run(syntaxName, model)
    expect(result.status).toBe('done')
    const after = seen(model.asked[1]!.prompt)
    expect(after.files).toEqual([`image/png ${PIXEL}`, `image/png ${PIXEL}`])
    expect(after.text).toContain('[file 1: image/png, attached]')
    // Once as the message of the user, once as the result, and nowhere as text.
    expect(after.text.split(PIXEL)).toHaveLength(3)
    const [written] = toolCalls((await readMessages(file)).at(-1)!)
    expect(readContentForModel(written!.output)).toBeDefined()
    // A later run reads it back and sends it again.
    const later = scriptedModel(['Still there.'])
    await follow(runDocument('chat.chatmd', { ...options, model: later, input: 'And now?' }))
    expect(seen(later.asked[0]!.prompt).files).toHaveLength(2)
  })

  test.each(['native', 'xml'])('has a number of its own among those of one step, in the syntax %s', async syntax => {
    const model = scriptedModel([draws(syntax, 2), 'Two pixels.'])
    await run(syntax, model)
    const { files, text } = seen(model.asked[1]!.prompt)
    expect(files).toHaveLength(3)
    expect(text.match(/\[file \d/g)).toEqual(['[file 1', '[file 2'])
  })

  test.each(['native', 'xml'])('is told in words to a model that takes none, in the syntax %s', async syntax => {
    const refuses = (asked: { prompt: LanguageModelV3Prompt }): string => {
      if (seen(asked.prompt).files.length === 0) return 'I was told of a pixel.'
      const responseBody = JSON.stringify({ error: { message: 'image input is not supported by this model' } })
      const url = 'http://127.0.0.1/v1/chat'
      throw new APICallError({ message: 'x', url, requestBodyValues: {}, statusCode: 400, responseBody })
    }
    const text = source.replace(' <img src="a.png" local/>', '')
    const model = scriptedModel([draws(syntax, 1), refuses])
    const notices: string[] = []
    const { result, options, file } = await run(syntax, model, {}, PIXEL, 'image/png', text, notices)
    expect(result).toMatchObject({ status: 'done', text: expect.stringContaining('I was told of a pixel.') })
    expect(model.asked).toHaveLength(3)
    expect(seen(model.asked[2]!.prompt).text).toContain(
      "[file: image/png, kept but not shown: this model doesn't accept",
    )
    expect(notices.join()).toContain("doesn't accept images")
    expect(readContentForModel(toolCalls((await readMessages(file)).at(-1)!)[0]!.output)).toBeDefined()
    // What the user shows is what the question is about: without it there is nothing to answer.
    const input = {
      ...userMessage('And this?'),
      parts: [{ type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PIXEL}` }],
    }
    const later = await follow(
      runDocument('chat.chatmd', { ...options, model: scriptedModel([refuses]), input: input as Message }),
    )
    expect(later.result).toMatchObject({ status: 'failed', code: 'MODEL_NO_PICTURES' })
  })

  test('is left out where it is too large or holds a key, and that is said', async () => {
    const key = 'sk-live-0123456789abcdef0123456789abcdef'
    const model = scriptedModel([native('draw', {}), 'Nothing to see.'])
    const hidden = Buffer.from(`PNG ${key}`).toString('base64')
    await run('native', model, { OPENAI_API_KEY: key }, hidden)
    expect(seen(model.asked[1]!.prompt).text).toContain('it contains a key from this environment')
    const large = scriptedModel([native('draw', {}), 'Nothing to see.'])
    await run('native', large, {}, 'A'.repeat(15 * 1024 * 1024))
    expect(seen(large.asked[1]!.prompt).text).toContain('the files in one result are limited to 10 MiB')
  })
})

const base64 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('base64')

test.each([
  ['a picture with a wrong name', PIXEL, 'image/jpeg', 'image/png'],
  ['a JPEG', base64('\xff\xd8\xff\xe0'), 'application/octet-stream', 'image/jpeg'],
  ['a GIF', base64('GIF89a....'), 'image/gif', 'image/gif'],
  ['a WebP', base64('RIFF\x01\xff\x80\x00WEBPVP8 '), 'image/webp', 'image/webp'],
  ['a sound', base64('RIFF\x01\xff\x80\x00WAVEfmt '), 'audio/wav', undefined],
  ['a drawing', base64('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml', undefined],
  ['bytes', base64('abc'), 'application/octet-stream', undefined],
])('%s from a tool is sent as what it is, or kept and told of', async (_, data, said, sent) => {
  const model = scriptedModel([native('draw', {}), 'Done.'])
  const { result } = await run('native', model, {}, data, said)
  const { files, text } = seen(model.asked[1]!.prompt)
  expect(files.slice(1)).toEqual(sent === undefined ? [] : [`${sent} ${data}`])
  expect(text).toContain(
    sent === undefined ? `[file: ${said}, kept but not shown: it is not an image]` : `[file 1: ${sent}, attached]`,
  )
  expect(readContentForModel(toolCalls(result.message!)[0]!.output)!.value[1]).toEqual({
    type: 'file-data',
    data,
    mediaType: said,
  })
})

test('import_image gives a picture of the folder, and refuses what is none or lies elsewhere', async () => {
  const steps = [
    native('import_image', { path: 'a.png' }),
    [
      ...call('c2', 'import_image', { path: 'fake.png' }),
      ...call('c3', 'import_image', { path: '../../etc/passwd' }),
      finish('tool-calls'),
    ],
    'Done.',
  ]
  const { result } = await run('native', scriptedModel(steps))
  const [good, fake, outside] = toolCalls(result.message!)
  expect(good!.output).toEqual({
    type: 'content',
    value: [{ type: 'file-data', data: PIXEL, mediaType: 'image/png', filename: 'a.png' }],
  })
  expect(fake!.errorText).toContain('not a PNG, JPEG, GIF or WebP image')
  expect(outside!.state).toBe('output-error')
})

test.each([
  [
    'a result of MCP',
    {
      content: [
        { type: 'text', text: 'Here:' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
      ],
    },
  ],
  [
    'a list of pieces',
    [
      { type: 'text', text: 'Here:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
    ],
  ],
])("a tool's output in the shape of %s is seen by the model as a picture, and kept in one shape", async (_, output) => {
  const model = scriptedModel([native('draw', {}), 'Done.'])
  const draw = defineTool({
    ...{ name: 'draw', description: 'Draws.', effect: 'read', inputSchema: { type: 'object' } },
    execute: () => output,
  })
  const folder = await documentFolder({ 'chat.chatmd': '<tool name="draw"/>\n\n<user>\nDraw.\n</user>\n' })
  const options = {
    cwd: folder,
    env: {},
    configFolder: join(folder, 'config'),
    model,
    tools: [draw],
    limit: 'none',
  } as const
  const { result } = await follow(runDocument('chat.chatmd', options))
  const { files, text } = seen(model.asked[1]!.prompt)
  expect(files).toEqual([`image/png ${PIXEL}`])
  expect(text).toContain('Here:\\n[file 1: image/png, attached]')
  expect(toolCalls(result.message!)[0]!.output).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'Here:' },
      { type: 'file-data', data: PIXEL, mediaType: 'image/png' },
    ],
  })
})
