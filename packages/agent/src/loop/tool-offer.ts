import { isToolPart, type JsonSchema, type Message, type ToolDefinition } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { Syntax } from '@argot/core/syntax'
import { SearchIndex } from '../search/search-index.ts'
import { defineTool } from '../tool/define-tool.ts'
import { textParameter } from '../tool/text-parameter.ts'
import type { Tool } from '../tool/tool.ts'
import type { Toolbox } from '../tool/toolbox.ts'

export interface ToolOfferOptions {
  syntax: Syntax
  /** False: the model sees all tools, however many there are. */
  isOn: boolean
}

export const toolSearchName = 'tool_search'

/** Up to this many tools are all shown. */
const MOST_TOOLS = 20
/** With more tools, the model sees this many and `tool_search`. */
const SHOWN_TOOLS = 10
const DEFAULT_RESULTS = 5
const MOST_RESULTS = 20
/** A search without a match lists this many names. */
const LISTED_NAMES = 200

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    query: textParameter('What the tool should do, or its name, in a few words.', 500, 'create an issue'),
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MOST_RESULTS,
      description: `How many tools to return at most; ${DEFAULT_RESULTS} if left out.`,
      examples: [5],
    },
  },
  required: ['query'],
  additionalProperties: false,
}

const description =
  'Finds tools that you have but that are not listed here. Search before you say that something cannot be done. The tools that are found can be called from your next step on.'

/**
 * A run's tools as its model sees them. If there are many, it sees the first of them and `tool_search`. Tools that a
 * search finds or that the conversation has used join them. The messages alone determine these, so a run that continues
 * after a crash offers the same ones. Only tools in the toolbox are callable.
 */
export class ToolOffer {
  /** What can be called now; the same map for the whole run. */
  readonly tools: Map<string, Tool> = new Map()
  /** The same tools as described to the model, in an order that only grows at its end. */
  definitions: ToolDefinition[] = []
  /** What the lesson of a text syntax teaches. A search doesn't change it: `tool_search` teaches what it finds. */
  taught: ToolDefinition[] = []
  readonly #toolbox: Toolbox
  readonly #options: ToolOfferOptions
  readonly #search: Tool
  /** Tool names from before the current message, in order. */
  readonly #earlierNames: readonly string[]

  constructor(toolbox: Toolbox, messages: readonly Message[], options: ToolOfferOptions) {
    this.#toolbox = toolbox
    this.#options = options
    this.#search = this.#createSearch()
    this.#earlierNames = messages.flatMap(usedNames)
    this.update([])
  }

  get hidden(): Tool[] {
    return [...this.#toolbox.tools.values()].filter(({ name }) => !this.tools.has(name))
  }

  /** Adds the tools that the run's messages have found. True if the offer changed. */
  update(messages: readonly (Message | undefined)[]): boolean {
    const { tools } = this.#toolbox
    const visibleTools = this.#isPartial ? this.#choose(messages) : [...tools.values()]
    if (visibleTools.length === this.tools.size && visibleTools.every(tool => this.tools.get(tool.name) === tool))
      return false
    this.tools.clear()
    for (const tool of visibleTools) this.tools.set(tool.name, tool)
    this.definitions = visibleTools.map(toDefinition)
    this.taught = this.#isPartial ? this.definitions.slice(0, SHOWN_TOOLS + 1) : this.definitions
    return true
  }

  /** Whether any tool may be hidden. If another tool has the search tool's name, it keeps its meaning. */
  get #isPartial(): boolean {
    const { tools } = this.#toolbox
    return this.#options.isOn && tools.size > MOST_TOOLS && !tools.has(toolSearchName)
  }

  #choose(messages: readonly (Message | undefined)[]): Tool[] {
    const { tools } = this.#toolbox
    const first = [...tools.values()].slice(0, SHOWN_TOOLS)
    const names = [
      ...this.#earlierNames,
      ...messages.flatMap(message => (message === undefined ? [] : usedNames(message))),
    ]
    const more = [...new Set(names)].flatMap(name => tools.get(name) ?? [])
    return [...first, this.#search, ...more.filter(tool => !first.includes(tool))]
  }

  #createSearch(): Tool {
    return defineTool<{ query: string; limit?: number }>({
      name: toolSearchName,
      title: 'Search tools',
      description,
      inputSchema,
      effect: 'read',
      execute: ({ query, limit = DEFAULT_RESULTS }) => this.#find(query, limit),
    })
  }

  #find(query: string, limit: number): string {
    // Includes those found before: the model may have lost their descriptions.
    const taught = new Set(this.taught.map(({ name }) => name))
    const others = [...this.#toolbox.tools.values()].filter(({ name }) => !taught.has(name))
    const index = new SearchIndex()
    for (const { name, title = '', description: text = '', inputSchema: schema } of others)
      index.set({ path: name, stamp: '', title, text: `${text}\n${describeParameters(schema)}` })
    const names = index.search({ query }).hits.map(({ path }) => path)
    const tools = names.slice(0, limit).flatMap(name => others.find(tool => tool.name === name) ?? [])
    if (tools.length === 0) {
      const all = others.map(({ name }) => name)
      const more = all.length > LISTED_NAMES ? ' and more' : ''
      return `No tool matches. Tools that are not listed: ${all.slice(0, LISTED_NAMES).join(', ')}${more}.`
    }
    const { syntax } = this.#options
    const lesson =
      syntax.kind === 'native'
        ? tools.map(({ name, description: text = '' }) => `${name}: ${text}`).join('\n\n')
        : syntax.describe(tools.map(toDefinition))
    return `${resultPrefix}${tools.map(({ name }) => name).join(', ')}\n\n${lesson}`
  }
}

/**
 *   Found: create_issue, close_issue
 *   ^^^^^^^
 *
 * Search results are read back from this line of the output, which the document has even without its sidecar.
 */
const resultPrefix = 'Found: '

/** The tools that a message found or used. A failed call doesn't reveal a tool: it may have named one at random. */
function usedNames({ parts }: Message): string[] {
  return parts.flatMap(part => {
    if (!isToolPart(part)) return []
    const { toolName, state, output } = part.toolInvocation
    if (state === 'output-error') return []
    if (toolName !== toolSearchName) return [toolName]
    if (typeof output !== 'string' || !output.startsWith(resultPrefix)) return []
    return output.slice(resultPrefix.length).split('\n', 1)[0]!.split(', ', MOST_RESULTS)
  })
}

function describeParameters({ properties }: JsonSchema): string {
  if (typeof properties !== 'object' || properties === null) return ''
  return Object.entries(properties)
    .slice(0, 50)
    .map(([name, schema]) => {
      const text = typeof schema === 'object' ? (schema as { description?: unknown }).description : undefined
      return `${name} ${typeof text === 'string' ? text : ''}`
    })
    .join('\n')
}

export function toDefinition({
  name,
  title,
  description: text,
  inputSchema: schema,
  effect,
  strict,
}: Tool): ToolDefinition {
  return { name, inputSchema: schema, effect, ...defined({ title, description: text, strict }) }
}
