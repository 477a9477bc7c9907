import { defined } from '../../source/defined.ts'
import { nearestNames } from '../../source/nearest-names.ts'
import type { DocumentConfig, ToolDeclaration } from '../document.ts'
import { readParams } from '../expand/params.ts'
import { Problems } from '../problems.ts'
import { type Attribute, attributeValue, findAttribute, hasFlag } from '../reader/attribute.ts'
import type { ElementNode } from '../reader/tree.ts'
import { isFlag, isKnownAttribute, nearestAttribute } from '../vocabulary.ts'

export function checkAttributes(problems: Problems, node: ElementNode): void {
  const { attributes } = node
  if (attributes.length === 0 || node.damaged === true) return
  const seen = attributes.length > 8 ? new Set<string>() : undefined
  const unknown = attributes.filter(({ name, value }) => value === true && !isKnownAttribute(node.name, name))
  if (unknown.length > MAX_SEPARATE_WARNINGS) warnTextInTag(problems, node, unknown)
  for (let i = 0; i < attributes.length; i++) {
    const attribute = attributes[i]!
    if (!isKnownAttribute(node.name, attribute.name)) {
      if (attribute.value !== true || unknown.length <= MAX_SEPARATE_WARNINGS) warnUnknown(problems, node, attribute)
    } else if (typeof attribute.value === 'string' && isFlag(attribute.name)) warnFlag(problems, attribute)
    if (seen === undefined ? isRepeated(attributes, i) : seen.has(attribute.name)) {
      const message = `\`${shortenName(attribute.name)}\` is given twice; the last one applies.`
      problems.warn('CHATMD_REPEATED_ATTRIBUTE', attribute.start, attribute.end, message, 'Remove one of the two.')
    }
    seen?.add(attribute.name)
  }
}

/** More unknown words than this in a tag are one mistake: text inside the tag. */
const MAX_SEPARATE_WARNINGS = 2

function warnTextInTag(problems: Problems, node: ElementNode, unknown: readonly Attribute[]): void {
  const first = unknown[0]!
  const message = `\`<${node.name}>\` has no attribute \`${shortenName(first.name)}\`, and ${unknown.length - 1} more attributes here are unknown.`
  const cure = 'End the tag with `>` before text, and write values between quotes.'
  problems.warn('CHATMD_UNKNOWN_ATTRIBUTE', first.start, unknown.at(-1)!.end, message, cure)
}

function isRepeated(attributes: readonly Attribute[], index: number): boolean {
  const { name } = attributes[index]!
  for (let i = 0; i < index; i++) if (attributes[i]!.name === name) return true
  return false
}

function shortenName(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name
}

function warnUnknown(problems: Problems, node: ElementNode, { name, start, end }: Attribute): void {
  if (problems.isFull('CHATMD_UNKNOWN_ATTRIBUTE')) return
  const nearest = nearestAttribute(node.name, name)
  const message = `\`<${node.name}>\` has no attribute \`${shortenName(name)}\`.`
  const cure = nearest === undefined ? 'Remove it.' : `Did you mean \`${nearest}\`?`
  problems.warn('CHATMD_UNKNOWN_ATTRIBUTE', start, end, message, cure)
  if (nearest === undefined) problems.suggest(start, end, '')
  else problems.suggest(start, start + name.length, nearest)
}

function warnFlag(problems: Problems, { name, value, start, end }: Attribute): void {
  if (value === '' || value === 'true' || value === name) return
  const message = `\`${name}\` is a flag: its presence turns it on, and its value is ignored.`
  problems.warn('CHATMD_FLAG_VALUE', start, end, message, `Write \`${name}\` alone, or remove it to turn it off.`)
  problems.suggest(start, end, name)
}

export function checkRequired(problems: Problems, node: ElementNode): void {
  const { name } = node
  if (node.damaged === true) return
  switch (name) {
    case 'doc':
    case 'img':
    case 'agent':
    case 'import':
      requireAttribute(problems, node, 'src', 'CHATMD_MISSING_SRC')
      return
    case 'tool_call':
      requireAttribute(problems, node, 'function_name', 'CHATMD_MISSING_FUNCTION_NAME')
      requireAttribute(problems, node, 'tool_call_id', 'CHATMD_MISSING_CALL_ID')
      return
    case 'tool_response':
      requireAttribute(problems, node, 'tool_call_id', 'CHATMD_MISSING_CALL_ID')
      return
    case 'reasoning':
      requireAttribute(problems, node, 'id', 'CHATMD_MISSING_REASONING_ID')
      return
    default:
      return
  }
}

type MissingCode =
  | 'CHATMD_MISSING_SRC'
  | 'CHATMD_MISSING_FUNCTION_NAME'
  | 'CHATMD_MISSING_CALL_ID'
  | 'CHATMD_MISSING_REASONING_ID'

function requireAttribute(problems: Problems, node: ElementNode, name: string, code: MissingCode): void {
  const value = findAttribute(node.attributes, name)?.value
  if (!node.complete || (typeof value === 'string' && (value !== '' || name !== 'src'))) return
  problems.error(code, node.start, node.openEnd, `\`<${node.name}>\` has no \`${name}\`.`, `Add \`${name}="…"\`.`)
}

/** An invalid value is an error and left out. */
export function readConfig(allProblems: Problems, node: ElementNode): DocumentConfig {
  const { attributes } = node
  const problems = node.damaged === true ? new Problems() : allProblems
  const text = (name: string) => attributeValue(attributes, name)
  const config: DocumentConfig = { showToolCall: hasFlag(attributes, 'show_tool_call'), node }
  const model = text('model')
  const effort = readEffort(problems, attributes)
  const id = text('id')
  const syntax = text('tool_syntax')
  const api = text('api')
  const output = text('output')
  const description = text('description')
  const maxTokens = readNumber(problems, attributes, 'max_tokens', 'whole')
  const temperature = readNumber(problems, attributes, 'temperature', 'any')
  const maxSteps = readNumber(problems, attributes, 'max_steps', 'whole')
  if (model) config.model = model
  if (effort) config.reasoningEffort = effort
  if (id) config.id = id
  if (syntax) config.toolSyntax = syntax
  if (api) config.api = api
  if (output) config.output = output
  if (description) config.description = description
  if (maxTokens !== undefined) config.maxTokens = maxTokens
  if (temperature !== undefined) config.temperature = temperature
  if (maxSteps !== undefined) config.maxSteps = maxSteps
  const limit = checkWord(problems, attributes, 'limit', limits)
  if (limit !== undefined) config.limit = limit
  const params = findAttribute(attributes, 'params')
  if (params !== undefined) config.params = readParams(problems, params)
  const compact = readCompact(problems, attributes)
  if (compact !== undefined) config.compact = compact
  const context = readNumber(problems, attributes, 'context', 'whole')
  if (context !== undefined) config.context = context
  return config
}

const limits = ['one', 'one-writer', 'none']
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Providers add their own words, so an unknown one is sent too, with a warning. */
function readEffort(problems: Problems, attributes: readonly Attribute[]): string | undefined {
  const attribute = findAttribute(attributes, 'reasoning_effort')
  const value = typeof attribute?.value === 'string' ? attribute.value.trim() : ''
  if (attribute === undefined || !/^\S{1,64}$/.test(value) || efforts.includes(value))
    return checkWord(problems, attributes, 'reasoning_effort', efforts)
  const [nearest] = nearestNames(value, efforts, 1)
  const message = `\`reasoning_effort\` is \`${value}\`, which is not one of the usual values: ${efforts.map(word => `\`${word}\``).join(', ')}.`
  const cure =
    nearest === undefined
      ? 'It is sent only to providers that accept any value. Check that yours does.'
      : `Did you mean \`${nearest}\`?`
  problems.warn('CHATMD_BAD_VALUE', attribute.start, attribute.end, message, cure)
  return value
}

function readCompact(problems: Problems, attributes: readonly Attribute[]): DocumentConfig['compact'] {
  const value = attributeValue(attributes, 'compact')?.trim() ?? ''
  if (/^[0-9]/.test(value)) return readNumber(problems, attributes, 'compact', 'whole')
  return checkWord(problems, attributes, 'compact', ['auto', 'never']) as 'auto' | 'never' | undefined
}

/** Any word that isn't in the list is an error and left out. */
function checkWord(
  problems: Problems,
  attributes: readonly Attribute[],
  name: string,
  words: readonly string[],
): string | undefined {
  const attribute = findAttribute(attributes, name)
  if (attribute === undefined) return undefined
  const value = attribute.value === true ? '' : attribute.value.trim()
  if (words.includes(value)) return value
  const wordList = words.map(word => `\`${word}\``).join(', ')
  const message = `\`${name}\` must be one of ${wordList}, not \`${shortenName(value)}\`.`
  const cure = 'Use one of these values, or remove the attribute.'
  problems.error('CHATMD_BAD_VALUE', attribute.start, attribute.end, message, cure)
  return undefined
}

function readNumber(
  problems: Problems,
  attributes: readonly Attribute[],
  name: string,
  kind: 'whole' | 'any',
): number | undefined {
  const attribute = findAttribute(attributes, name)
  if (attribute === undefined) return undefined
  const value = attribute.value === true ? '' : attribute.value.trim()
  const valid = kind === 'whole' ? /^[0-9]{1,15}$/ : /^\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$/
  const result = Number(value)
  if (valid.test(value) && Number.isFinite(result) && (kind === 'any' || result > 0)) return result
  const expected = kind === 'whole' ? 'a whole number above 0' : 'a number of 0 or more'
  const message = `\`${name}\` must be ${expected}, not \`${shortenName(value)}\`.`
  problems.error(
    'CHATMD_BAD_NUMBER',
    attribute.start,
    attribute.end,
    message,
    'Write a number, or remove the attribute.',
  )
  return undefined
}

/** Undefined if it is unclear which tool the element declares. */
export function readTool(allProblems: Problems, node: ElementNode): ToolDeclaration | undefined {
  const { attributes } = node
  const problems = node.damaged === true ? new Problems() : allProblems
  const kinds = (['command', 'agent', 'mcp_server', 'module', 'skills'] as const).filter(kind =>
    hasFlag(attributes, kind),
  )
  if (kinds.length > 1) {
    const second = findAttribute(attributes, kinds[1]!)!
    const message = `A tool can have only one of \`command\`, \`agent\`, \`mcp_server\`, \`module\` and \`skills\`; this one has ${kinds.map(kind => `\`${kind}\``).join(' and ')}.`
    problems.error('CHATMD_TWO_TOOL_KINDS', second.start, second.end, message, 'Declare two tools.')
    return undefined
  }
  const kind = kinds[0]
  const name = attributeValue(attributes, 'name')?.trim()
  if (name === '' || (name === undefined && kind !== 'mcp_server' && kind !== 'skills')) {
    if (node.complete) {
      const at = findAttribute(attributes, 'name') ?? { start: node.start, end: node.openEnd }
      problems.error('CHATMD_EMPTY_NAME', at.start, at.end, 'The tool has no name.', 'Add `name="…"`.')
    }
    return undefined
  }
  const value = kind === undefined ? undefined : attributeValue(attributes, kind)?.trim()
  if (kind !== undefined && !value) {
    const at = findAttribute(attributes, kind)!
    problems.error(
      'CHATMD_EMPTY_TOOL',
      at.start,
      at.end,
      `\`${kind}\` is empty.`,
      'Say what the tool runs, or remove it.',
    )
    return undefined
  }
  const description = attributeValue(attributes, 'description')
  const shared = { ...defined({ description: description || undefined }), node }
  if (kind === undefined) return { kind: 'builtin', name: name!, ...shared }
  switch (kind) {
    case 'command':
      return {
        kind: 'shell',
        name: name!,
        command: value!,
        ...defined({ network: hasFlag(attributes, 'network') || undefined }),
        ...shared,
      }
    case 'agent':
      return { kind: 'agent', name: name!, agent: value!, local: hasFlag(attributes, 'local'), ...shared }
    case 'module':
      return { kind: 'module', name: name!, module: value!, ...shared }
    case 'skills':
      return { kind: 'skills', name: name ?? 'skill', skills: value!, ...shared }
    case 'mcp_server': {
      const include = readIncluded(attributes, name)
      const tokenEnv = attributeValue(attributes, 'token_env')
      const strict = hasFlag(attributes, 'strict')
      return {
        kind: 'mcp',
        server: value!,
        strict,
        ...defined({ include }),
        ...defined({ tokenEnv: tokenEnv || undefined, network: hasFlag(attributes, 'network') || undefined }),
        ...shared,
      }
    }
  }
}

/** `name` selects one tool, otherwise `include` or `includes` a list, otherwise there is no filter. */
function readIncluded(attributes: readonly Attribute[], name: string | undefined): string[] | undefined {
  if (name !== undefined) return [name]
  const list = attributeValue(attributes, 'include') ?? attributeValue(attributes, 'includes')
  return list
    ?.split(',')
    .map(one => one.trim())
    .filter(one => one !== '')
}
