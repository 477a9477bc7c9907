import { checkNames, toTasks } from '../read-tasks.ts'
import type { Task } from '../task.ts'
import { afterAnError, amongTwelveTools, severalSteps } from './path-tasks.ts'
import { noCall, oneCall, severalCalls } from './simple-tasks.ts'
import type { TaskSource } from './task-source.ts'
import { nestedArguments, quotesAndNewlines } from './value-tasks.ts'

const categories: readonly (readonly [string, readonly TaskSource[]])[] = [
  ['one call', oneCall],
  ['several calls', severalCalls],
  ['nested arguments', nestedArguments],
  ['quotes and newlines', quotesAndNewlines],
  ['12 tools', amongTwelveTools],
  ['no call', noCall],
  ['after an error', afterAnError],
  ['several steps', severalSteps],
]

export function builtinTasks(): Task[] {
  const file = 'The tasks of Argot'
  const tasks = categories.flatMap(([category, sources]) =>
    toTasks(sources, { name: category, category, sharedTools: new Map(), file }),
  )
  checkNames(tasks, file)
  return tasks
}
