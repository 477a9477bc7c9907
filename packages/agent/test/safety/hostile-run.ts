import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type RunOptions, type RunResult, runDocument } from '@argot/agent'
import { type Chunk, type ToolInvocation, toolCalls } from '@argot/core'
import { checkChatMd } from '@argot/core/chatmd'
import { expect } from 'vitest'
import { documentFolder, filesBelow, follow, readMessages } from '../run/document-folder.ts'
import { call, finish, type ScriptedModel, type ScriptedStep, scriptedModel } from '../scripted-model.ts'

/** What lies outside of every folder that a run may use. */
export const OUTSIDE = 'the-text-that-lies-outside'

/** A project with a document, and beside it a folder that the run has no business with and the user's config folder. */
export interface Place {
  /** The folder around all. */
  base: string
  project: string
  outside: string
  config: string
  /** The document. */
  file: string
}

/** Makes a place on the disk; `files` are paths below the folder around all. */
export async function makePlace(document: string, files: Record<string, string> = {}): Promise<Place> {
  const base = await documentFolder({
    'project/chat.chatmd': document,
    'project/inside.txt': 'inside\n',
    'outside/secret.txt': `${OUTSIDE}\n`,
    'config/keep.txt': 'kept\n',
    ...files,
  })
  const [project, outside, config] = [join(base, 'project'), join(base, 'outside'), join(base, 'config')]
  return { base, project, outside, config, file: join(project, 'chat.chatmd') }
}

/** Puts a symbolic link into a place. */
export async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

export interface Ended {
  chunks: Chunk[]
  result: RunResult
  model: ScriptedModel
  notices: string[]
  /** The calls of the message, settled. */
  calls: ToolInvocation[]
  /** Everything that this run showed or kept: chunks, prompts, notices and every file of the project. */
  seen: string
}

export type HostileOptions = Omit<RunOptions, 'model'> & { model?: ScriptedModel }

/** Runs the document of a place with a scripted model, and checks what holds for every run, however hostile. */
export async function hostileRun(
  place: Place,
  steps: readonly ScriptedStep[],
  options: HostileOptions = {},
): Promise<Ended> {
  const model = options.model ?? scriptedModel(steps)
  const notices: string[] = []
  const run = runDocument(place.file, {
    ...{ cwd: place.project, env: {}, configFolder: place.config, notice: text => notices.push(text) },
    skipUntrusted: true,
    ...options,
    model,
  })
  const { chunks, result } = await follow(run)
  expect(chunks.at(-1)!.type).toMatch(/^(?:finish|abort)$/)
  const calls = result.message === undefined ? [] : toolCalls(result.message)
  const prompts = JSON.stringify(model.asked.map(({ prompt }) => prompt))
  const seen = [JSON.stringify(chunks), prompts, ...notices, await textsBelow(place.project)].join('\n')
  return { chunks, result, model, notices, calls, seen }
}

/** The texts of all files below a folder, one after the other. */
export async function textsBelow(folder: string): Promise<string> {
  const texts: string[] = []
  for (const name of await filesBelow(folder)) texts.push(`${name}\n${await readFile(join(folder, name), 'utf8')}`)
  return texts.join('\n')
}

/** That the document can be read without errors, and says what the run said. */
export async function expectReadBack({ file }: Place, result: RunResult): Promise<void> {
  const source = await readFile(file, 'utf8')
  expect(checkChatMd(source).filter(({ severity }) => severity === 'error')).toEqual([])
  const messages = await readMessages(file)
  expect(messages.at(-1)).toEqual(result.message)
}

/** A step with native calls, one after the other, and then an answer. */
export function callsThenAnswer(...calls: readonly [name: string, input: unknown][]): ScriptedStep[] {
  return [
    ...calls.map(([name, input], index) => [...call(`c${index + 1}`, name, input), finish('tool-calls')]),
    'That is all.',
  ]
}

/** A file at a path, and the folders above it. */
export async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
