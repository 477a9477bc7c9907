import { cutOutput } from './output/cut-output.ts'

const CONTEXT = 3
/** A call's details may have 64 KiB; this leaves room for the rest of them. */
const DIFF_BYTES = 48 * 1024

/** One unified hunk, from the first line that differs to the last. Linear, and cut if it is long. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return ''
  const [old, now] = [splitLines(before), splitLines(after)]
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const from = Math.max(0, head - CONTEXT)
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail]
  const more = Math.min(tail, CONTEXT)
  const range = (end: number): string => {
    const count = end + more - from
    return `${count === 0 ? from : from + 1},${count}`
  }
  const lines = [
    `@@ -${range(oldEnd)} +${range(nowEnd)} @@`,
    ...prefixLines(' ', old, from, head),
    ...prefixLines('-', old, head, oldEnd),
    ...prefixLines('+', now, head, nowEnd),
    ...prefixLines(' ', old, oldEnd, oldEnd + more),
  ]
  return cutOutput(`${lines.join('\n')}\n`, DIFF_BYTES)
}

/** Lines keep their endings. */
function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function prefixLines(mark: string, lines: readonly string[], from: number, to: number): string[] {
  return lines
    .slice(from, to)
    .map(line => (line.endsWith('\n') ? `${mark}${line.slice(0, -1)}` : `${mark}${line}\n\\ No newline at end of file`))
}

/** A newline at the end starts no further line. */
export function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}
