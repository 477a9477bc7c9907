import { defineTool, withDetails } from '../tool/define-tool.ts'
import { boundedSchema } from '../tool/schema/bounded-schema.ts'
import { checkInput } from '../tool/schema/check-input.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolFailure } from '../words/tool-failure.ts'
import { matchesPattern } from './pattern.ts'
import type { Task, TaskCall, TaskTool } from './task.ts'

/** Whether the task expects a call that ran. Stored in the call's details, which the model doesn't see. */
export type CallVerdict = 'expected' | 'allowed' | 'unexpected'

const NOTHING = 'Nothing found.'

/** Answers the calls of one attempt at a task, and tracks which are still missing. */
export class TaskCalls {
  readonly #task: Task
  readonly #missing: TaskCall[]

  constructor(task: Task) {
    this.#task = task
    this.#missing = [...task.calls]
  }

  get missing(): readonly TaskCall[] {
    return this.#missing
  }

  /** The tools for a run. Calls run one after the other, in the order in which the model wrote them. */
  createTools(): Tool[] {
    return this.#task.tools.map(tool => {
      const { name, description, inputSchema } = tool
      const plainTool = defineTool({
        name,
        description,
        inputSchema,
        effect: 'write',
        execute: input => this.#answer(tool, input),
      })
      // A regular expression in an untrusted schema can take forever.
      const bounded = boundedSchema(inputSchema)
      return { ...plainTool, validate: input => checkInput(bounded, input) }
    })
  }

  #answer(tool: TaskTool, input: unknown): unknown {
    const expected = this.#take(tool.name, input)
    const call = expected ?? this.#task.allowed.find(one => isCall(one, tool.name, input))
    if (call?.error !== undefined) throw new ToolFailure('TOOL_FAILED', call.error)
    const verdict: CallVerdict = expected ? 'expected' : call ? 'allowed' : 'unexpected'
    return withDetails(call === undefined ? (tool.output ?? NOTHING) : (call.output ?? 'Done.'), { verdict })
  }

  /** Removes and returns the expected call that this one matches: the next, or the first match with `order: "any"`. */
  #take(name: string, input: unknown): TaskCall | undefined {
    const candidates = this.#task.order === 'any' ? this.#missing : this.#missing.slice(0, 1)
    const index = candidates.findIndex(one => isCall(one, name, input))
    return index < 0 ? undefined : this.#missing.splice(index, 1)[0]
  }
}

function isCall(call: TaskCall, name: string, input: unknown): boolean {
  return call.tool === name && matchesPattern(call.input, input)
}
