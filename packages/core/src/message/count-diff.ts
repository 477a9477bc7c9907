export interface ChangedLines {
  added: number
  removed: number
}

function isDiff(text: string): boolean {
  return /^(?:@@ -\d|--- [^\n]*\n\+\+\+ |diff --git )/.test(text.slice(0, 1000))
}

/** Undefined if the text is not a diff. */
export function countDiff(diff: string): ChangedLines | undefined {
  if (!isDiff(diff)) return undefined
  const count = { added: 0, removed: 0 }
  let inHunk = false
  for (let at = 0; at < diff.length; ) {
    const end = diff.indexOf('\n', at)
    if (diff.startsWith('@@', at)) inHunk = true
    else if (beginsFile(diff, at, end)) inHunk = false
    else if (inHunk && diff[at] === '+') count.added++
    else if (inHunk && diff[at] === '-') count.removed++
    at = end < 0 ? diff.length : end + 1
  }
  return count
}

function beginsFile(diff: string, at: number, end: number): boolean {
  return diff.startsWith('diff --git ', at) || (diff.startsWith('--- ', at) && diff.startsWith('+++ ', end + 1))
}
