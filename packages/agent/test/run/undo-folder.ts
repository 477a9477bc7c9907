import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { makePlace, type Place } from '../safety/hostile-run.ts'
import { call, finish, type ScriptedStep, scriptedModel } from '../scripted-model.ts'

export const undoDocument =
  ['write_file', 'append_to_file', 'find_and_replace', 'apply_patch'].map(name => `<tool name="${name}"/>\n`).join('') +
  '\n<user>\nGo.\n</user>\n'

export function undoPlace(files: Record<string, string> = {}, document: string = undoDocument): Promise<Place> {
  return makePlace(document, { 'config/state.key': `${'11'.repeat(32)}\n`, ...files })
}

export function optionsFor({ project, config }: Place): RunOptions {
  return { cwd: project, env: {}, configFolder: config, approve: 'all' }
}

/** One turn of the document: each list of calls is a step. */
export async function playTurn(
  place: Place,
  steps: readonly (readonly [name: string, input: unknown][])[],
  options: RunOptions = {},
): Promise<string> {
  let id = 0
  const script: ScriptedStep[] = [
    ...steps.map(calls => [...calls.flatMap(([name, input]) => call(`c${id++}`, name, input)), finish('tool-calls')]),
    'Done.',
  ]
  const run = runDocument(place.file, { ...optionsFor(place), model: scriptedModel(script), ...options })
  const result = await run.result
  if (result.status !== 'done') throw new Error(JSON.stringify(result))
  return run.id
}

/** Every file of the project but those of Argot, with its bytes and its permissions. */
export function snapshot(folder: string, at = ''): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of readdirSync(join(folder, at)).sort()) {
    const path = join(at, name)
    if (name === '.chatmd' || name === 'chat.chatmd') continue
    const stats = lstatSync(join(folder, path))
    if (stats.isDirectory()) Object.assign(files, { [`${path}/`]: 'folder' }, snapshot(folder, path))
    else files[path] = `${(stats.mode & 0o7777).toString(8)} ${readFileSync(join(folder, path)).toString('base64')}`
  }
  return files
}
