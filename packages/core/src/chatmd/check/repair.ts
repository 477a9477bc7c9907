import { parseDocument } from '../parse.ts'
import { type Fix, Problems } from '../problems.ts'

export interface RepairResult {
  text: string
  count: number
}

/** One repair can reveal another fault. More rounds than this don't help. */
const ROUNDS = 20

/**
 * Repairs what a program can: lost quotes, brackets, RAW marks and closing tags, `/>`, and tags in text written by a
 * model or a tool, which become RAW. Anything not known to be wrong stays unchanged.
 */
export function repairChatMd(source: string): RepairResult {
  let text = source
  let count = 0
  for (let round = 0; round < ROUNDS; round++) {
    const problems = new Problems()
    parseDocument(text, problems)
    const fixes = withoutOverlaps(problems.fixes)
    if (fixes.length === 0) break
    const repaired = applyAll(text, fixes)
    if (repaired === text) break
    text = repaired
    count += fixes.length
  }
  return { text, count }
}

function withoutOverlaps(fixes: readonly Fix[]): Fix[] {
  const accepted: Fix[] = []
  for (const fix of fixes) if (fix.start >= (accepted.at(-1)?.end ?? 0)) accepted.push(fix)
  return accepted
}

function applyAll(text: string, fixes: readonly Fix[]): string {
  const pieces: string[] = []
  let at = 0
  for (const fix of fixes) {
    pieces.push(text.slice(at, fix.start), fix.text)
    at = fix.end
  }
  pieces.push(text.slice(at))
  return pieces.join('')
}
