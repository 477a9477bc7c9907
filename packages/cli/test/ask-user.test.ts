import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { hasScript, onTerminal, type Typing, words } from './on-terminal.ts'

const chat =
  '<config model="replay:before.chatmd" show_tool_call/>\n<tool name="ask_user"/>\n\n<user>\nPaint it.\n</user>\n'

/** A conversation in which the model asks something, played again as the model of `chat`. */
function asked(input: object): string {
  return [
    '<user>\nPaint it.\n</user>',
    `<tool_call tool_call_id="c1" function_name="ask_user">\nRAW|${JSON.stringify(input)}|RAW\n</tool_call>`,
    '<tool_response tool_call_id="c1">\nRAW|x|RAW\n</tool_response>',
    '<assistant>\nThen so.\n</assistant>\n',
  ].join('\n')
}

async function place(input: object): Promise<{ cwd: string; env: Record<string, string>; answer(): Promise<string> }> {
  const cwd = await folderWith({ 'chat.chatmd': chat, 'before.chatmd': asked(input) })
  const answer = async (): Promise<string> => {
    const text = await readFile(join(cwd, 'chat.chatmd'), 'utf8')
    return /<tool_response[^>]*>\s*RAW\|\n?([\s\S]*?)\n?\|RAW/.exec(text)?.[1] ?? 'none'
  }
  return { cwd, env: { HOME: cwd }, answer }
}

const colours = { question: 'Which colour?', options: ['red', 'blue', '\x1b[2Jgreen'] }
const down = '\x1b[B'

describe.skipIf(!hasScript)('a question of the model on a terminal', () => {
  const run = (options: { cwd: string; env: Record<string, string> }, typing: readonly Typing[]): Promise<string> =>
    onTerminal(commandLine(['run', 'chat.chatmd']), typing, options)

  test('is asked with its choices, and the run continues with the one that is chosen', async () => {
    const here = await place(colours)
    const output = await run(here, [['Not now', `${down}\r`]])
    expect(output).not.toContain('\x1b[2J')
    const seen = words(output)
    expect(seen).toContain('? Which colour?')
    expect(seen).toMatch(/red[\s\S]*blue[\s\S]*green[\s\S]*Something else/)
    expect(seen).toContain('Then so.')
    expect(seen).toContain('status 0')
    expect(await here.answer()).toBe('blue')
  })

  test('may be answered with something else, in words', async () => {
    const here = await place(colours)
    const seen = words(
      await run(here, [
        ['Not now', `${down}${down}${down}\r`],
        ['Your answer:', 'purple\r'],
      ]),
    )
    expect(seen).toContain('status 0')
    expect(await here.answer()).toBe('purple')
  })

  test('without choices takes what is typed, and no empty line', async () => {
    const here = await place({ question: 'What is your name?' })
    const seen = words(
      await run(here, [
        ['Your answer:', '\r'],
        ['Enter an answer', 'Ada\r'],
      ]),
    )
    expect(seen).toContain('status 0')
    expect(await here.answer()).toBe('Ada')
  })

  test('may be refused: the model is told, and goes on', async () => {
    const here = await place(colours)
    const seen = words(await run(here, [['Not now', `${down.repeat(4)}\r`]]))
    expect(seen).toContain('Then so.')
    expect(await readFile(join(here.cwd, 'chat.chatmd'), 'utf8')).toContain('The user does not want to answer this.')
  })

  test('stays open at Ctrl-C, and is asked again by the next run', async () => {
    const here = await place(colours)
    const first = words(await run(here, [['Not now', '\x03']]))
    expect(first).toContain('status 1')
    expect(await here.answer()).toBe('none')
    await run(here, [['Not now', '\r']])
    expect(await here.answer()).toBe('red')
  })
})

describe('a question of the model in a pipe', () => {
  test('parks the run and says how to answer, also where little is to be said; the answer continues it', async () => {
    const here = await place(colours)
    const args = ['run', join(here.cwd, 'chat.chatmd'), '-q']
    const first = await inProcess([...args, '--max-steps', '5'], here)
    expect(first.status).toBe(1)
    expect(first.stderr).toMatch(/^The model asks: Which colour\? \(red, blue, .*green\)$/m)
    expect(first.stderr).not.toContain('\x1b')
    expect(first.stderr).toMatch(
      /^Answer from the command line: argot run \S*chat\.chatmd --max-steps 5 --answer red$/m,
    )
    const second = await inProcess([...args, '--answer', 'black'], here)
    expect(second).toMatchObject({ status: 0, stdout: 'Then so.\n' })
    expect(await here.answer()).toBe('black')
  })
})
