/** What begins a stretch of a file: where it was, where it is, and how many lines it has in each. */
const hunkHead = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?$/
/** What git says of a file before its lines. */
const gitHeads =
  /^(?:index [\da-f]+\.\.[\da-f]+(?: \d{6})?|(?:new file|deleted file|old|new) mode \d{6}|(?:dis)?similarity index \d{1,3}%|(?:rename|copy) (?:from|to) .+)$/
const noBreak = '\\ No newline at end of file'

/**
 * Whether a text is a diff in the unified format from its first line to its last: every line is the head of a file or of a
 * hunk, or a line of a hunk that has exactly as many as its head says. Anything else is text that looks like a diff, and
 * drawing it as one would leave something out.
 */
export function isUnifiedDiff(text: string): boolean {
  if (!/^(?:@@ -\d|--- |diff --git )/.test(text)) return false
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  let at = 0
  let hunks = 0
  while (at < lines.length) {
    const line = lines[at]!
    if (hunkHead.test(line)) {
      const end = hunkEnd(lines, at)
      if (end === undefined) return false
      hunks++
      at = end
    } else {
      const end = fileHeadEnd(lines, at)
      if (end === undefined) return false
      at = end
    }
  }
  return hunks > 0
}

/** The line after the head of a file; undefined where there is none. */
function fileHeadEnd(lines: readonly string[], from: number): number | undefined {
  let at = from
  // Diffs of several files may be joined with a blank line.
  while (at > 0 && lines[at] === '') at++
  const isGit = lines[at]?.startsWith('diff --git ') === true
  if (isGit) {
    at++
    while (at < lines.length && gitHeads.test(lines[at]!)) at++
  }
  if (lines[at]?.startsWith('--- ') === true) {
    return lines[at + 1]?.startsWith('+++ ') === true && hunkHead.test(lines[at + 2] ?? '') ? at + 2 : undefined
  }
  // A file that was only renamed, or got other rights, has no lines.
  return isGit && at > from + 1 ? at : undefined
}

/** The line after a hunk; undefined where it has more or fewer lines than its head says. */
function hunkEnd(lines: readonly string[], from: number): number | undefined {
  const [, , before = '1', , after = '1'] = hunkHead.exec(lines[from]!)!
  let [old, now] = [Number(before), Number(after)]
  if (old + now === 0) return undefined
  let at = from + 1
  while (old > 0 || now > 0) {
    if (at >= lines.length) return undefined
    // Some programs leave the blank of an empty line out.
    const sign = lines[at]![0] ?? ' '
    if (sign === ' ' || sign === '-') old--
    if (sign === ' ' || sign === '+') now--
    if (old < 0 || now < 0 || !(sign === ' ' || sign === '-' || sign === '+' || lines[at] === noBreak)) return undefined
    at++
  }
  return lines[at] === noBreak ? at + 1 : at
}

/** What a diff shows of the text of files: its lines, with and without their signs. */
export function linesInDiff(diff: string): Set<string> {
  const lines = diff.split('\n')
  return new Set([...lines, ...lines.map(line => line.slice(1))])
}

/** A text up to this length is shown beside a diff that holds it. */
const SHORT = 120
/** Parameters whose text becomes the text of a file: a diff has of it what changes. */
const contents = /^(?:contents?|text|body|patch|diff|search|replace|(?:old|new)_(?:string|text|str)|before|after)$/

/**
 * Whether what a parameter says can be read in a diff that the run foresees, so that it need not be shown beside it: a long
 * text each of whose lines is one of the diff, or the content of a file, of which the diff has what changes. What is short
 * is never left out.
 */
export function isInDiff(key: string, value: unknown, lines: ReadonlySet<string>): boolean {
  if (typeof value !== 'string' || (value.length <= SHORT && !value.includes('\n'))) return false
  const own = value.split('\n').filter(line => line.trim() !== '')
  return contents.test(key) ? own.some(line => lines.has(line)) : own.every(line => lines.has(line))
}
