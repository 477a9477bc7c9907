/** First line and number of lines, before and after. */
const hunkHead = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?$/
/** Git writes these lines before a file's hunks. */
const gitHeads =
  /^(?:index [\da-f]+\.\.[\da-f]+(?: \d{6})?|(?:new file|deleted file|old|new) mode \d{6}|(?:dis)?similarity index \d{1,3}%|(?:rename|copy) (?:from|to) .+)$/
const noNewlineMark = '\\ No newline at end of file'

/**
 * True for a unified diff from the first line to the last. Every line must be the head of a file or a hunk, or belong
 * to a hunk with exactly as many lines as its head states. Any other text only looks like a diff, and showing it as one
 * would leave something out.
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

function fileHeadEnd(lines: readonly string[], from: number): number | undefined {
  let at = from
  // Diffs of several files may be joined with an empty line.
  while (at > 0 && lines[at] === '') at++
  const isGit = lines[at]?.startsWith('diff --git ') === true
  if (isGit) {
    at++
    while (at < lines.length && gitHeads.test(lines[at]!)) at++
  }
  if (lines[at]?.startsWith('--- ') === true) {
    return lines[at + 1]?.startsWith('+++ ') === true && hunkHead.test(lines[at + 2] ?? '') ? at + 2 : undefined
  }
  // A file that was only renamed, or whose permissions changed, has no hunks.
  return isGit && at > from + 1 ? at : undefined
}

/** Undefined if the hunk has more or fewer lines than its head states. */
function hunkEnd(lines: readonly string[], from: number): number | undefined {
  const [, , before = '1', , after = '1'] = hunkHead.exec(lines[from]!)!
  let [old, now] = [Number(before), Number(after)]
  if (old + now === 0) return undefined
  let at = from + 1
  while (old > 0 || now > 0) {
    if (at >= lines.length) return undefined
    // Some programs omit the space of an empty line.
    const sign = lines[at]![0] ?? ' '
    if (sign === ' ' || sign === '-') old--
    if (sign === ' ' || sign === '+') now--
    if (old < 0 || now < 0 || !(sign === ' ' || sign === '-' || sign === '+' || lines[at] === noNewlineMark))
      return undefined
    at++
  }
  return lines[at] === noNewlineMark ? at + 1 : at
}

export function linesInDiff(diff: string): Set<string> {
  const lines = diff.split('\n')
  return new Set([...lines, ...lines.map(line => line.slice(1))])
}

/** A single line up to this length is always shown beside the diff. */
const SHORT = 120
/** Such a text becomes a file's text, and the diff shows its changes. */
const contentKeys = /^(?:contents?|text|body|patch|diff|search|replace|(?:old|new)_(?:string|text|str)|before|after)$/

/**
 * True if the value doesn't have to be shown beside the diff: a long text whose lines are all in the diff, or a file's
 * content, whose changes the diff has. A short value is never left out.
 */
export function isInDiff(key: string, value: unknown, lines: ReadonlySet<string>): boolean {
  if (typeof value !== 'string' || (value.length <= SHORT && !value.includes('\n'))) return false
  const valueLines = value.split('\n').filter(line => line.trim() !== '')
  return contentKeys.test(key) ? valueLines.some(line => lines.has(line)) : valueLines.every(line => lines.has(line))
}
