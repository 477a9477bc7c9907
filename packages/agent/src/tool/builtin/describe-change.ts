import { countLines, lineDiff } from '../line-diff.ts'

/** What a tool did to a file, for the user interface: the `details` of an outcome. */
export interface FileChangeDetails {
  /** As tools show it: relative to the working folder if it is inside. */
  path: string
  created: boolean
  before?: TextSize
  after?: TextSize
  /** The changed lines as a unified diff, cut if there are many. */
  diff?: string
}

export interface TextSize {
  bytes: number
  lines: number
}

/** `before` is undefined if there was no file, or it was not text. */
export function describeChange(
  path: string,
  created: boolean,
  before: string | undefined,
  after: string,
): FileChangeDetails {
  const change: FileChangeDetails = { path, created, after: measureText(after) }
  if (before !== undefined) change.before = measureText(before)
  if (created || before !== undefined) change.diff = lineDiff(before ?? '', after)
  return change
}

function measureText(text: string): TextSize {
  return { bytes: Buffer.byteLength(text), lines: countLines(text) }
}

/** For example, `3 lines, 120 bytes`. */
export function describeSize(text: string): string {
  const { bytes, lines } = measureText(text)
  return `${lines} ${lines === 1 ? 'line' : 'lines'}, ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
}
