import { answerFields } from '../message/approval-answer.ts'
import { nearestNames } from '../source/nearest-names.ts'
import { type TagName, tagNames } from './reader/tag.ts'

/** On any element of a transcript: with these, a run can be resumed from the file. */
const recordAttributes = ['id', 'message', 'run', 'offset', 'step', 'meta', 'meta_src', 'argot'] as const
export const approvalAttributes: readonly string[] = ['approval_id', ...answerFields.map(({ attribute }) => attribute)]
const promptAttributes = ['id', 'name', 'created', 'run', 'offset', 'meta', 'meta_src', 'argot'] as const
const answerAttributes = [
  ...recordAttributes,
  'name',
  'phase',
  'tool_call_id',
  'state',
  'part',
  'status',
  'finish',
  'error',
  'created',
] as const
const responseAttributes = [
  ...recordAttributes,
  ...approvalAttributes,
  'tool_call_id',
  'function_name',
  'type',
  'key',
  'state',
  'status',
  'settled_by',
  'encoding',
  'approved_input',
  'preliminary',
  'ms',
] as const

/** Other attributes are kept, with a warning. */
const attributesByTag: Readonly<Record<TagName, ReadonlySet<string>>> = {
  config: new Set([
    'model',
    'max_tokens',
    'temperature',
    'reasoning_effort',
    'id',
    'show_tool_call',
    'tool_syntax',
    'max_steps',
    'limit',
    'api',
    'output',
    'params',
    'description',
    'compact',
    'context',
  ]),
  tool: new Set([
    'name',
    'description',
    'command',
    'network',
    'agent',
    'local',
    'mcp_server',
    'module',
    'skills',
    'include',
    'includes',
    'strict',
    'token_env',
  ]),
  user: new Set(promptAttributes),
  system: new Set(promptAttributes),
  developer: new Set([...promptAttributes, 'message', 'step', 'part', 'replaces']),
  assistant: new Set(answerAttributes),
  msg: new Set(['role', ...answerAttributes, ...responseAttributes]),
  tool_call: new Set([
    ...recordAttributes,
    ...approvalAttributes,
    'function_name',
    'tool_call_id',
    'type',
    'encoding',
    'key',
    'state',
    'status',
    'title',
    'dynamic',
    'provider_executed',
    'started',
  ]),
  tool_response: new Set(responseAttributes),
  reasoning: new Set([...recordAttributes, 'state', 'status']),
  summary: new Set(['id']),
  doc: new Set(['src', 'local', 'strip', 'markdown', 'live']),
  img: new Set(['src', 'local', 'alt', 'media_type', 'filename', 'live']),
  agent: new Set(['src', 'local', 'live']),
  import: new Set(['src', 'local', 'live']),
}

const namesByShape: string[][] = []
for (const name of new Set(Object.values(attributesByTag).flatMap(names => [...names]))) {
  const shape = toShape(name.length, name.charCodeAt(0))
  namesByShape[shape] ??= []
  namesByShape[shape].push(name)
}

function toShape(length: number, letter: number): number {
  return length * 32 + (letter & 31)
}

/** Finds a known name without cutting it out of the source. */
export function knownName(source: string, start: number, end: number): string | undefined {
  const candidates = namesByShape[toShape(end - start, source.charCodeAt(start))]
  if (candidates === undefined) return undefined
  for (const name of candidates) if (source.startsWith(name, start)) return name
  return undefined
}

const flagAttributes: ReadonlySet<string> = new Set([
  'show_tool_call',
  'local',
  'strip',
  'markdown',
  'strict',
  'network',
  'step',
  'dynamic',
  'provider_executed',
  'preliminary',
  'live',
  ...answerFields.filter(({ kind }) => kind === 'flag').map(({ attribute }) => attribute),
])

export function isKnownAttribute(element: TagName, name: string): boolean {
  return attributesByTag[element].has(name)
}

export function isFlag(name: string): boolean {
  return flagAttributes.has(name)
}

export function nearestAttribute(element: TagName, name: string): string | undefined {
  return nearestNames(name, attributesByTag[element], 1)[0]
}

/** Undefined if no tag is close enough: most tags in a text are not mistakes. */
export function nearestTag(name: string): TagName | undefined {
  const [tag] = nearestNames(name, tagNames, 1, (_, tagName) => Math.max(1, Math.floor(tagName.length / 3)))
  return tagNames.find(one => one === tag)
}
