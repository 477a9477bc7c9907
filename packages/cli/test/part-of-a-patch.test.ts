import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine, folderWith } from './argot.ts'
import { hasScript, onTerminal, type Typing, words } from './on-terminal.ts'

const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join('\n')
const patch = [
  '*** Begin Patch',
  '*** Update File: todo.md',
  '@@',
  '-line 3',
  '+LINE 3',
  '@@',
  '-line 17',
  '+LINE 17',
  '*** End Patch',
].join('\n')
const down = '\x1b[B'

async function run(typing: readonly Typing[]): Promise<{ seen: string; file: string; chat: string }> {
  const cwd = await folderWith({
    'todo.md': `${lines}\n`,
    'chat.chatmd':
      '<config model="replay:before.chatmd" show_tool_call/>\n<tool name="apply_patch"/>\n\n<user>\nDo it.\n</user>\n',
    'before.chatmd': [
      '<user>\nDo it.\n</user>',
      `<tool_call tool_call_id="c1" function_name="apply_patch">\nRAW|${JSON.stringify({ patch })}|RAW\n</tool_call>`,
      '<tool_response tool_call_id="c1">\nRAW|x|RAW\n</tool_response>',
      '<assistant>\nThen so.\n</assistant>\n',
    ].join('\n'),
  })
  const output = await onTerminal(commandLine(['run', 'chat.chatmd']), typing, { cwd, env: { HOME: cwd } })
  const [file, chat] = await Promise.all(['todo.md', 'chat.chatmd'].map(name => readFile(join(cwd, name), 'utf8')))
  return { seen: words(output), file: file!, chat: chat! }
}

describe.skipIf(!hasScript)('a patch with two changes, on a terminal', () => {
  test('each change is asked about, and what was left out is not made and said to the model', async () => {
    const { seen, file, chat } = await run([
      ['Yes, but only some', `${down}\r`],
      ['Change 1 of 2', '\r'],
      ['Change 2 of 2', `${down}\r`],
    ])
    expect(seen).toContain('Change 1 of 2 (todo.md, line 3): apply it?')
    expect(seen).toContain('Change 2 of 2 (todo.md, line 17): apply it?')
    expect(seen).toContain('Then so.')
    expect(file).toBe(`${lines.replace('line 3', 'LINE 3')}\n`)
    expect(chat).toContain('The user approved 1 of the 2 changes in this call.')
  })

  test('none of them is a no', async () => {
    const { file, chat } = await run([
      ['Yes, but only some', `${down}\r`],
      ['Change 1 of 2', `${down}\r`],
      ['Change 2 of 2', `${down}\r`],
    ])
    expect(file).toBe(`${lines}\n`)
    expect(chat).toContain('The user wants none of these changes.')
  })
})
