import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCompatible } from '../../../agent/test/model/servers/compatible.ts'
import type { ModelServer, ScriptedReply } from '../../../agent/test/model/servers/model-server.ts'
import { folderWith } from '../argot.ts'
import { hasScript } from '../on-terminal.ts'
import { ChatScreen, type ChatScreenOptions } from './chat-screen.ts'

const model = 'openai-compatible:test'

interface Chat {
  chat: ChatScreen
  server: ModelServer
  folder: string
}

/** A chat with a model that gives these replies, one after the other. */
async function openChat(
  replies: readonly ScriptedReply[],
  {
    args = ['-t', 'read_dir,write_file,ask_user'],
    env = {},
    files = {},
    ...size
  }: { args?: string[]; files?: Record<string, string> } & Partial<ChatScreenOptions> = {},
): Promise<Chat> {
  const server = await startCompatible(request =>
    request.path.endsWith('/models') ? { body: { data: [] } } : (next.shift() ?? { text: 'The script is over.' }),
  )
  const next = [...replies]
  onTestFinished(() => server.close())
  const folder = await folderWith(files)
  const chat = new ChatScreen(['-m', model, ...args], { cwd: folder, env: { ...server.env, ...env }, ...size })
  await chat.see('Type a message')
  return { chat, server, folder }
}

const writeNews: ScriptedReply = {
  text: 'I write the news.',
  calls: [{ name: 'write_file', input: { path: 'NEWS.md', content: '# News\n' } }],
}

/** What the model was sent last. */
function lastRequest({ requests }: ModelServer): string {
  return JSON.stringify(requests.filter(({ path }) => path.endsWith('/completions')).at(-1)?.body.messages)
}

/** Waits for a question and until it takes keys, then types. */
async function answer(chat: ChatScreen, seen: string, key: string): Promise<void> {
  await chat.see(seen, 'screen')
  await chat.see(/❯ \w {2}/, 'screen')
  chat.type(key)
}

function documents(folder: string): string[] {
  return readdirSync(join(folder, 'chats')).filter(name => /.\.chatmd$/.test(name))
}

describe.skipIf(!hasScript)('argot chat on a real terminal (needs `script` of util-linux)', () => {
  test('talks with the demo model, keeps the document, and leaves the terminal as it was', async () => {
    const folder = await folderWith({ 'README.md': 'Hello.\n' })
    const chat = new ChatScreen(['-m', 'demo'], { cwd: folder })
    await chat.see('Type a message')
    chat.send('What is here?')
    await chat.see(/\d steps, \d calls/)
    expect(chat.text).toContain('> What is here?')
    expect(chat.text).toContain('✔ Read README.md')
    expect(chat.screen.match(/❯/g)).toHaveLength(1)
    chat.type('\x04')
    expect(await chat.end()).toBe(0)
    expect(chat.text).toMatch(/Continue with: argot chat chats\/\S+\.chatmd/)
    expect(chat.text).toMatch(/ icanon$/)
    expect(chat.text).not.toContain('❯')
    expect(chat.raw).not.toContain('\x1b[?1049h')
    expect(readFileSync(join(folder, 'chats', documents(folder)[0]!), 'utf8')).toContain('What is here?')
  })

  test('asks inline: yes, no with a reason, and always', async () => {
    const { chat, server, folder } = await openChat([
      writeNews,
      { text: 'Not then.' },
      writeNews,
      { text: 'Written.' },
      { calls: [{ name: 'write_file', input: { path: 'MORE.md', content: 'more' } }] },
      { text: 'Without a question.' },
    ])
    chat.send('Write it')
    await answer(chat, 'Run write_file?', 'd')
    await chat.see('Why not?', 'screen')
    chat.type('too early')
    chat.type('\r')
    await chat.see('Not then.')
    expect(chat.text).toContain('│ +# News')
    expect(chat.text).toMatch(/✖ Not written NEWS\.md · you denied it\n {2}└ too early/)
    expect(lastRequest(server)).toContain('too early')
    expect(existsSync(join(folder, 'NEWS.md'))).toBe(false)
    chat.send('Write it now')
    await answer(chat, 'allow write_file(*) for this chat', 'a')
    await chat.see('Written.')
    expect(readFileSync(join(folder, 'NEWS.md'), 'utf8')).toBe('# News\n')
    chat.send('And more')
    await chat.see('Without a question.')
    expect(existsSync(join(folder, 'MORE.md'))).toBe(true)
  })

  test('runs the call as the person edited it, with No preselected for what is longer than the screen', async () => {
    const content = Array.from({ length: 80 }, (_, index) => `line ${index}`).join('\n')
    const { chat, folder } = await openChat(
      [
        writeNews,
        { text: 'Edited.' },
        { calls: [{ name: 'write_file', input: { path: 'LONG.md', content } }] },
        { text: 'Long.' },
      ],
      { env: { EDITOR: 'sed -i s/News/Olds/' } },
    )
    chat.send('Write it')
    await answer(chat, 'Run write_file?', 'e')
    await chat.see('Edited.')
    expect(readFileSync(join(folder, 'NEWS.md'), 'utf8')).toBe('# Olds\n')
    chat.send('Write long')
    await answer(chat, '❯ n  No', '\r')
    await chat.see('Long.')
    expect(chat.text).toContain('not shown')
    expect(existsSync(join(folder, 'LONG.md'))).toBe(false)
  })

  test('takes no key that was typed before the question could be read', async () => {
    const { chat, folder } = await openChat([writeNews, { text: 'Done.' }])
    chat.send('Write it')
    await chat.see('Run write_file?', 'screen')
    chat.type('y')
    await answer(chat, 'Run write_file?', 'yyy')
    await chat.see('more than one key', 'screen')
    await answer(chat, 'Run write_file?', 'n')
    await chat.see('Done.')
    expect(existsSync(join(folder, 'NEWS.md'))).toBe(false)
  })

  test('answers a question of the model', async () => {
    const input = { question: 'Which colour?', options: ['red', 'green'] }
    const { chat, server } = await openChat([{ calls: [{ name: 'ask_user', input }] }, { text: 'Fine.' }])
    chat.send('Ask me')
    await answer(chat, '2  green', '2')
    await chat.see('Fine.')
    expect(lastRequest(server)).toContain('green')
  })

  test('lets people type while it streams: the message waits, Esc stops, and what waited is in the composer', async () => {
    const { chat, server } = await openChat([
      { text: 'One two three four five six seven eight nine ten.', cutAfter: 6, cutBy: 'silence' },
      { text: 'The answer to both.' },
    ])
    chat.send('Count')
    await chat.see('One two')
    chat.send('the next one')
    await chat.see('next: the next one', 'screen')
    chat.type('a draft')
    await chat.see('❯ a draft', 'screen')
    expect(chat.screen).toContain('test is working')
    chat.type('\x1b')
    await chat.see('Stopped.')
    await chat.see(/❯ the next one\n\s*\n {2}a draft/, 'screen')
    chat.type('\r')
    await chat.see('The answer to both.')
    expect(lastRequest(server)).toContain('the next one\\n\\na draft')
  })

  test('lets a message join the run that works, with Ctrl S', async () => {
    const { chat, server } = await openChat(
      [{ text: 'I wait.', calls: [{ name: 'wait', input: {} }] }, { text: 'Both are answered.' }],
      {
        args: ['--new', 'wait.chatmd', '--allow-exec', '--approve', 'all'],
        files: { 'wait.chatmd': '<tool name="wait" command="sleep 2"/>\n' },
      },
    )
    chat.send('Wait')
    await chat.see('I wait.')
    chat.type('and this')
    await chat.see('❯ and this', 'screen')
    chat.type('\x13')
    await chat.see('joins: and this', 'screen')
    await chat.see('Both are answered.')
    expect(chat.text).toMatch(/✔ .*\n.*> and this\n\nBoth are answered\./s)
    expect(lastRequest(server)).toContain('and this')
    expect(server.requests.filter(({ path }) => path.endsWith('/completions'))).toHaveLength(2)
  })

  test('sends a paste of 500 lines as one block', async () => {
    const { chat, server } = await openChat([{ text: 'Read.' }])
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`)
    chat.type(`\x1b[200~${lines.join('\r')}\x1b[201~`)
    await chat.see('❯ [Pasted 500 lines]', 'screen')
    chat.type('\x1b[13;2u')
    chat.type('explain')
    await chat.see('  explain', 'screen')
    chat.type('\r')
    await chat.see('Read.')
    expect(chat.text).toContain('> [Pasted 500 lines]')
    expect(lastRequest(server)).toContain(`${lines.join('\\n')}\\nexplain`)
  })

  test('survives resizing in the middle of an answer', async () => {
    const { chat } = await openChat([{ text: 'word '.repeat(60), cutAfter: 40, cutBy: 'silence' }])
    chat.send('Go')
    await chat.see('word word')
    for (const [columns, rows] of [
      [40, 12],
      [100, 30],
      [60, 20],
    ] as const) {
      chat.resize(columns, rows)
      const rule = '─'.repeat(columns - 1)
      await chat.until(() => chat.screen.split('\n').includes(rule))
      await chat.until(() => chat.screen.match(/❯/g)?.length === 1)
    }
    chat.type('still here')
    await chat.see('❯ still here', 'screen')
    expect(chat.text.match(/> Go/g)).toHaveLength(1)
  })

  test('after kill -9, -c shows the conversation and continues the answer', async () => {
    const { chat, server, folder } = await openChat([
      { text: 'Half of an answer that never ends', cutAfter: 4, cutBy: 'silence' },
      { text: 'The whole answer.' },
    ])
    chat.send('Tell me')
    await chat.see('Half')
    chat.signal('SIGKILL')
    await chat.end()
    const again = new ChatScreen(['-m', model, '-c'], { cwd: folder, env: server.env })
    await again.see(/The whole answer\.\s+\d step/)
    expect(again.text).toContain('> Tell me')
    expect(documents(folder)).toHaveLength(1)
    // What is on the screen is in the log; the document has it a moment later.
    await again.until(() =>
      readFileSync(join(folder, 'chats', documents(folder)[0]!), 'utf8').includes('The whole answer.'),
    )
  })

  test('fits on a screen of 40 × 12, without colours', async () => {
    const { chat } = await openChat([writeNews, { text: 'Done, and these are a few more words than fit.' }], {
      columns: 40,
      rows: 12,
      env: { NO_COLOR: '1' },
    })
    chat.send('Write it')
    await chat.see('l  Not now', 'screen')
    expect(chat.screen).toContain('Run write_file?')
    expect(chat.screen).toContain('y  Yes')
    await answer(chat, 'Run write_file?', 'y')
    await chat.see('Done, and these are a few more words')
    expect(chat.text).toContain('✔ Wrote NEWS.md')
    expect(chat.raw).not.toMatch(/\x1b\[[\d;]*m/)
  })

  test('opens calls with Ctrl O, and Tab moves through them', async () => {
    const { chat } = await openChat([
      {
        calls: [
          { name: 'read_dir', input: { path: '.' } },
          { name: 'read_dir', input: { path: 'nowhere' } },
        ],
      },
      { text: 'Looked.' },
    ])
    chat.send('Look')
    await chat.see('Looked.')
    chat.type('\x0f')
    await chat.see('└ 2/2', 'screen')
    expect(chat.screen).toContain('│ path: "nowhere"')
    chat.type('\t')
    await chat.see('└ 1/2', 'screen')
    expect(chat.screen).toContain('│ path: "."')
    chat.type('x')
    await chat.see('❯ x', 'screen')
    expect(chat.screen).not.toContain('1/2')
  })

  test('edits the message in the editor, and an editor that was killed leaves a usable terminal', async () => {
    const folder = await folderWith({})
    const editor = join(folder, 'editor.sh')
    await writeFile(
      editor,
      '#!/bin/sh\nprintf "\\033[?1049h\\033[2J"; stty raw -echo; echo "from the editor" >> "$1"; kill -9 $$\n',
      { mode: 0o755 },
    )
    const { chat, server } = await openChat([{ text: 'Read.' }], { env: { EDITOR: editor } })
    chat.type('draft ')
    await chat.see('❯ draft', 'screen')
    chat.type('\x07')
    await chat.see('❯ draft from the editor', 'screen')
    expect(chat.screen).toContain('Argot chat.')
    chat.send('!')
    await chat.see('Read.')
    expect(lastRequest(server)).toContain('draft from the editor!')
    chat.type('\x04')
    expect(await chat.end()).toBe(0)
    expect(chat.text).toMatch(/ icanon$/)
  })

  test('gives the terminal back at SIGTERM, and leaves the run to be continued', async () => {
    const { chat, folder } = await openChat([{ text: 'Half of it', cutAfter: 3, cutBy: 'silence' }])
    chat.send('Go')
    await chat.see('Half')
    chat.signal('SIGTERM')
    expect(await chat.end()).toBe(143)
    expect(chat.text).toContain('The next start continues it')
    const [run] = await folderStore(join(folder, 'chats')).logs.list()
    expect(run?.state).toBe('interrupted')
    expect(chat.text).toMatch(/ icanon$/)
    expect(chat.raw.lastIndexOf('\x1b[?2004l')).toBeGreaterThan(chat.raw.lastIndexOf('\x1b[?2004h'))
  })

  test('shows nothing of the model that could drive the terminal', async () => {
    const { chat } = await openChat([
      { text: 'A \x1b]52;c;aGk=\x07 B \x1b[2J C', calls: [{ name: 'read_dir', input: { path: '\x1b[31mx' } }] },
      { text: 'End.' },
    ])
    chat.send('Go')
    await chat.see('End.')
    chat.type('\x0f')
    await chat.see('1/1', 'screen')
    expect(chat.raw).not.toContain('\x1b]52')
    expect(chat.raw).not.toContain('\x1b[2J')
    expect(chat.raw).not.toContain('\x1b[31mx')
  })

  test('summarises older turns with /compact', async () => {
    const texts = ['One.', 'Two.', 'Three.', 'Four.']
    const { chat, server } = await openChat([
      ...texts.map(text => ({ text: `${'Many words. '.repeat(300)}\n\n${text}` })),
      { text: 'It counted.' },
      { text: 'Five.' },
    ])
    for (const text of texts) {
      chat.send(`Say ${text}`)
      await chat.see(new RegExp(`${text}\\s+1 step`))
    }
    chat.send('/compact')
    await chat.see(/Turns 1–\d are summarised.*The summary/s)
    chat.send('Go on')
    await chat.see('Five.')
    expect(lastRequest(server)).toContain('It counted.')
  })

  test('knows its commands', async () => {
    const { chat, folder } = await openChat([{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }])
    chat.type('/mo')
    await chat.see('› /model', 'screen')
    chat.type('\t')
    chat.type('de')
    await chat.see('› demo', 'screen')
    chat.type('\t')
    chat.type('\r')
    await chat.see('The next message goes to demo')
    chat.send(`/model ${model}`)
    await chat.see(`The next message goes to ${model}`)
    chat.send('/syntax xml')
    await chat.see('From your next message, the tool syntax is xml')
    chat.send('/syntax native')
    await chat.see('From your next message, the tool syntax is native')
    chat.send('/approve readonly')
    await chat.see('All others are refused')
    chat.send('/tools grep -ask_user')
    await chat.see('The model can call grep, read_dir, write_file.')
    chat.send('/cst')
    await chat.see('Did you mean /cost?')
    chat.send('One')
    await chat.see(/First\.\s+1 step/)
    chat.send('/retry')
    await chat.see(/Second\.\s+1 step/)
    expect(documents(folder)).toHaveLength(2)
    chat.send('/undo')
    await chat.see('❯ One', 'screen')
    chat.type(' more')
    chat.type('\r')
    await chat.see(/Third\.\s+1 step/)
    chat.send('/branch')
    await chat.see('You are now in a copy')
    chat.send('/cost')
    await chat.see('3 runs since you opened this chat')
    chat.send('/save kept')
    await chat.see('This chat is now kept.chatmd.')
    expect(readFileSync(join(folder, 'kept.chatmd'), 'utf8')).toMatch(/<tool name="grep"\/>.*One more.*Third\./s)
    chat.send('/open')
    await chat.see('Start one with `argot serve`')
    chat.send('/help')
    await chat.see('show the address of this chat on the page')
    chat.send('/quit')
    expect(await chat.end()).toBe(0)
  })
})
