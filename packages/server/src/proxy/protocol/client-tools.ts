import type { ToolDefinition } from '@argot/core'
import { badField, cannotTranslate, type Fields, readList, readTool } from './field.ts'

/** A tool as a client of OpenAI's Responses API knows it. The upstream gets a function for it. */
export interface ClientTool {
  name: string
  namespace: string | undefined
  /** Its input is text, not JSON. The function has it as its only parameter. */
  isFreeform: boolean
}

interface DeclaredTool extends ClientTool {
  definition: ToolDefinition
}

/** The tools of an OpenAI Responses request: functions, freeform tools, and namespaces of both. */
export class ClientTools {
  readonly definitions: readonly ToolDefinition[]
  readonly #byFunction: Map<string, DeclaredTool> = new Map()
  /** By name including the namespace. */
  readonly #functions: Map<string, string> = new Map()

  constructor(value: unknown) {
    const tools = value === undefined || value === null ? [] : readTools(value, 'tools', undefined)
    const counts = new Map<string, number>()
    for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const tool of tools) {
      const joined = joinName(tool.namespace, tool.name)
      const name = counts.get(tool.name) === 1 ? tool.name : joined
      if (this.#byFunction.has(name)) throw badField('tools', `a list without a second \`${name.slice(0, 100)}\``)
      this.#byFunction.set(name, tool)
      this.#functions.set(joined, name)
    }
    this.definitions = [...this.#byFunction].map(([name, { definition }]) => ({ ...definition, name }))
  }

  find(functionName: string): ClientTool {
    return this.#byFunction.get(functionName) ?? { name: functionName, namespace: undefined, isFreeform: false }
  }

  /** The upstream's function for a client tool, even if the client no longer declares it. */
  toFunction(name: string, namespace: string | undefined): string {
    const joined = joinName(namespace, name)
    return this.#functions.get(joined) ?? joined
  }
}

export function toFreeformArguments(input: unknown): string {
  return JSON.stringify({ input: String(input ?? '') })
}

export function readFreeformInput(json: string): string | undefined {
  try {
    const { input } = JSON.parse(json) as { input?: unknown }
    return typeof input === 'string' ? input : undefined
  } catch {
    return undefined
  }
}

function readTools(value: unknown, field: string, namespace: string | undefined): DeclaredTool[] {
  return readList(value, field).flatMap((tool, index) => {
    const at = `${field}.${index}`
    if (tool.type === 'function') {
      const definition = readTool(tool.name, tool.description, tool.parameters, at)
      return [{ name: definition.name, namespace, isFreeform: false, definition }]
    }
    if (tool.type === 'custom') {
      const definition = readFreeform(tool, at)
      return [{ name: definition.name, namespace, isFreeform: true, definition }]
    }
    if (tool.type === 'namespace' && namespace === undefined) {
      if (typeof tool.name !== 'string' || tool.name === '') throw badField(`${at}.name`, 'the name of a namespace')
      return readTools(tool.tools, `${at}.tools`, tool.name)
    }
    const type = String(tool.type).slice(0, 60)
    throw cannotTranslate(
      `${at}.type`,
      `Only tools that the client runs itself can be, and \`${type}\` is not one of them.`,
    )
  })
}

function readFreeform({ name, description, format }: Fields, field: string): ToolDefinition {
  const { syntax, definition } = (format ?? {}) as Fields
  const grammar =
    typeof definition === 'string' ? ` It has to match this grammar (${String(syntax)}):\n\n${definition}` : ''
  const text = `${typeof description === 'string' ? `${description}\n\n` : ''}\`input\` is plain text.${grammar}`
  const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }
  return readTool(name, text, parameters, field)
}

function joinName(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}__${name}`
}
