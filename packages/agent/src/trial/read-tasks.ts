import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ArgotError } from '@argot/core'
import { readDocumentText } from '../files/document-file.ts'
import { toMessage } from '../words/to-message.ts'
import { readTask, readTaskTool, type TaskPlace } from './read-task.ts'
import type { Task, TaskTool } from './task.ts'

const MOST_FILES = 1000
const MOST_TASKS = 2000
const FILE_BYTES = 1024 * 1024
const SHARED_TOOLS = 'tools.json'

/**
 * Reads the tasks in a folder: each `.json` file directly in it is a task or a list of tasks, and `tools.json` has
 * tools that tasks refer to by name. Runs nothing in them. Throws `TRIAL_BAD_TASK`, or the system's error if the folder
 * can't be read.
 */
export async function readTasks(folder: string): Promise<Task[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.json') && !name.startsWith('.')).sort()
  if (names.length > MOST_FILES) throw badTask(folder, `The folder has more than ${MOST_FILES} .json files.`)
  const sharedTools = names.includes(SHARED_TOOLS) ? await readSharedTools(join(folder, SHARED_TOOLS)) : new Map()
  const tasks: Task[] = []
  for (const name of names.filter(one => one !== SHARED_TOOLS)) {
    const file = join(folder, name)
    tasks.push(
      ...toTasks(await readJson(file), { name: name.slice(0, -'.json'.length), category: 'own', sharedTools, file }),
    )
    if (tasks.length > MOST_TASKS) throw badTask(folder, `The folder has more than ${MOST_TASKS} tasks.`)
  }
  if (tasks.length === 0)
    throw badTask(folder, 'The folder has no tasks. A task is a .json file; docs/trial.md shows one.')
  checkNames(tasks, folder)
  return tasks
}

export function toTasks(value: unknown, place: TaskPlace): Task[] {
  if (!Array.isArray(value)) return [readTask(value, place)]
  return value.map((one, index) => {
    const number = index + 1
    return readTask(one, { ...place, name: `${place.name}-${number}`, file: `${place.file}, task ${number}` })
  })
}

/** Throws if two tasks have the same name: their results would be indistinguishable. */
export function checkNames(tasks: readonly Task[], where: string): void {
  const names = new Set<string>()
  for (const { name } of tasks) {
    if (names.has(name)) throw badTask(where, `Two tasks are called ${JSON.stringify(name)}.`)
    names.add(name)
  }
}

async function readSharedTools(file: string): Promise<Map<string, TaskTool>> {
  const value = await readJson(file)
  if (!Array.isArray(value)) throw badTask(file, 'It must be a list of tools.')
  const tools = value.map((one, index) => readTaskTool(one, `Tool ${index + 1}`, file))
  return new Map(tools.map(tool => [tool.name, tool]))
}

async function readJson(file: string): Promise<unknown> {
  const document = await readDocumentText(file, FILE_BYTES)
  if (!document.ok) throw new ArgotError('TRIAL_BAD_TASK', document.problem.message)
  try {
    return JSON.parse(document.text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw badTask(file, `It is not JSON: ${toMessage(error)}.`)
  }
}

function badTask(where: string, problem: string): ArgotError {
  return new ArgotError('TRIAL_BAD_TASK', `${where}: ${problem}`)
}
