import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine, folderWith } from './argot.ts'
import { hasScript, onTerminal, type Typing, words } from './on-terminal.ts'

const lines = 'one\ntwo\nthree\n'
const down = '\x1b[B'

interface Told {
  /** Everything on the terminal. */
  seen: string
  output: string
  /** The file, and the document with what the model was told. */
  file: string
  chat: string
}

/** A model that calls this tool, played again in a folder with `todo.md`. */
async function run(
  tool: string,
  input: object,
  typing: readonly Typing[],
  env: Record<string, string> = {},
): Promise<Told> {
  const cwd = await folderWith({
    'todo.md': lines,
    'chat.chatmd': `<config model="replay:before.chatmd" show_tool_call/>\n<tool name="${tool}"/>\n\n<user>\nDo it.\n</user>\n`,
    'before.chatmd': [
      '<user>\nDo it.\n</user>',
      `<tool_call tool_call_id="c1" function_name="${tool}">\nRAW|${JSON.stringify(input)}|RAW\n</tool_call>`,
      '<tool_response tool_call_id="c1">\nRAW|x|RAW\n</tool_response>',
      '<assistant>\nThen so.\n</assistant>\n',
    ].join('\n'),
  })
  const output = await onTerminal(commandLine(['run', 'chat.chatmd']), typing, { cwd, env: { HOME: cwd, ...env } })
  const [file, chat] = await Promise.all(['todo.md', 'chat.chatmd'].map(name => readFile(join(cwd, name), 'utf8')))
  return { seen: words(output), output, file: file!, chat: chat! }
}

describe.skipIf(!hasScript)('a call that files do not take, on a terminal', () => {
  test('says why it would fail, shows no diff, and an Enter denies it with that reason', async () => {
    const gone = { path: 'todo.md', search: 'four', replace: '4' }
    const { seen, file, chat } = await run('find_and_replace', gone, [['Not now', '\r']])
    expect(seen).toContain('It would fail now: The text is not in `todo.md`.')
    expect(seen).toContain('No, and tell the model that it would fail')
    expect(seen).not.toMatch(/[●○] Yes/)
    expect(seen).not.toContain('@@')
    expect(seen).toContain('Then so.')
    expect(seen).toContain('status 0')
    expect(file).toBe(lines)
    expect(chat).toContain('The text is not in `todo.md`. Read the file again.')
  })

  test('a path that writes to the terminal is shown, not obeyed', async () => {
    const hostile = { path: 'to\x1b]0;x\x07do\u202e.md', search: 'four', replace: '4' }
    const { output, seen } = await run('find_and_replace', hostile, [['Not now', '\r']])
    expect(seen).toContain('It would fail now: ')
    expect(output).not.toMatch(/\x1b\]0;|\u202e/)
  })

  test('a file that changes while the question waits is not written over, and that is said', async () => {
    const write = { path: 'todo.md', content: 'mine\n' }
    // The editor leaves the input as it is, and the file not.
    const editor = { EDITOR: 'sed -i s/three/drei/ todo.md' }
    const { seen, file, chat } = await run('write_file', write, [['Not now', `${down.repeat(5)}\r`]], editor)
    expect(file).toBe('one\ntwo\ndrei\n')
    expect(seen).toMatch(/`todo\.md` changed after/)
    expect(chat).toContain('changed after')
    expect(seen).toContain('status 0')
  })
})
