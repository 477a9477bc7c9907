import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startCompatible } from '../../../agent/test/model/servers/compatible.ts'
import type { ModelServer, ScriptedReply } from '../../../agent/test/model/servers/model-server.ts'
import { argot, folderWith } from '../argot.ts'
import { inProcess } from '../in-process.ts'
import { hasScript } from '../on-terminal.ts'
import { ChatScreen } from './chat-screen.ts'

const model = 'openai-compatible:test'

interface Place {
  folder: string
  server: ModelServer
  env: Record<string, string>
  /** The requests for an answer or a title. */
  asked: () => number
  titles: () => Promise<string[]>
}

/** The model answers every message with "Fine.", and requests for titles with this. */
async function place(title: ScriptedReply, setting = '{ "titles": "model" }'): Promise<Place> {
  const folder = await folderWith({})
  await mkdir(join(folder, '.config', 'argot'), { recursive: true })
  await writeFile(join(folder, '.config', 'argot', 'argot.config.json'), setting)
  const server = await startCompatible(request => {
    if (request.path.endsWith('/models')) return { body: { data: [] } }
    return JSON.stringify(request.body).includes('Write the title now.') ? title : { text: 'Fine.' }
  })
  onTestFinished(() => server.close())
  const env = { ...server.env, HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') }
  return {
    folder,
    server,
    env,
    asked: () => server.requests.filter(({ path }) => !path.endsWith('/models')).length,
    titles: async () => {
      const { stdout } = await inProcess(['ls', '--json'], { cwd: folder, env })
      return stdout
        .trim()
        .split('\n')
        .map(line => (JSON.parse(line) as { title: string }).title)
    },
  }
}

describe.skipIf(!hasScript)('titles from the model', () => {
  test.each(['--plain', undefined])('argot ls shows what the model wrote after the first answer (%s)', async flag => {
    const { folder, env, asked, titles } = await place({ text: '"Sorting\u001b[2J\u202e invoices."\n\nMore' })
    const args = flag === undefined ? [] : [flag]
    const chat = new ChatScreen([...args, '-m', model], { cwd: folder, env })
    await chat.see(flag === undefined ? model : 'Type a message')
    chat.send('Please sort my invoices')
    await chat.see('Fine.')
    await vi.waitFor(async () => expect(await titles()).toEqual(['Sorting [2J invoices']), 10_000)
    chat.send('Really?')
    await chat.until(() => chat.text.split('Fine.').length === 3)
    chat.send('/quit')
    expect(await chat.end()).toBe(0)
    expect(asked()).toBe(3)
    expect(chat.text).not.toContain('Sorting')
  })

  test('a model that hangs over a title holds up neither the next answer nor the end', async () => {
    const { folder, env, asked, titles } = await place({ text: 'One two three four', cutAfter: 2, cutBy: 'silence' })
    const chat = new ChatScreen(['--plain', '-m', model], { cwd: folder, env })
    await chat.see('Type a message')
    chat.send('Please sort my invoices')
    await vi.waitFor(() => expect(asked()).toBe(2), 10_000)
    chat.send('Really?')
    await chat.until(() => chat.text.split('Fine.').length === 3)
    await vi.waitFor(() => expect(asked()).toBe(4), 10_000)
    chat.send('/quit')
    expect(await chat.end()).toBe(0)
    expect(await titles()).toEqual(['Please sort my invoices'])
  }, 15_000)

  test.each(['{}', '{ "titles": "first-message" }'])('with %s the model is not asked', async setting => {
    const { folder, env, asked, titles } = await place({ text: 'No' }, setting)
    const chat = new ChatScreen(['--plain', '-m', model], { cwd: folder, env })
    await chat.see('Type a message')
    for (const count of [2, 3]) {
      chat.send('Please sort my invoices')
      await chat.until(() => chat.text.split('Fine.').length === count)
    }
    chat.send('/quit')
    expect(await chat.end()).toBe(0)
    expect(asked()).toBe(2)
    expect(await titles()).toEqual(['Please sort my invoices'])
  })
})

test('argot run and a chat in a pipe never ask for a title', async () => {
  const { folder, env, asked, titles } = await place({ text: 'No' })
  await writeFile(join(folder, 'a.chatmd'), '<user>\nPlease sort my invoices\n</user>\n')
  expect(await argot(['run', '-m', model, 'a.chatmd'], { cwd: folder, env })).toMatchObject({ status: 0 })
  expect(await argot(['chat', '-m', model, 'a.chatmd'], { cwd: folder, env, input: 'hi' })).toMatchObject({ status: 0 })
  expect(asked()).toBe(2)
  expect(await titles()).toEqual(['Please sort my invoices'])
})
