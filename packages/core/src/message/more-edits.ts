import { isRecord } from '../source/is-record.ts'

interface EditedLines {
  added: number
  removed: number
}

const replacements = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['oldString', 'newString'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['search', 'replace'],
  ['find', 'replace'],
] as const
const MANY_EDITS = 1000

/** Reads the input: an old and a new text, a list of them, or a patch. */
export function editedLines(input: unknown): EditedLines | undefined {
  if (!isRecord(input)) return undefined
  const { edits } = input
  if (!Array.isArray(edits)) {
    return replacedLines(input) ?? ['patch', 'diff', 'input'].map(key => patchedLines(input[key])).find(Boolean)
  }
  const changes = edits.slice(0, MANY_EDITS).map(replacedLines)
  if (changes.length === 0 || changes.includes(undefined)) return undefined
  return changes.reduce((sum, one) => ({ added: sum!.added + one!.added, removed: sum!.removed + one!.removed }))
}

/** Without the common beginning and end. */
function replacedLines(edit: unknown): EditedLines | undefined {
  if (!isRecord(edit)) return undefined
  for (const pair of replacements) {
    const [before, after] = pair.map(key => (Object.hasOwn(edit, key) ? edit[key] : undefined))
    if (typeof before === 'string' && typeof after === 'string') return compareLines(before, after)
  }
  return undefined
}

function compareLines(before: string, after: string): EditedLines {
  const [old, next] = [toLines(before), toLines(after)]
  const shorter = Math.min(old.length, next.length)
  let same = 0
  while (same < shorter && old[same] === next[same]) same++
  let tail = 0
  while (tail < shorter - same && old.at(-1 - tail) === next.at(-1 - tail)) tail++
  return { added: next.length - same - tail, removed: old.length - same - tail }
}

/** A line break at the end doesn't begin another line. */
export function toLines(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** In the unified format, in the `apply_patch` format, or in search/replace blocks. */
function patchedLines(patch: unknown): EditedLines | undefined {
  if (typeof patch !== 'string') return undefined
  if (/^[<-]{7} SEARCH/.test(patch)) return countBlocks(patch)
  return /^(?:@@ |--- [^\n]*\n\+\+\+ |diff --git |\*\*\* Begin Patch)/.test(patch.slice(0, 1000))
    ? countMarks(patch)
    : undefined
}

function countMarks(patch: string): EditedLines {
  const lines = toLines(patch)
  const count = (mark: RegExp) => lines.filter(line => mark.test(line)).length
  return { added: count(/^\+(?!\+\+ )/), removed: count(/^-(?!-- )/) }
}

function countBlocks(patch: string): EditedLines {
  const count = { added: 0, removed: 0 }
  let inside: 'removed' | 'added' | undefined
  for (const line of toLines(patch)) {
    if (/^[<-]{7} SEARCH/.test(line)) inside = 'removed'
    else if (inside !== undefined && line.startsWith('=======')) inside = 'added'
    else if (/^[>+]{7} REPLACE/.test(line)) inside = undefined
    else if (inside !== undefined) count[inside]++
  }
  return count
}
