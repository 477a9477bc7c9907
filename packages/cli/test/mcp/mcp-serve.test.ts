import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Connected, connect, type Era, type McpPlace, makeMcpPlace, textIn, type Wire } from './mcp-place.ts'

describe.each<{ era: Era; wire: Wire }>([
  { era: 'modern', wire: 'stdio' },
  { era: 'legacy', wire: 'stdio' },
  { era: 'modern', wire: 'http' },
  { era: 'legacy', wire: 'http' },
])('argot mcp serve to a $era client over $wire', ({ era, wire }) => {
  let place: McpPlace
  let server: Connected
  const changes: unknown[] = []
  beforeAll(async () => {
    place = await makeMcpPlace()
    server = await connect(place, {
      era,
      wire,
      onChanged: tools => changes.push(tools),
      fill: () => ({ action: 'accept', content: { choice: 'blue', approve: true } }),
    })
  })
  afterAll(async () => {
    await server.close()
    await place.close()
  })

  const chats = async (): Promise<string[]> =>
    existsSync(join(place.docs, 'chats')) ? readdir(join(place.docs, 'chats')) : []
  const readChat = async (start: string): Promise<string> => {
    const name = (await chats()).find(one => one.startsWith(`${start}-`))
    return name === undefined ? '' : readFile(join(place.docs, 'chats', name), 'utf8')
  }

  /** The states of the runs of `hang`. */
  const hangs = async (): Promise<string[]> => {
    const { logs } = folderStore(place.docs)
    const names = (await chats()).filter(name => name.startsWith('hang-'))
    const runs = await Promise.all(names.map(name => logs.list({ path: `chats/${name}` })))
    return runs.flat().map(({ state }) => state)
  }

  test('lists documents as tools with their descriptions, parameters and typed answers', async () => {
    const { tools } = await server.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['ask', 'hang', 'helper', 'notes_weather', 'tea', 'write'])
    expect(tools.find(({ name }) => name === 'tea')).toMatchObject({
      description: 'Tells about a topic.',
      inputSchema: {
        properties: { topic: { type: 'string' }, tone: { default: 'plain' } },
        required: ['topic'],
        additionalProperties: false,
      },
    })
    expect(tools.find(({ name }) => name === 'helper')!.inputSchema).toMatchObject({ required: ['input'] })
    expect(tools.find(({ name }) => name === 'notes_weather')!.outputSchema).toMatchObject({ required: ['degrees'] })
  })

  test('a call runs in a new document, and the prompt stays as it is', async () => {
    const before = await readFile(join(place.docs, 'tea.chatmd'), 'utf8')
    const result = await server.client.callTool({ name: 'tea', arguments: { topic: 'oolong' } })
    expect(textIn(result)).toBe('You said: Tell me about oolong.')
    expect(result.isError).toBeUndefined()
    expect(await readFile(join(place.docs, 'tea.chatmd'), 'utf8')).toBe(before)
    expect(await readChat('tea')).toContain('You said: Tell me about oolong.')
    const uri = result._meta?.['argot/document'] as string
    const { contents } = await server.client.readResource({ uri })
    expect(contents[0]).toMatchObject({ uri, text: await readChat('tea') })
  })

  test('a document without parameters takes a message; a typed answer is structured content', async () => {
    const helped = await server.client.callTool({ name: 'helper', arguments: { input: 'Help me.' } })
    expect(textIn(helped)).toBe('You said: Help me.')
    const typed = await server.client.callTool({ name: 'notes_weather', arguments: { city: 'Oslo' } })
    expect(typed.structuredContent).toEqual({ degrees: 21 })
  })

  test('wrong input, an unknown tool and a lying depth run nothing', async () => {
    const before = (await chats()).length
    const wrong = await server.client.callTool({ name: 'tea', arguments: { topic: 1 } })
    expect(wrong.isError).toBe(true)
    expect(textIn(wrong)).toContain('topic')
    await expect(server.client.callTool({ name: 'teas', arguments: {} })).rejects.toThrow('Did you mean `tea`?')
    const call = { name: 'tea', arguments: { topic: 'x' } }
    const deep = await server.client.callTool({ ...call, _meta: { 'argot/depth': 9 } })
    expect(textIn(deep)).toContain('nested more than 8 deep')
    for (const depth of [-1, 1.5, '1', 1e300]) {
      const lie = await server.client.callTool({ ...call, _meta: { 'argot/depth': depth } }).catch(String)
      expect(typeof lie === 'string' ? lie : textIn(lie)).toMatch(/whole number|nested more than/)
    }
    expect(await chats()).toHaveLength(before)
  })

  test('without --approve-by-client a call that needs approval is refused, and the result says so', async () => {
    const result = await server.client.callTool({ name: 'write', arguments: { file: `${era}.txt` } })
    expect(textIn(result)).toContain('this server asks no one for approval')
    expect(textIn(result)).toContain("`write_file` didn't run")
    expect(existsSync(join(place.docs, `${era}.txt`))).toBe(false)
    expect(server.forms).toEqual([])
  })

  test('ask_user is a form of the client', async () => {
    const result = await server.client.callTool({ name: 'ask', arguments: { file: 'colour' } })
    expect(textIn(result)).toBe('It gave: blue')
    expect(server.forms).toMatchObject([{ message: 'Which colour?' }])
  })

  test('a long run reports progress, and cancelling it settles the document', async () => {
    const stop = new AbortController()
    const reports: string[] = []
    const call = server.client.callTool(
      { name: 'hang', arguments: { word: era } },
      { signal: stop.signal, onprogress: ({ message = '' }) => reports.push(message) },
    )
    call.catch(() => {})
    await expect.poll(() => reports, { timeout: 30_000 }).toContain('Asking the model.')
    await expect.poll(() => hangs(), { timeout: 30_000 }).toEqual(['running'])
    stop.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(() => hangs(), { timeout: 30_000 }).toEqual(['ended'])
  })

  test('resources are documents and nothing else', async () => {
    const { resources } = await server.client.listResources()
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toContain('chatmd:///done.chatmd')
    expect(uris).toContain('chatmd:///notes/weather.chatmd')
    expect(uris.filter(uri => /hidden|link|inner|plain|outside|json/.test(uri))).toEqual([])
    const { contents } = await server.client.readResource({ uri: 'chatmd:///done.chatmd' })
    expect(contents).toMatchObject([{ text: expect.stringContaining('Hello.') }])
  })

  test('prompts are documents with parameters that end with the user', async () => {
    const { prompts } = await server.client.listPrompts()
    expect(prompts.find(({ name }) => name === 'tea')).toMatchObject({
      arguments: [
        { name: 'topic', required: true },
        { name: 'tone', required: false },
      ],
    })
    expect(prompts.map(({ name }) => name)).not.toContain('helper')
    const { messages } = await server.client.getPrompt({ name: 'tea', arguments: { topic: 'mate', tone: 'kind' } })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Be kind.\n\nTell me about mate.' } }])
    await expect(server.client.getPrompt({ name: 'tea', arguments: {} })).rejects.toThrow('`topic` is missing')
    await expect(server.client.getPrompt({ name: 'done' })).rejects.toThrow('There is no prompt')
  })

  test('a client hears of new documents, and calls them', async () => {
    await writeFile(join(place.docs, 'fresh.chatmd'), await readFile(join(place.docs, 'tea.chatmd'), 'utf8'))
    await expect.poll(() => changes.length, { timeout: 30_000 }).toBeGreaterThan(0)
    const fresh = await server.client.callTool({ name: 'fresh', arguments: { topic: 'news' } })
    expect(textIn(fresh)).toBe('You said: Tell me about news.')
  })

  test('when the server ends, runs that still work are settled', async () => {
    const reports: unknown[] = []
    const call = server.client.callTool(
      { name: 'hang', arguments: { word: 'end' } },
      { onprogress: report => reports.push(report) },
    )
    call.catch(() => {})
    await expect.poll(() => hangs(), { timeout: 30_000 }).toContain('running')
    await server.close()
    await call.catch(() => {})
    expect(new Set(await hangs())).toEqual(new Set(['ended']))
  })
})
