import { wordStart } from '../output/word-start.ts'
import { type LineIndex, strictnessLevels } from './line-index.ts'

const LINES_SHOWN = 5
const CHARACTERS_SHOWN = 120
/** A line that occurs more often doesn't help to find the right place. */
const TOO_COMMON = 1000
const LEAST_SIMILARITY = 0.5

const loosest: number = strictnessLevels.length - 1

/** Tells the model which lines were not found, and which part of the text is most similar. */
export function describeMiss(
  index: LineIndex,
  expected: readonly string[],
  what: 'lines' | 'anchor',
  anchors: readonly string[],
): string {
  const lines = expected.slice(0, LINES_SHOWN).map(line => `\n    ${cut(line)}`)
  if (expected.length > LINES_SHOWN) lines.push(`\n    … and ${expected.length - LINES_SHOWN} more`)
  const missing =
    what === 'lines'
      ? `these lines are not in the file${anchors.length > 0 ? ' after the anchor' : ''}:${lines.join('')}`
      : `the anchor is not in the file${anchors.length > 1 ? ' in this order' : ''}:${lines.join('')}`
  const cure = 'Read the file again and write the hunk with the lines that it has now.'
  return `${missing}\n${describeNearest(index, expected)} ${cure}`
}

function describeNearest(index: LineIndex, expected: readonly string[]): string {
  if (index.lines.length === 0) return 'The file is empty.'
  const start = findBestStart(index, expected)
  if (start === undefined) return describeSimilar(index, expected.find(line => line.trim() !== '') ?? '')
  const first = Math.max(start, 0) + 1
  for (const [i, line] of expected.entries()) {
    if (index.isSame(start + i, line, loosest)) continue
    const fileLine = index.lines[start + i]
    const actual = fileLine === undefined ? 'is not there' : `is \`${cut(fileLine)}\``
    return `The nearest similar place is at line ${first}, but line ${start + i + 1} ${actual}, not \`${cut(line)}\`.`
  }
  return `They are at line ${first}, but before the anchor, or in a place that another hunk of this patch changes.`
}

function findBestStart(index: LineIndex, expected: readonly string[]): number | undefined {
  const votes = new Map<number, number>()
  let best: number | undefined
  for (const [i, line] of expected.entries()) {
    if (line.trim() === '') continue
    const places = index.places(line, loosest)
    if (places.length > TOO_COMMON) continue
    for (const place of places) {
      const count = (votes.get(place - i) ?? 0) + 1
      votes.set(place - i, count)
      if (best === undefined || count > votes.get(best)!) best = place - i
    }
  }
  return best
}

function describeSimilar(index: LineIndex, expected: string): string {
  const line = expected.trim()
  let best = -1
  let bestShare = LEAST_SIMILARITY
  for (const [i, other] of index.lines.entries()) {
    const share = getSimilarity(line, other.trim())
    if (share <= bestShare) continue
    best = i
    bestShare = share
  }
  if (best < 0) return 'Nothing in the file is similar.'
  return `The nearest similar line is line ${best + 1}: \`${cut(index.lines[best]!)}\`.`
}

/** How much of the longer line is the same at its beginning and its end. */
function getSimilarity(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return (start + end) / Math.max(a.length, b.length, 1)
}

function cut(line: string): string {
  return line.length > CHARACTERS_SHOWN ? `${line.slice(0, wordStart(line, CHARACTERS_SHOWN))}…` : line
}
