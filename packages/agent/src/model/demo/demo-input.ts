import type { JsonSchema, ToolDefinition } from '@argot/core'
import { exampleCall } from '@argot/core/syntax'

/**
 * An input for a tool, made from its schema and the user's text: a path from the message for a path parameter, a number
 * for a number, else the schema's own example, else something plausible.
 */
export function demoInput(tool: ToolDefinition, request: string): Record<string, unknown> {
  const words = findValues(request)
  const { properties = {}, required = [] } = tool.inputSchema
  const examples = exampleCall(tool).input as Record<string, unknown>
  const input = Object.create(null) as Record<string, unknown>
  for (const [name, schema] of Object.entries(properties)) {
    const isNeeded = required.includes(name) || (pathLike.test(name) && words.paths.length > 0 && isText(schema))
    if (isNeeded && Object.hasOwn(examples, name)) input[name] = pickValue(tool, name, schema, words, examples[name])
  }
  return input
}

interface MessageValues {
  request: string
  quoted: string[]
  urls: string[]
  paths: string[]
  numbers: number[]
  /** Capitalized words, except at the start of the message. */
  names: string[]
  words: string[]
}

const pathLike = /path|file|dir|folder/i

function findValues(request: string): MessageValues {
  const text = request.slice(0, 10_000)
  const words = text.split(/\s+/).map(word => word.replace(/^[("'`[]+|[)"'`\].,;:!?]+$/g, ''))
  const urls = words.filter(word => /^https?:\/\//i.test(word))
  const others = words.filter(word => word !== '' && !urls.includes(word))
  return {
    request: text,
    quoted: [...text.matchAll(/"([^"\n]+)"|`([^`\n]+)`/g)].map(match => match[1] ?? match[2] ?? ''),
    urls,
    paths: others.filter(word => /^[\w.@~-]*\/[\w.@/-]*$|^[\w@-][\w.@-]*\.[A-Za-z]\w{0,7}$/.test(word)),
    numbers: others.filter(word => /^-?\d+(?:\.\d+)?$/.test(word)).map(Number),
    names: others.slice(1).filter(word => /^\p{Lu}\p{Ll}+$/u.test(word)),
    words: others,
  }
}

function pickValue(
  tool: ToolDefinition,
  name: string,
  schema: JsonSchema | boolean,
  values: MessageValues,
  example: unknown,
): unknown {
  if (typeof schema === 'boolean') return example
  const preset = hasExample(schema) ? example : undefined
  if (Array.isArray(schema.enum)) {
    const choices: readonly unknown[] = schema.enum
    return choices.find(choice => typeof choice === 'string' && values.words.includes(choice)) ?? preset ?? example
  }
  switch (getType(schema)) {
    case 'string':
      return pickText(tool, name, values, preset)
    case 'integer':
    case 'number':
      return values.numbers.find(number => fitsNumber(number, schema)) ?? preset ?? example ?? 1
    case 'boolean':
      return preset ?? false
    case 'array':
      if (name === 'arguments' || name === 'args') return preset ?? []
      if (pathLike.test(name) && values.paths.length > 0 && isText(schema.items)) return values.paths
      return preset ?? example
    default:
      return preset ?? example
  }
}

function pickText(tool: ToolDefinition, name: string, values: MessageValues, preset: unknown): unknown {
  if (/ur[il]$|link|address|href/i.test(name)) return values.urls[0] ?? preset ?? 'https://example.com'
  if (pathLike.test(name)) {
    const isFolder = /dir|folder/i.test(name) || /dir|folder|list|glob|grep/i.test(tool.name)
    const fitting = values.paths.find(path => path.endsWith('/') === isFolder)
    return fitting ?? values.paths[0] ?? preset ?? (isFolder ? '.' : 'README.md')
  }
  if (/city|place|location|country|town/i.test(name)) return values.names[0] ?? preset ?? 'Berlin'
  if (/query|pattern|search|term|keyword|regex/i.test(name)) {
    const longest = values.words.reduce((most, word) => (word.length > most.length ? word : most), '')
    return values.quoted[0] ?? preset ?? (longest || 'demo')
  }
  if (/^(?:input|prompt|task|question|request|instructions?)$/i.test(name)) return preset ?? (values.request || 'demo')
  if (/content|text|body|message/i.test(name)) return values.quoted[0] ?? preset ?? "Written by Argot's demo model.\n"
  return preset ?? values.quoted[0] ?? 'demo'
}

function getType({ type }: JsonSchema): string | undefined {
  return typeof type === 'string' || type === undefined ? type : type.find(one => one !== 'null')
}

function isText(schema: JsonSchema | boolean | undefined): boolean {
  return typeof schema === 'object' && getType(schema) === 'string'
}

function hasExample(schema: JsonSchema): boolean {
  return ['examples', 'const', 'default', 'enum'].some(keyword => Object.hasOwn(schema, keyword))
}

function fitsNumber(number: number, { type, minimum, maximum }: JsonSchema): boolean {
  if (type === 'integer' && !Number.isInteger(number)) return false
  return !(typeof minimum === 'number' && number < minimum) && !(typeof maximum === 'number' && number > maximum)
}
