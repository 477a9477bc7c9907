import { commandLine, isWords } from './command-words.ts'

/** One piece of an input, in the form in which a person can judge it. */
export type JudgedPiece =
  | { kind: 'command'; command: string }
  | { kind: 'diff'; name: string | undefined; before?: string; after?: string; diff?: string }
  | { kind: 'text'; name: string; text: string }
  | { kind: 'paths'; name: string; paths: readonly string[] }
  /** The fields that no other piece shows. */
  | { kind: 'rest'; value: unknown }

type Fields = Readonly<Record<string, unknown>>

const commandKeys = ['command', 'cmd', 'script'] as const
const wordKeys = ['arguments', 'args', 'argv'] as const
const pathKeys = ['path', 'file_path', 'file', 'filename'] as const
const edits = [
  ['search', 'replace'],
  ['old_string', 'new_string'],
  ['old_text', 'new_text'],
  ['old_str', 'new_str'],
  ['before', 'after'],
] as const
const textKeys = ['content', 'contents', 'text', 'body', 'patch', 'diff'] as const
/** A string longer than this, or with lines, is a text of its own. */
const LONG_STRING = 120

/**
 * An input in the form in which it can be judged: a command as a command line, an edit as a diff, long texts as text,
 * lists of paths as lists. Every field is in exactly one piece. Where the command line is known, it is shown in place of
 * the fields that it is made of.
 */
export function judgedInput(input: unknown, toolName: string, command?: string): JudgedPiece[] {
  if (typeof input === 'string') return [{ kind: 'text', name: toolName, text: input }]
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [{ kind: 'rest', value: input }]
  const fields = input as Fields
  const used = new Set<string>()
  const said = commandOf(fields, toolName, used)
  const pieces = [...(command === undefined ? said : [{ kind: 'command', command } as const]), ...editsOf(fields, used)]
  for (const key of Object.keys(fields)) {
    if (used.has(key)) continue
    const piece = pieceOf(fields, key, used)
    if (piece === undefined) continue
    used.add(key)
    pieces.push(piece)
  }
  const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => !used.has(key)))
  if (Object.keys(rest).length > 0) pieces.push({ kind: 'rest', value: rest })
  return pieces.length === 0 ? [{ kind: 'rest', value: input }] : pieces
}

/** A command line, also one whose words are given one by one to a tool that is named after its program. */
function commandOf(fields: Fields, toolName: string, used: Set<string>): JudgedPiece[] {
  const key = commandKeys.find(one => typeof own(fields, one) === 'string')
  const wordsKey = wordKeys.find(one => isLine(own(fields, one)))
  if (key === undefined && wordsKey === undefined) return []
  const words = wordsKey === undefined ? [] : wordsOf(own(fields, wordsKey))
  for (const one of [key, wordsKey]) if (one !== undefined) used.add(one)
  const program = key === undefined ? toolName : String(own(fields, key))
  return [{ kind: 'command', command: words.length === 0 ? program : `${program} ${commandLine(words)}` }]
}

function isLine(value: unknown): boolean {
  return typeof value === 'string' || isWords(value)
}

function wordsOf(value: unknown): string[] {
  return typeof value === 'string' ? value.split(' ') : (value as string[])
}

function editsOf(fields: Fields, used: Set<string>): JudgedPiece[] {
  const name = nameOf(fields)
  for (const [old, now] of edits) {
    const [before, after] = [own(fields, old), own(fields, now)]
    if (typeof before !== 'string' || typeof after !== 'string') continue
    used.add(old).add(now)
    const key = pathKeys.find(one => own(fields, one) === name)
    if (key !== undefined) used.add(key)
    return [{ kind: 'diff', name, before, after }]
  }
  return []
}

function nameOf(fields: Fields): string | undefined {
  const found = pathKeys.map(key => own(fields, key)).find(value => typeof value === 'string')
  return found as string | undefined
}

function pieceOf(fields: Fields, key: string, used: Set<string>): JudgedPiece | undefined {
  const value = fields[key]
  if (typeof value === 'string') {
    if (value.length <= LONG_STRING && !value.includes('\n')) return undefined
    const isContent = (textKeys as readonly string[]).includes(key)
    const path = isContent ? nameOf(fields) : undefined
    const pathKey = path === undefined ? undefined : pathKeys.find(one => own(fields, one) === path)
    if (/^(?:@@ -\d|--- |diff --git )/.test(value)) return { kind: 'diff', name: path, diff: value }
    if (pathKey !== undefined) used.add(pathKey)
    return { kind: 'text', name: path ?? key, text: value }
  }
  if (Array.isArray(value) && value.length > 0 && value.every(one => typeof one === 'string' && one.length <= 400)) {
    return { kind: 'paths', name: key, paths: value as string[] }
  }
  return undefined
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}
