import { createHash } from 'node:crypto'
import { ArgotError, type JsonSchema } from '@argot/core'
import { defined, isRecord, nearestNames } from '@argot/core/stream/internal'
import { checkToolName } from '../tool/define-tool.ts'
import { boundedSchema } from '../tool/schema/bounded-schema.ts'
import { checkInput } from '../tool/schema/check-input.ts'
import { stableJson } from '../words/stable-json.ts'
import { toMessage } from '../words/to-message.ts'
import { examplePattern, patternProblem } from './pattern.ts'
import type { Task, TaskCall, TaskTool } from './task.ts'

const MOST_TOOLS = 64
const MOST_CALLS = 32
const MOST_TEXTS = 32
const MOST_STEPS = 50
const LONGEST_TEXT = 100_000
const MOST_LEVELS = 64
/** Steps that a model may take in addition to one per call. */
const SPARE_STEPS = 4

const taskKeys = [
  'name',
  'category',
  'system',
  'prompt',
  'tools',
  'calls',
  'order',
  'allowed',
  'answer',
  'maxSteps',
] as const
const toolKeys = ['name', 'description', 'inputSchema', 'output'] as const
const callKeys = ['tool', 'input', 'output', 'error'] as const

export interface TaskPlace {
  /** The default name of a task. */
  name: string
  category: string
  sharedTools: ReadonlyMap<string, TaskTool>
  file: string
}

/** Reads a task from JSON. Throws `TRIAL_BAD_TASK`, which names the file and the field. */
export function readTask(value: unknown, place: TaskPlace): Task {
  const reader = new TaskReader(place.file)
  const fields = reader.record(value, 'The task', taskKeys)
  if (isTooDeep(value, MOST_LEVELS)) reader.fail(`The task is nested more than ${MOST_LEVELS} levels deep`)
  const tools = reader.list(fields.tools ?? [], '`tools`', MOST_TOOLS).map((one, index) => {
    if (typeof one !== 'string') return readTool(one, `Tool ${index + 1}`, reader)
    return (
      place.sharedTools.get(one) ?? reader.fail(`\`tools\` names ${JSON.stringify(one)}, which tools.json doesn’t have`)
    )
  })
  const toolsByName = new Map(tools.map(tool => [tool.name, tool]))
  if (toolsByName.size < tools.length) reader.fail('Two tools have the same name')
  const calls = readCalls(fields.calls, '`calls`', toolsByName, reader)
  const task = {
    name: fields.name === undefined ? place.name : reader.text(fields.name, '`name`'),
    category: fields.category === undefined ? place.category : reader.text(fields.category, '`category`'),
    system: fields.system === undefined ? undefined : reader.text(fields.system, '`system`'),
    prompt: reader.text(fields.prompt, '`prompt`'),
    tools,
    calls,
    order: readOrder(fields.order, reader),
    allowed: readCalls(fields.allowed ?? [], '`allowed`', toolsByName, reader),
    answer: readAnswer(fields.answer ?? [], reader),
    maxSteps: readSteps(fields.maxSteps, calls.length, reader),
  }
  const digest = createHash('sha256').update(stableJson(task)).digest('hex').slice(0, 16)
  return { ...task, digest }
}

export function readTaskTool(value: unknown, what: string, file: string): TaskTool {
  return readTool(value, what, new TaskReader(file))
}

function readTool(value: unknown, what: string, reader: TaskReader): TaskTool {
  const fields = reader.record(value, what, toolKeys)
  const name = reader.text(fields.name, `\`name\` of ${lower(what)}`)
  try {
    checkToolName(name)
  } catch (error) {
    reader.fail(toMessage(error).replace(/\.$/, ''))
  }
  const description = reader.text(fields.description, `\`description\` of \`${name}\``)
  if (!isRecord(fields.inputSchema) || fields.inputSchema.type !== 'object')
    reader.fail(`\`inputSchema\` of \`${name}\` must be a JSON Schema with "type": "object"`)
  return { name, description, inputSchema: fields.inputSchema as JsonSchema, ...defined({ output: fields.output }) }
}

function readCalls(
  value: unknown,
  what: string,
  tools: ReadonlyMap<string, TaskTool>,
  reader: TaskReader,
): readonly TaskCall[] {
  return reader.list(value, what, MOST_CALLS).map((one, index) => {
    const where = `${what}[${index}]`
    const fields = reader.record(one, where, callKeys)
    const name = reader.text(fields.tool, `\`tool\` of ${where}`)
    const tool = tools.get(name) ?? reader.fail(`${where} calls ${JSON.stringify(name)}, which isn’t in \`tools\``)
    const input = fields.input ?? {}
    if (!isRecord(input)) reader.fail(`\`input\` of ${where} must be an object`)
    const problem = patternProblem(input) ?? schemaProblem(tool, input)
    if (problem !== undefined) reader.fail(`\`input\` of ${where} can never match: ${problem.replace(/\.$/, '')}`)
    if (fields.output !== undefined && fields.error !== undefined) reader.fail(`${where} has an output and an error`)
    const error = fields.error === undefined ? undefined : reader.text(fields.error, `\`error\` of ${where}`)
    return { tool: name, input, ...defined({ output: fields.output, error }) }
  })
}

/** A call that its own tool would refuse can't be made. If a pattern matches anything, only the call can tell. */
function schemaProblem({ inputSchema }: TaskTool, pattern: unknown): string | undefined {
  const example = examplePattern(pattern)
  if (hasHoles(example)) return undefined
  const checked = checkInput(boundedSchema(inputSchema), example)
  return checked.ok ? undefined : checked.problem
}

function hasHoles(value: unknown): boolean {
  if (value === undefined) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHoles)
}

function readOrder(value: unknown, reader: TaskReader): 'given' | 'any' {
  if (value === undefined || value === 'given') return 'given'
  return value === 'any' ? value : reader.fail('`order` must be "given" or "any"')
}

function readAnswer(value: unknown, reader: TaskReader): readonly (readonly string[])[] {
  return reader.list(value, '`answer`', MOST_TEXTS).map((one, index) => {
    const where = `\`answer\`[${index}]`
    const texts = Array.isArray(one) ? reader.list(one, where, MOST_TEXTS) : [one]
    if (texts.length === 0) reader.fail(`${where} is an empty list`)
    return texts.map(text => reader.text(text, where))
  })
}

function readSteps(value: unknown, calls: number, reader: TaskReader): number {
  if (value === undefined) return calls + SPARE_STEPS
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_STEPS) return value
  return reader.fail(`\`maxSteps\` must be a whole number from 1 to ${MOST_STEPS}`)
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some(one => isTooDeep(one, left - 1))
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1)
}

/** Reads fields of a file. Its errors name the field. */
class TaskReader {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  fail(problem: string): never {
    throw new ArgotError('TRIAL_BAD_TASK', `${this.#file}: ${problem}${problem.endsWith('?') ? '' : '.'}`)
  }

  record<Key extends string>(value: unknown, what: string, keys: readonly Key[]): Partial<Record<Key, unknown>> {
    if (!isRecord(value)) this.fail(`${what} must be an object`)
    const stray = Object.keys(value).find(key => !keys.includes(key as Key))
    if (stray !== undefined) {
      const [near] = nearestNames(stray, keys, 1)
      const cure = near === undefined ? `The fields are ${keys.join(', ')}` : `Did you mean "${near}"?`
      this.fail(`${what} has no field ${JSON.stringify(stray)}. ${cure}`)
    }
    return value as Partial<Record<Key, unknown>>
  }

  text(value: unknown, what: string): string {
    if (value === undefined) this.fail(`${what} is missing`)
    if (typeof value !== 'string' || value.trim() === '') this.fail(`${what} must be a non-empty string`)
    if (value.length > LONGEST_TEXT) this.fail(`${what} is longer than ${LONGEST_TEXT} characters`)
    return value
  }

  list(value: unknown, what: string, most: number): readonly unknown[] {
    if (value === undefined) this.fail(`${what} is missing; write [] if there are none`)
    if (!Array.isArray(value)) this.fail(`${what} must be a list`)
    if (value.length > most) this.fail(`${what} has more than ${most} entries`)
    return value
  }
}
