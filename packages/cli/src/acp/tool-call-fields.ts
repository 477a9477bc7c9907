import { isAbsolute, resolve } from 'node:path'
import type {
  ContentBlock,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from '@agentclientprotocol/sdk/unstable'
import { describeCall, type ToolInvocation } from '@argot/core'
import type { ToolEffect } from '@argot/core/stream'
import { type CallStage, callVerb, isRecord, readContent, stripAnsi } from '@argot/core/stream/internal'
import { readDataUri } from '../io/read-data-uri.ts'
import { readHunks } from './read-hunks.ts'

/** The parts of a call that clients display. Fields that aren't known yet are omitted. */
export interface ToolCallFields {
  title: string
  kind: ToolKind
  status: ToolCallStatus
  content?: ToolCallContent[]
  locations?: ToolCallLocation[]
  rawInput?: unknown
  rawOutput?: unknown
}

const statuses: Readonly<Record<CallStage, ToolCallStatus>> = {
  writing: 'pending',
  queued: 'pending',
  asking: 'pending',
  approved: 'pending',
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
  denied: 'failed',
  stopped: 'failed',
  interrupted: 'failed',
  broken: 'failed',
}

const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ['append', 'edit'],
  ['create', 'edit'],
  ['delete', 'delete'],
  ['edit', 'edit'],
  ['fetch', 'fetch'],
  ['find', 'search'],
  ['list', 'read'],
  ['move', 'move'],
  ['open', 'read'],
  ['read', 'read'],
  ['run', 'execute'],
  ['search', 'search'],
  ['update', 'edit'],
  ['write', 'edit'],
])

const effectKinds: Readonly<Record<ToolEffect, ToolKind>> = {
  exec: 'execute',
  write: 'edit',
  net: 'fetch',
  read: 'read',
}

const pathKeys = ['path', 'file', 'file_path', 'filename', 'from', 'to']

export function toolCallFields(call: ToolInvocation, cwd: string, started?: boolean): ToolCallFields {
  const { state, verb, subject, progress } = describeCall(call, { started })
  const status = statuses[state]
  const isWriting = call.state === 'input-streaming'
  const locations = isWriting ? [] : findLocations(call, cwd)
  const content = findContent(call, cwd, progress)
  return {
    title: subject === undefined ? verb : `${verb} ${subject}`,
    kind: toolKind(call),
    status,
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
    ...(!isWriting && call.input !== undefined && { rawInput: call.input }),
    ...rawOutput(call),
  }
}

/** By the verb in the tool's name. The reported effect decides if the verb sounds harmless, and for programs. */
function toolKind({ toolName, approval }: ToolInvocation): ToolKind {
  const kind = kinds.get(callVerb(toolName) ?? '')
  const effect = approval?.facts?.effect
  if (effect === undefined) return kind ?? 'other'
  // A harmless name must not hide a harmful effect.
  const isHarmless = kind === undefined || kind === 'read' || kind === 'search'
  return isHarmless || effect === 'exec' ? toolKindByEffect(effect) : kind
}

export function toolKindByEffect(effect: ToolEffect): ToolKind {
  return effectKinds[effect] ?? 'other'
}

function rawOutput(call: ToolInvocation): Pick<ToolCallFields, 'rawOutput'> {
  switch (call.state) {
    case 'output-available':
      return call.preliminary === true ? {} : { rawOutput: call.output }
    case 'output-error':
      return { rawOutput: { error: call.errorText ?? '' } }
    default:
      return {}
  }
}

function findLocations({ input, details }: ToolInvocation, cwd: string): ToolCallLocation[] {
  const paths = new Set<string>()
  if (isRecord(input)) {
    for (const key of pathKeys) {
      const value = Object.hasOwn(input, key) ? input[key] : undefined
      if (typeof value === 'string' && value !== '' && value.length < 4096 && !value.includes('\0')) paths.add(value)
    }
  }
  for (const { path } of findChanges(details)) paths.add(path)
  return [...paths].map(path => ({ path: isAbsolute(path) ? path : resolve(cwd, path) }))
}

interface FileChange {
  path: string
  diff: string
}

function findChanges(details: unknown): FileChange[] {
  if (!isRecord(details)) return []
  const { path, diff, changes } = details
  if (typeof path === 'string' && typeof diff === 'string') return [{ path, diff }]
  return Array.isArray(changes) ? changes.flatMap(findChanges) : []
}

export function diffContent({ path, diff }: FileChange, cwd: string): ToolCallContent[] {
  return readHunks(diff).map(({ before, after }) => ({
    type: 'diff',
    path: isAbsolute(path) ? path : resolve(cwd, path),
    oldText: before,
    newText: after,
  }))
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

function findContent(call: ToolInvocation, cwd: string, progress: string | undefined): ToolCallContent[] {
  switch (call.state) {
    case 'output-available': {
      const diffs = findChanges(call.details).flatMap(change => diffContent(change, cwd))
      return diffs.length > 0 ? diffs : outputContent(call.output)
    }
    case 'output-error':
      return [textContent(stripAnsi(call.errorText ?? 'The call failed.'))]
    case 'output-denied':
      return [textContent(call.approval?.reason ?? 'The call was not approved.')]
    default:
      return progress === undefined ? [] : [textContent(progress)]
  }
}

function outputContent(output: unknown): ToolCallContent[] {
  if (output === undefined || output === null || output === '') return []
  const content = readContent(output)
  if (content === undefined) return [textContent(toText(output))]
  return content.value.map(piece => {
    if (piece.type === 'text') return textContent(piece.text)
    const { mediaType, filename } = piece
    const url = piece.type === 'file-url' ? piece.url : `data:${mediaType};base64,${piece.data}`
    return { type: 'content', content: fileBlock(mediaType, url, filename) }
  })
}

/** An image becomes an image block, other inline data a resource, anything else a link. */
export function fileBlock(mediaType: string, url: string, filename?: string): ContentBlock {
  const embedded = readDataUri(url, mediaType)
  if (embedded !== undefined) {
    const { mimeType, data } = embedded
    if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data }
    return { type: 'resource', resource: { uri: `attachment:${filename ?? 'file'}`, mimeType, blob: data } }
  }
  return { type: 'resource_link', name: filename ?? url.slice(0, 200), uri: url, mimeType: mediaType }
}

function toText(output: unknown): string {
  return typeof output === 'string' ? stripAnsi(output) : JSON.stringify(output, undefined, 2)
}
