import { type EditPart, isInDiff, isRecord, isUnifiedDiff, linesInDiff, visibleLine } from '@argot/core/stream/internal'
import { commandLine, isWords } from './command-words.ts'

/** One piece of an input, in the form that a person can judge, and the fields that it shows. */
export type JudgedPiece =
  | { kind: 'command'; keys: readonly string[]; command: string }
  | {
      kind: 'diff'
      keys: readonly string[]
      name: string | undefined
      /** The run itself supplies it, so its heads have no further meaning. */
      isPredicted?: true
      before?: string
      after?: string
      diff?: string
    }
  | { kind: 'text'; keys: readonly string[]; name: string | undefined; text: string }
  | { kind: 'paths'; name: string; paths: readonly string[] }
  /** The fields that no other piece shows. */
  | { kind: 'rest'; value: unknown }

/** What the run that asks says about an input. */
export interface InputNotes {
  /** The words of the command line that it makes. */
  command?: readonly string[] | undefined
  /** What it would do to files. */
  diff?: string | undefined
  /** The same, as the changes that are approved one by one. */
  parts?: readonly EditPart[] | undefined
  /** The edit no longer applies to the files: nothing is drawn as a diff. */
  isStale?: boolean | undefined
  /** The call's subject, which is shown above the diff. */
  name?: string | undefined
}

type InputFields = Readonly<Record<string, unknown>>

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
/** A string longer than this, or with line breaks, becomes a separate text. */
const LONG_STRING = 120

/**
 * An input in a form that a person can judge: a command as a command line, an edit as a diff, long texts as text, lists
 * of paths as lists. Every field is in exactly one piece. The run's own information replaces exactly those fields that
 * say the same.
 */
export function judgedInput(input: unknown, toolName: string, notes: InputNotes = {}): JudgedPiece[] {
  const isStale = notes.isStale === true
  const predicted =
    notes.diff === undefined || isStale ? [] : [predictedPiece(notes.diff, input, findFileName(input, notes.name))]
  if (typeof input === 'string') return [...predicted, { kind: 'text', keys: [], name: toolName, text: input }]
  if (!isRecord(input)) return [...predicted, { kind: 'rest', value: input }]
  const used = new Set(predicted.flatMap(({ keys }) => keys))
  const pieces: JudgedPiece[] = [
    ...predicted,
    ...findCommands(input, toolName, notes.command, used),
    ...(isStale ? [] : findEdits(input, used)),
  ]
  for (const key of Object.keys(input)) {
    if (used.has(key)) continue
    const piece = toPiece(input, key, used, isStale)
    if (piece === undefined) continue
    used.add(key)
    pieces.push(piece)
  }
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !used.has(key)))
  if (Object.keys(rest).length > 0) pieces.push({ kind: 'rest', value: rest })
  return pieces.length === 0 ? [{ kind: 'rest', value: input }] : pieces
}

/** The fields that pieces show in a different form than written; undefined if there are none. */
export function pickRewritten(input: unknown, pieces: readonly JudgedPiece[]): InputFields | undefined {
  if (!isRecord(input)) return undefined
  const keys = new Set(pieces.flatMap(piece => (isRewritten(piece, input) ? piece.keys : [])))
  return keys.size === 0 ? undefined : Object.fromEntries(Object.entries(input).filter(([key]) => keys.has(key)))
}

/** A diff splits texts into lines, and a command line may quote words. */
function isRewritten(
  piece: JudgedPiece,
  fields: InputFields,
): piece is Extract<JudgedPiece, { kind: 'diff' | 'command' }> {
  if (piece.kind === 'diff') return true
  if (piece.kind !== 'command') return false
  const strings = piece.keys.flatMap(key => fields[key] as string | readonly string[])
  return !strings.every(text => piece.command.includes(text))
}

/** The file that a description names, as the input has it: the description has its hidden characters escaped. */
function findFileName(input: unknown, subject: string | undefined): string | undefined {
  const path = isRecord(input) ? findName(input) : undefined
  return path !== undefined && visibleLine(path) === subject ? path : subject
}

/** The run's prediction, with the fields that can be read in it. Anything but a complete diff is shown as text. */
function predictedPiece(
  diff: string,
  input: unknown,
  name: string | undefined,
): Extract<JudgedPiece, { kind: 'diff' | 'text' }> {
  if (!isUnifiedDiff(diff)) return { kind: 'text', keys: [], name, text: diff }
  const lines = linesInDiff(diff)
  const fields = isRecord(input) ? Object.entries(input) : []
  const keys = new Set(isRecord(input) ? editKeys(input, [...lines].join('\n')) : [])
  for (const [key, value] of fields) if (value === name || isInDiff(key, value, lines)) keys.add(key)
  return { kind: 'diff', keys: [...keys], name, isPredicted: true, diff }
}

/** The two texts of an edit, if each of their lines is in a line of the diff. */
function editKeys(fields: InputFields, lines: string): readonly string[] {
  const isThere = (value: unknown): boolean =>
    typeof value === 'string' && value.split('\n').every(line => lines.includes(line))
  return edits.find(pair => pair.every(key => isThere(own(fields, key)))) ?? []
}

/** A command line, including one whose words are separate inputs of a tool named after its program. */
function findCommands(
  fields: InputFields,
  toolName: string,
  runCommand: readonly string[] | undefined,
  used: Set<string>,
): JudgedPiece[] {
  const key = commandKeys.find(one => !used.has(one) && typeof own(fields, one) === 'string')
  const wordsKey = wordKeys.find(one => !used.has(one) && isLine(own(fields, one)))
  const keys = [key, wordsKey].filter(one => one !== undefined)
  const words = wordsKey === undefined ? [] : toWords(own(fields, wordsKey))
  const program = key === undefined ? toolName : String(own(fields, key))
  const inputCommand = words.length === 0 ? program : `${program} ${commandLine(words)}`
  if (runCommand === undefined) {
    for (const one of keys) used.add(one)
    return keys.length === 0 ? [] : [{ kind: 'command', keys, command: inputCommand }]
  }
  const command = commandLine(runCommand)
  // Fields are left out only if the known line contains each of their words.
  const isCovered =
    (key !== undefined && command === inputCommand) ||
    [...(key === undefined ? [] : [program]), ...words].every(word => runCommand.includes(word))
  const coveredKeys = isCovered ? keys : []
  for (const one of coveredKeys) used.add(one)
  return [{ kind: 'command', keys: coveredKeys, command }]
}

function isLine(value: unknown): boolean {
  return typeof value === 'string' || isWords(value)
}

function toWords(value: unknown): string[] {
  return typeof value === 'string' ? value.split(' ') : (value as string[])
}

function findEdits(fields: InputFields, used: Set<string>): JudgedPiece[] {
  const name = findName(fields)
  for (const [old, now] of edits) {
    const [before, after] = [own(fields, old), own(fields, now)]
    if (typeof before !== 'string' || typeof after !== 'string' || used.has(old) || used.has(now)) continue
    const keys: string[] = [old, now]
    const key = pathKeys.find(one => own(fields, one) === name)
    if (key !== undefined && !used.has(key)) keys.unshift(key)
    for (const one of keys) used.add(one)
    return [{ kind: 'diff', keys, name, before, after }]
  }
  return []
}

function findName(fields: InputFields): string | undefined {
  const path = pathKeys.map(key => own(fields, key)).find(value => typeof value === 'string')
  return path as string | undefined
}

function toPiece(fields: InputFields, key: string, used: Set<string>, isStale: boolean): JudgedPiece | undefined {
  const value = fields[key]
  if (typeof value === 'string') {
    if (value.length <= LONG_STRING && !value.includes('\n')) return undefined
    const isContent = (textKeys as readonly string[]).includes(key)
    const path = isContent ? findName(fields) : undefined
    if (!isStale && isUnifiedDiff(value)) return { kind: 'diff', keys: [key], name: path, diff: value }
    const pathKey = path === undefined ? undefined : pathKeys.find(one => own(fields, one) === path && !used.has(one))
    if (path === undefined || pathKey === undefined) return { kind: 'text', keys: [key], name: undefined, text: value }
    used.add(pathKey)
    return { kind: 'text', keys: [pathKey, key], name: path, text: value }
  }
  if (Array.isArray(value) && value.length > 0 && value.every(one => typeof one === 'string' && one.length <= 400)) {
    return { kind: 'paths', name: key, paths: value as string[] }
  }
  return undefined
}

function own(fields: InputFields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}
