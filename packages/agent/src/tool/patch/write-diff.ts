export interface Diff {
  added: number
  removed: number
  /** As a unified diff; a very long one is cut. */
  text: string
}

const CONTEXT = 3
const MOST_CHARACTERS = 200_000

/** `origins` has the original number of each line, in rising order, or -1 for a new one. */
export function writeDiff(original: readonly string[], lines: readonly string[], origins: readonly number[]): Diff {
  const changes = findChanges(original.length, origins)
  const out: string[] = []
  let added = 0
  let removed = 0
  let characters = 0
  let hidden = 0
  const put = (text: string): void => {
    characters += text.length + 1
    if (characters <= MOST_CHARACTERS) out.push(text)
    else hidden++
  }
  for (let from = 0; from < changes.length; ) {
    let to = from + 1
    while (to < changes.length && changes[to]!.oldStart - changes[to - 1]!.oldEnd <= CONTEXT * 2) to++
    putGroup(changes.slice(from, to), original, lines, put)
    from = to
  }
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    removed += oldEnd - oldStart
    added += newEnd - newStart
  }
  if (hidden > 0) out.push(`… ${hidden} more lines`)
  return { added, removed, text: out.join('\n') }
}

interface LineChange {
  oldStart: number
  oldEnd: number
  newStart: number
  newEnd: number
}

function findChanges(originalLength: number, origins: readonly number[]): LineChange[] {
  const changes: LineChange[] = []
  let oldAt = 0
  let newAt = 0
  for (let i = 0; i <= origins.length; i++) {
    const origin = i === origins.length ? originalLength : origins[i]!
    if (origin < 0) continue
    if (origin > oldAt || i > newAt) changes.push({ oldStart: oldAt, oldEnd: origin, newStart: newAt, newEnd: i })
    oldAt = origin + 1
    newAt = i + 1
  }
  return changes
}

function putGroup(
  changes: readonly LineChange[],
  original: readonly string[],
  lines: readonly string[],
  put: (text: string) => void,
): void {
  const firstChange = changes[0]!
  const lastChange = changes.at(-1)!
  const before = Math.min(CONTEXT, firstChange.oldStart)
  const after = Math.min(CONTEXT, original.length - lastChange.oldEnd)
  const oldRange = describeRange(firstChange.oldStart - before, lastChange.oldEnd + after)
  const newRange = describeRange(firstChange.newStart - before, lastChange.newEnd + after)
  put(`@@ -${oldRange} +${newRange} @@`)
  let at = firstChange.oldStart - before
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    for (; at < oldStart; at++) put(` ${original[at]}`)
    for (; at < oldEnd; at++) put(`-${original[at]}`)
    for (let i = newStart; i < newEnd; i++) put(`+${lines[i]}`)
  }
  for (; at < lastChange.oldEnd + after; at++) put(` ${original[at]}`)
}

/** A range without lines is named by the line before it. */
function describeRange(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`
}
