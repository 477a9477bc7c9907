import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApprovalRequest } from '@argot/agent'
import { createWhole } from '@argot/agent/internal'
import { visibleLine } from '@argot/core/stream/internal'
import { confirm, isCancel, text } from '@clack/prompts'
import type { PromptTerminal } from './prompt-terminal.ts'

/**
 * Lets the user change a call's input in `$VISUAL` or `$EDITOR` if one is set, otherwise on a terminal line. Undefined
 * if they change their mind. Asks again if the text isn't JSON or doesn't match the tool's schema.
 */
export async function editInput(
  request: ApprovalRequest,
  terminal: PromptTerminal,
): Promise<{ input: unknown } | undefined> {
  const { signal, input } = request
  const editor = terminal.env.VISUAL || terminal.env.EDITOR
  if (editor === undefined || editor === '') return editLine(request, terminal)
  const folder = await mkdtemp(join(tmpdir(), 'argot-input-'))
  try {
    const file = join(folder, 'input.json')
    createWhole(file, `${visibleJson(input, 2)}\n`, { mode: 0o600 })
    for (;;) {
      await openEditor(editor, file, signal)
      const edited = await readEditedInput(await readFile(file, 'utf8'), request)
      if ('value' in edited) return { input: edited.value }
      const message = `${edited.problem} Edit it again?`
      const again = await confirm({ message, initialValue: true, signal, ...terminal })
      if (isCancel(again) || !again) return undefined
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function editLine(request: ApprovalRequest, terminal: PromptTerminal): Promise<{ input: unknown } | undefined> {
  let initialValue = visibleJson(request.input)
  for (let problem = ''; ; ) {
    const message = `${problem === '' ? '' : `${problem} `}The input, as JSON:`
    const answer = await text({ message, initialValue, signal: request.signal, ...terminal })
    if (isCancel(answer)) return undefined
    const edited = await readEditedInput(answer ?? '', request)
    if ('value' in edited) return { input: edited.value }
    problem = edited.problem
    initialValue = answer ?? ''
  }
}

/**
 * The variable may contain arguments (`code --wait`); no shell sees it. A killed editor doesn't restore the terminal.
 */
export async function openEditor(editor: string, file: string, signal?: AbortSignal): Promise<{ wasKilled: boolean }> {
  const [command = '', ...args] = editor.trim().split(/\s+/)
  const child = spawn(command, [...args, file], { stdio: 'inherit', ...(signal && { signal }) })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_, killer) => resolve({ wasKilled: killer !== null }))
  })
}

export async function readEditedInput(
  source: string,
  { checkInput }: ApprovalRequest,
): Promise<{ value: unknown } | { problem: string }> {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    return { problem: `This is not JSON: ${sentence((error as Error).message)}` }
  }
  const problem = await checkInput?.(value)
  return problem === undefined ? { value } : { problem: `The tool doesn't accept this: ${sentence(problem)}` }
}

function sentence(text: string): string {
  return visibleLine(text).replace(/\.?$/, '.')
}

/** JSON with every invisible character escaped. */
export function visibleJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent) ?? 'null'
  return json.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, character =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
