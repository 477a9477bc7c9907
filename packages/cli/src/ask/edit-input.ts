import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { confirm, isCancel, text } from '@clack/prompts'
import { safeText } from '../view/safe-text.ts'
import type { PromptTerminal } from './prompt-terminal.ts'

/**
 * Lets a person change the input of a call: in `$VISUAL` or `$EDITOR` where one is set, else in a line of the terminal.
 * Gives undefined when they change their mind; text that is not JSON is asked for again.
 */
export async function editInput(
  input: unknown,
  terminal: PromptTerminal,
  signal: AbortSignal,
): Promise<{ input: unknown } | undefined> {
  const editor = terminal.env.VISUAL || terminal.env.EDITOR
  if (editor === undefined || editor === '') return editLine(input, terminal, signal)
  const folder = await mkdtemp(join(tmpdir(), 'argot-input-'))
  try {
    const file = join(folder, 'input.json')
    await writeFile(file, `${toJson(input, 2)}\n`, { mode: 0o600 })
    for (;;) {
      await openEditor(editor, file, signal)
      const edited = parseJson(await readFile(file, 'utf8'))
      if ('value' in edited) return { input: edited.value }
      const message = `This is not JSON: ${edited.problem} Edit it again?`
      const again = await confirm({ message, initialValue: true, signal, ...terminal })
      if (isCancel(again) || !again) return undefined
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function editLine(
  input: unknown,
  terminal: PromptTerminal,
  signal: AbortSignal,
): Promise<{ input: unknown } | undefined> {
  const answer = await text({
    message: 'The input, as JSON:',
    initialValue: toJson(input),
    validate: value => {
      const edited = parseJson(value ?? '')
      return 'problem' in edited ? `This is not JSON: ${edited.problem}` : undefined
    },
    signal,
    ...terminal,
  })
  if (isCancel(answer)) return undefined
  const edited = parseJson(answer)
  return 'value' in edited ? { input: edited.value } : undefined
}

/** The variable may hold arguments (`code --wait`); no shell sees it. */
async function openEditor(editor: string, file: string, signal: AbortSignal): Promise<void> {
  const [command = '', ...args] = editor.trim().split(/\s+/)
  const child = spawn(command, [...args, file], { stdio: 'inherit', signal })
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve())
  })
}

function parseJson(source: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(source) as unknown }
  } catch (error) {
    return { problem: `${safeText((error as Error).message).replace(/\.?$/, '.')}` }
  }
}

/** JSON in which nothing is invisible: what a terminal does not show stands there as an escape. */
function toJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent) ?? 'null'
  return json.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, character =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
