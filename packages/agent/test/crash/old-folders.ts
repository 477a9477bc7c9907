import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type RunOptions, runDocument, type Tool } from '@argot/agent'
import type { ToolEffect } from '@argot/core/stream'
import { scriptedModel } from '../scripted-model.ts'

/** What a version of the past did to a folder, and what it made of the folder after any of that. */
export interface OldFolder {
  /** The document at the start. */
  document: string
  /** What was done to the files of the folder, in order; paths are relative to it. */
  operations: Operation[]
  /** The documents that recovery gives, and what the next run does, each as a text; see `foldTexts`. */
  documents: FoldedText[]
  nexts: FoldedText[]
  points: Point[]
}

export type Operation =
  | ['create', path: string]
  | ['append', path: string, text: string]
  | ['truncate', path: string, size: number]

/**
 * So many operations were done, and of the next one any number of bytes from `first` to `last`: the indices of the
 * document and of what comes next.
 */
export type Point = [done: number, first: number, last: number, document: number, next: number]

/** So many characters of the text before, and what follows them. */
export type FoldedText = [kept: number, more: string]

/** What a run does with the remains of another until its model is asked for the first time. */
export interface Next {
  /** What the model is asked; missing when there is nothing to answer. */
  prompt?: unknown
  /** Why the model is not asked. */
  code?: string
  /** The inputs with which the tool that changes something was started, in order. */
  changes: unknown[]
  /** The calls of which a person was told that the process had died while they ran. */
  interrupted: string[]
}

export const documentName = 'chat.chatmd'
/** The id of the run that continues an old folder. */
export const nextRun = 'next'
export const firstTime: number = Date.UTC(2030, 0, 1)

/** Where thousands of folders cost little: in memory, where the system has a place for it. */
export function quickFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
}

/** Makes the folder as it is after so many operations and so many bytes of the next one. */
export function makeOldFolder(folder: string, { document, operations }: OldFolder, done: number, bytes: number): void {
  mkdirSync(join(folder, '.chatmd', 'runs', documentName), { recursive: true })
  writeFileSync(join(folder, documentName), document)
  for (const operation of operations.slice(0, done)) apply(folder, operation)
  const cut = operations[done]
  if (bytes > 0 && cut?.[0] === 'append') appendFileSync(join(folder, cut[1]), Buffer.from(cut[2]).subarray(0, bytes))
}

function apply(folder: string, operation: Operation): void {
  const path = join(folder, operation[1])
  mkdirSync(dirname(path), { recursive: true })
  if (operation[0] === 'create') writeFileSync(path, '', { flag: 'wx' })
  else if (operation[0] === 'append') appendFileSync(path, operation[2])
  else truncateSync(path, operation[2])
}

/** Tools that give the same for the same input, whenever they run; `note` is told of each start. */
export function oldTools(note: (toolName: string, input: unknown) => Promise<void> | void): Tool[] {
  const tool = (name: string, effect: ToolEffect): Tool => ({
    ...{ name, effect, description: `Does ${name}.` },
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    validate: input => ({ ok: true, input }),
    async execute(input) {
      await note(name, input)
      return { output: `${name} gave ${JSON.stringify(input)}` }
    },
  })
  return [tool('look', 'read'), tool('change', 'write')]
}

/** What every run on such a folder shares: a fixed time, and nothing of the machine it is on. */
export function oldOptions(folder: string, time: number): RunOptions {
  return { cwd: folder, env: {}, configFolder: join(folder, 'no-such-config'), now: () => time, approve: 'ask' }
}

/** Runs the document of a folder with somebody who approves everything, and looks at it when the model is first asked. */
export async function continueFolder(folder: string): Promise<{ document: string; next: Next }> {
  const readDocument = (): string => readFileSync(join(folder, documentName), 'utf8')
  const next: Next = { changes: [], interrupted: [] }
  let document: string | undefined
  const model = scriptedModel([
    ({ prompt }) => {
      document = readDocument()
      next.prompt = prompt
      return 'Done.'
    },
  ])
  const result = await runDocument(documentName, {
    ...oldOptions(folder, firstTime + 3_600_000),
    ...{ id: nextRun, model },
    tools: oldTools((name, input) => void (name === 'change' && next.changes.push(input))),
    ask: async ({ toolCallId, interrupted }) => {
      if (interrupted === true) next.interrupted.push(toolCallId)
      return { approved: true }
    },
  }).result
  if (document === undefined && result.status === 'failed') next.code = result.code
  return { document: document ?? readDocument(), next: JSON.parse(JSON.stringify(next)) as Next }
}

/** Texts that begin alike, each as what it does not share with the one before. */
export function foldTexts(texts: readonly string[]): FoldedText[] {
  return texts.map((text, index) => {
    const before = texts[index - 1] ?? ''
    let kept = 0
    while (kept < text.length && text[kept] === before[kept]) kept++
    return [kept, text.slice(kept)]
  })
}

export function unfoldTexts(folded: readonly FoldedText[]): string[] {
  const texts: string[] = []
  for (const [kept, more] of folded) texts.push((texts.at(-1) ?? '').slice(0, kept) + more)
  return texts
}
