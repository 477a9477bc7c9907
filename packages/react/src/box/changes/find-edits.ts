import { type ToolInvocation, toolCalls } from '@argot/core'
import { type ChatTurnChanges, isRecord, isUnifiedDiff, lineDiff } from '@argot/core/stream/internal'
import type { ChatMessage } from '@argot/core/types'

export interface EditedFile {
  path: string
  added: number | undefined
  removed: number | undefined
  /** In order: a chat without a server has one for each call. */
  diffs: readonly FileDiff[]
}

export type FileDiff = { diff: string } | { before: string; after: string }

const pathKeys = ['path', 'file_path', 'filePath', 'file', 'filename'] as const
const replacements = [
  ['search', 'replace'],
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['old_text', 'new_text'],
] as const

export function toEditedFiles({ files }: ChatTurnChanges): EditedFile[] {
  return files.map(({ path, from, added, removed, diff }) => ({
    path: from === undefined ? path : `${from} → ${path}`,
    added,
    removed,
    diffs: diff === undefined || diff === '' ? [] : [{ diff }],
  }))
}

/** The files that a message's calls say they changed, each once, in call order. */
export function findEdits(message: ChatMessage): EditedFile[] {
  const files = new Map<string, EditedFile>()
  for (const call of toolCalls(message)) {
    if (call.state !== 'output-available') continue
    for (const edit of findCallEdits(call)) {
      const { path, added = 0, removed = 0, diffs } = files.get(edit.path) ?? { path: edit.path, diffs: [] }
      const file = {
        path,
        added: edit.added === undefined ? added : added + edit.added,
        removed: edit.removed === undefined ? removed : removed + edit.removed,
        diffs: [...diffs, ...edit.diffs],
      }
      files.set(edit.path, file)
    }
  }
  return [...files.values()]
}

function findCallEdits({ input, details }: ToolInvocation): EditedFile[] {
  const reported = (Array.isArray(details) ? details : [details]).flatMap(one => (isRecord(one) ? readDetail(one) : []))
  if (reported.length > 0) return reported
  if (!isRecord(input)) return []
  const path = pathKeys.map(key => input[key]).find(value => typeof value === 'string')
  if (typeof path !== 'string' || path === '') return []
  const lists = Array.isArray(input.edits) ? input.edits.slice(0, 100).filter(isRecord) : [input]
  const replaced = lists.flatMap(readReplacement)
  const { content } = input
  const diffs = replaced.length === 0 && typeof content === 'string' ? [{ before: '', after: content }] : replaced
  if (diffs.length === 0) return []
  const counts = diffs.map(countChanges)
  const sum = (key: 'added' | 'removed'): number => counts.reduce((total, one) => total + one[key], 0)
  return [{ path, added: sum('added'), removed: sum('removed'), diffs }]
}

function readDetail(detail: Record<string, unknown>): EditedFile[] {
  const { path, diff, added, removed } = detail
  if (typeof path !== 'string' || typeof diff !== 'string') return []
  const isCounted = typeof added === 'number' && typeof removed === 'number'
  const counts = isCounted ? { added, removed } : countMarks(diff)
  return [{ path, ...counts, diffs: isUnifiedDiff(diff) ? [{ diff }] : [] }]
}

function readReplacement(edit: Record<string, unknown>): { before: string; after: string }[] {
  for (const [old, now] of replacements) {
    const [before, after] = [edit[old], edit[now]]
    if (typeof before === 'string' && typeof after === 'string') return [{ before, after }]
  }
  return []
}

function countChanges({ before, after }: { before: string; after: string }): { added: number; removed: number } {
  const work = lineDiff(toLines(before), toLines(after))
  let step = work.next()
  while (step.done !== true) step = work.next()
  const count = (kind: string): number =>
    step.value?.reduce((total, run) => total + (run.kind === kind ? run.lines.length : 0), 0) ?? 0
  return { added: count('added'), removed: count('removed') }
}

/** A line break at the end begins no further line. */
function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function countMarks(diff: string): { added: number; removed: number } {
  const lines = diff.split('\n')
  const count = (mark: string): number => lines.filter(line => line.startsWith(mark)).length
  return { added: count('+'), removed: count('-') }
}
