export interface DiffHunk {
  before: string
  after: string
}

/** Reads the hunks of a one-file unified diff. Lines outside hunks are skipped. */
export function readHunks(diff: string): DiffHunk[] {
  const hunks: { before: string[]; after: string[] }[] = []
  let [beforeLeft, afterLeft] = [0, 0]
  for (const line of diff.split('\n')) {
    const hunk = hunks.at(-1)
    if (beforeLeft > 0 || afterLeft > 0) {
      const text = line.slice(1)
      if (line.startsWith('-')) beforeLeft--
      else if (line.startsWith('+')) afterLeft--
      else if (!line.startsWith('\\')) {
        beforeLeft--
        afterLeft--
      }
      if (line.startsWith('\\')) continue
      if (!line.startsWith('+')) hunk?.before.push(text)
      if (!line.startsWith('-')) hunk?.after.push(text)
      continue
    }
    const head = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (head === null) continue
    beforeLeft = Number(head[1] ?? 1)
    afterLeft = Number(head[2] ?? 1)
    hunks.push({ before: [], after: [] })
  }
  return hunks.map(({ before, after }) => ({ before: before.join('\n'), after: after.join('\n') }))
}
