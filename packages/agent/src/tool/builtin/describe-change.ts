import { countLines, lineDiff } from '../line-diff.ts'

/** What a tool did to a file, for the user interface: the `details` of an outcome. */
export interface FileChange {
  /** As it is shown, relative to the working folder where it lies there. */
  path: string
  created: boolean
  before?: TextSize
  after?: TextSize
  /** The lines that changed, in the unified format, cut when there are many. */
  diff?: string
}

export interface TextSize {
  bytes: number
  lines: number
}

/** Compares two texts of a file. `before` is undefined if there was no file, or no text in it. */
export function describeChange(path: string, created: boolean, before: string | undefined, after: string): FileChange {
  const change: FileChange = { path, created, after: measureText(after) }
  if (before !== undefined) change.before = measureText(before)
  if (created || before !== undefined) change.diff = lineDiff(before ?? '', after)
  return change
}

function measureText(text: string): TextSize {
  return { bytes: Buffer.byteLength(text), lines: countLines(text) }
}

/** The size of a text, in words: `3 lines, 120 bytes`. */
export function describeSize(text: string): string {
  const { bytes, lines } = measureText(text)
  return `${lines} ${lines === 1 ? 'line' : 'lines'}, ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
}
