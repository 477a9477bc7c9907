import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { createAgent, folderStore, type Run, runDocument } from '@argot/agent'
import { accumulate, type Chunk, getMessageText, userMessage } from '@argot/core'
import { parseLog } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedModel, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const source = '<config show_tool_call/>\n<tool name="look"/>\n\n<user>\nLook.\n</user>\n'
const looks = [...text('I look. '), ...call('c', 'look', { a: 'x' }), finish('tool-calls')]

/** Roles and texts of what a model was asked, without the lesson of the tools. */
function promptOf({ prompt }: LanguageModelV3CallOptions): string[] {
  return prompt.flatMap(({ role, content }) =>
    role === 'user' || role === 'assistant'
      ? [`${role}: ${content.flatMap(part => (part.type === 'text' ? [part.text.trim()] : [part.type])).join(' ')}`]
      : role === 'tool'
        ? ['tool']
        : [],
  )
}

/** A document whose tool `look` says something to its run while it works. */
async function steered(steps: Parameters<typeof scriptedModel>[0], say: (run: Run) => void, options = {}) {
  const folder = await documentFolder({ 'chat.chatmd': source })
  let run: Run | undefined
  const look = fakeTool('look', 'read', () => {
    say(run!)
    return 'seen'
  })
  const model = scriptedModel(steps)
  const own = { cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [look], model, ...options }
  run = runDocument('chat.chatmd', own)
  const { chunks, result } = await follow(run)
  return { folder, file: join(folder, 'chat.chatmd'), model, chunks, result, options: own }
}

function said(model: ScriptedModel, step: number): string[] {
  return promptOf(model.asked[step]!)
}

describe('a message that is sent to a run while it works', () => {
  test('joins it at the next step, at its place in the log, the document, the prompt and the result', async () => {
    const taken: Promise<boolean>[] = []
    const { file, model, chunks, result, folder } = await steered([looks, 'It is x, in short.'], run => {
      taken.push(run.steer('Be short.'), run.steer('And kind.'))
    })
    expect(await Promise.all(taken)).toEqual([true, true])
    expect(result).toMatchObject({ status: 'done', text: 'It is x, in short.', steps: 2 })
    expect(result.messages?.map(({ role }) => role)).toEqual(['assistant', 'user', 'user', 'assistant'])
    expect(said(model, 1)).toEqual([
      'user: Look.',
      'assistant: I look. tool-call',
      'tool',
      'user: Be short.',
      'user: And kind.',
    ])
    const messages = await readMessages(file)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user', 'assistant'])
    expect(messages.slice(2, 4).map(one => getMessageText(one).trim())).toEqual(['Be short.', 'And kind.'])
    expect(JSON.parse(JSON.stringify(result.messages))).toEqual(messages.slice(1))
    const [log] = await readdir(join(folder, '.chatmd', 'runs', 'chat.chatmd'))
    const { lines } = parseLog(await readFile(join(folder, '.chatmd', 'runs', 'chat.chatmd', log!), 'utf8'))
    expect(lines.filter(({ chunk }) => chunk.type === 'user-message')).toHaveLength(2)
    const fold = accumulate()
    for (const chunk of chunks) fold.push(chunk)
    expect(fold.diagnostics).toEqual([])
    expect(fold.messages.map(({ id, role }) => ({ id, role }))).toEqual(
      result.messages!.map(({ id, role }) => ({ id, role })),
    )
    expect(fold.messages[0]).toMatchObject({ status: 'sent', metadata: { steeredBy: fold.messages[1]!.id } })
  })

  test('is answered even if it comes while the model writes its answer', async () => {
    const folder = await documentFolder({ 'chat.chatmd': '<user>\nHello.\n</user>\n' })
    let run: Run | undefined
    let isSaid = false
    const model = scriptedModel(['Hello yourself.', 'Bye.'], {
      before: () => {
        if (isSaid) return
        isSaid = true
        void run!.steer('Say bye.')
      },
    })
    run = runDocument('chat.chatmd', { cwd: folder, env: {}, configFolder: join(folder, 'config'), model })
    expect((await follow(run)).result).toMatchObject({ status: 'done', text: 'Bye.' })
    expect(await readFile(join(folder, 'chat.chatmd'), 'utf8')).toBe(
      '<user>\nHello.\n</user>\n\n<assistant>\nHello yourself.\n</assistant>\n\n<user>\nSay bye.\n</user>\n\n<assistant>\nBye.\n</assistant>\n',
    )
  })

  test('comes through the inbox of the store, too, and the same message counts once', async () => {
    const folder = await documentFolder({ 'chat.chatmd': source })
    const store = folderStore(folder)
    const message = { ...userMessage('Be short.'), id: 'user-1' }
    const id = '1-run'
    const look = fakeTool('look', 'read', async () => {
      const post = { id: 'message:user-1', type: 'message', message } as const
      expect(await store.inbox.post(id, post)).toBe('accepted')
      expect(await store.inbox.post(id, post)).toBe('already')
      expect(await store.inbox.post(id, { ...post, id: 'another' })).toBe('accepted')
      return 'seen'
    })
    const model = scriptedModel([looks, 'Yes.'])
    const run = runDocument('chat.chatmd', { store, id, env: {}, tools: [look], model })
    const { chunks, result } = await follow(run)
    expect(result.status).toBe('done')
    expect(chunks.filter(({ type }) => type === 'user-message')).toHaveLength(1)
    expect((await readMessages(join(folder, 'chat.chatmd'))).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ])
  })

  test('denies what is asked with its text, and what would be asked before the model has read it', async () => {
    const folder = await documentFolder({
      'chat.chatmd': '<config show_tool_call/>\n<tool name="change"/>\n\n<user>\nChange.\n</user>\n',
    })
    const begun: unknown[] = []
    const change = fakeTool('change', 'write', ({ a }) => {
      begun.push(a)
      return 'done'
    })
    const both = [...call('c', 'change', { a: 1 }), ...call('d', 'change', { a: 2 }), finish('tool-calls')]
    const model = scriptedModel([both, 'All right.'])
    let taken: Promise<boolean> | undefined
    const run: Run = runDocument('chat.chatmd', {
      ...{ cwd: folder, env: {}, configFolder: join(folder, 'config'), tools: [change], model },
      ask: () => {
        taken ??= run.steer('Rather not.')
        return new Promise(() => {})
      },
    })
    const { chunks, result } = await follow(run)
    expect(result).toMatchObject({ status: 'done', text: 'All right.' })
    expect(await taken).toBe(true)
    expect(begun).toEqual([])
    const denied = chunks.filter(({ type }) => type === 'tool-output-denied')
    expect(denied.map(chunk => 'reason' in chunk && chunk.reason)).toEqual(['Rather not.', 'Rather not.'])
    expect(said(model, 1).at(-1)).toBe('user: Rather not.')
  })

  test('is refused by a run that is over, or ends before its next step', async () => {
    const taken: Promise<boolean>[] = []
    const { result, file } = await steered([looks, 'No.'], run => taken.push(run.steer('Wait.')), { maxSteps: 1 })
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_STEPS' })
    expect(await Promise.all(taken)).toEqual([false])
    expect(await readFile(file, 'utf8')).not.toContain('Wait.')
    const agent = createAgent({ model: scriptedModel(['Hello.']), env: {} })
    const over = agent.run('Hi')
    await over.result
    expect(await over.steer('More?')).toBe(false)
  })

  test('may have files as data, but none that would have to be read first', async () => {
    const refusals: unknown[] = []
    const png = 'data:image/png;base64,iVBORw0KGgo='
    const { file, model } = await steered([looks, 'A picture.'], run => {
      run
        .steer(userMessage('', [{ mediaType: 'image/png', url: 'https://example.com/a.png' }]))
        .catch(error => refusals.push(error.code))
      void run.steer(userMessage('This:', [{ mediaType: 'image/png', url: png }]))
    })
    expect(refusals).toEqual(['MODEL_FILE_UNREADABLE'])
    expect(await readFile(file, 'utf8')).toContain(png)
    expect(said(model, 1).at(-1)).toBe('user: file This:')
  })
})

test('a run in memory is steered, too, and gives every message for the next one', async () => {
  let run: Run | undefined
  const look = fakeTool('look', 'read', () => {
    void run!.steer('Be short.')
    return 'seen'
  })
  const model = scriptedModel([looks, 'Short.', 'Shorter.'])
  const agent = createAgent({ model, tools: [look], approve: 'all', env: {} })
  const first = [userMessage('Look.')]
  run = agent.run(first)
  const { messages = [] } = await run.result
  expect(messages.map(one => `${one.role}: ${getMessageText(one)}`)).toEqual([
    'assistant: ',
    'user: Be short.',
    'assistant: Short.',
  ])
  await agent.run([...first, ...messages, userMessage('Shorter!')]).result
  expect(said(model, 2)).toEqual([
    'user: Look.',
    'assistant: I look. tool-call',
    'tool',
    'user: Be short.',
    'assistant: Short.',
    'user: Shorter!',
  ])
})

test('a stream tells who reads it where a user joined in: nothing of that is taken back', async () => {
  const { chunks } = await steered([looks, 'Short.'], run => void run.steer('Be short.'))
  const life = chunks.filter(({ type }) => /^(start|finish|user-message|abort|reset)/.test(type))
  expect(life.map(({ type }: Chunk) => type)).toEqual([
    'start',
    'start-step',
    'finish-step',
    'user-message',
    'start',
    'start-step',
    'finish-step',
    'finish',
  ])
})

test('a message that a run was sent before it died is in the document, also if it is not continued', async () => {
  const folder = await documentFolder({ 'chat.chatmd': source })
  const store = folderStore(folder)
  const leave = new AbortController()
  const look = fakeTool('look', 'read', async () => {
    const message = { ...userMessage('Be short.'), id: 'user-1' }
    await store.inbox.post('1-run', { id: 'p', type: 'message', message })
    leave.abort()
    return 'seen'
  })
  const first = runDocument('chat.chatmd', {
    ...{ store, id: '1-run', env: {}, tools: [look], leave: leave.signal },
    model: scriptedModel([looks]),
  })
  await first.result
  const model = scriptedModel(['Yes.'])
  const { result } = await follow(
    runDocument('chat.chatmd', { store, env: {}, tools: [look], model, input: 'And kind.' }),
  )
  expect(result.status).toBe('done')
  expect(said(model, 0).slice(-2)).toEqual(['user: Be short.', 'user: And kind.'])
  const users = (await readMessages(join(folder, 'chat.chatmd'))).filter(({ role }) => role === 'user')
  expect(users.map(one => getMessageText(one).trim())).toEqual(['Look.', 'Be short.', 'And kind.'])
})
