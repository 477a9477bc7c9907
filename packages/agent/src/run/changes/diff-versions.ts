import { isUtf8 } from 'node:buffer'
import { lineDiff } from '@argot/core/stream/internal'
import { type Diff, writeDiff } from '../../tool/patch/write-diff.ts'

const MOST_COMPARED_BYTES = 1024 * 1024

/** The change as a unified diff. Undefined if one of the contents isn't text or is too long. */
export function diffVersions(before: Uint8Array | null, after: Uint8Array | null): Diff | undefined {
  const [old, now] = [toLines(before), toLines(after)]
  if (old === undefined || now === undefined) return undefined
  const work = lineDiff(old, now)
  let step = work.next()
  while (step.done !== true) step = work.next()
  const origins: number[] = []
  let at = 0
  for (const { kind, lines } of step.value) {
    for (const _ of lines) if (kind !== 'removed') origins.push(kind === 'same' ? at++ : -1)
    if (kind === 'removed') at += lines.length
  }
  return writeDiff(old, now, origins)
}

function toLines(content: Uint8Array | null): string[] | undefined {
  if (content === null || content.length === 0) return []
  if (content.length > MOST_COMPARED_BYTES || content.includes(0) || !isUtf8(content)) return undefined
  const lines = Buffer.from(content).toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
