import { ToolFailure } from '../../words/tool-failure.ts'

/** One section of a patch, from `line` to `end` in the patch, counted from 1. */
export type PatchSection = { path: string; line: number; end: number } & (
  | { kind: 'add'; lines: readonly string[] }
  | { kind: 'delete' }
  | { kind: 'update'; moveTo: string | undefined; hunks: readonly PatchHunk[] }
)

export type UpdateSection = Extract<PatchSection, { kind: 'update' }>

export interface PatchHunk {
  line: number
  end: number
  /** It begins with `@@`, so its beginning doesn't depend on the lines before it. */
  isMarked: boolean
  /** Lines that come before the place, the outermost first. */
  anchors: readonly string[]
  lines: readonly HunkLine[]
  atEnd: boolean
}

export interface HunkLine {
  mark: ' ' | '-' | '+'
  text: string
}

const HEADER = /^\*\*\* (Add|Delete|Update) File:(.*)$/
const MOVE = /^\*\*\* Move to:(.*)$/
/** What models put before a patch: empty lines, code fences, the beginning of a heredoc. */
const BEFORE = /^\s*(?:$|```|~~~|apply_patch\s*$|.*<<-?\s*["']?\w+)/
/** What models put after a patch: a fence, the word that ends a heredoc, closing quotes. */
const AFTER = /^\s*(?:$|```|~~~|\w*["')\s]*$)/
/** The line numbers of a unified diff, which models add out of habit and get wrong. */
const RANGE = /^-\d+(?:,\d+)? \+\d+(?:,\d+)?(?: ?@@.*)?$/

/**
 * Parses a patch as models write it. Throws `TOOL_BAD_PATCH` with the line that can't be parsed.
 *
 *     *** Begin Patch
 *     *** Update File: src/a.ts
 *     @@ function add
 *     -  return a - b
 *     +  return a + b
 *     *** End Patch
 */
export function parsePatch(text: string): PatchSection[] {
  return new PatchReader(text).read()
}

class PatchReader {
  /** Without line endings. */
  readonly #lines: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#lines = text
      .replace(/^\uFEFF/, '')
      .split('\n')
      .map(line => (line.endsWith('\r') ? line.slice(0, -1) : line))
  }

  read(): PatchSection[] {
    this.#readBeginning()
    const sections: PatchSection[] = []
    for (;;) {
      this.#skipBlank()
      const line = this.#lines[this.#at]
      if (line === undefined) throw this.#bad('The patch ends without `*** End Patch`; it may have been cut off.')
      if (line.trim() === '*** End Patch') break
      sections.push(this.#readSection(line))
    }
    if (sections.length === 0)
      throw this.#bad('The patch has no `*** Add File:`, `*** Update File:` or `*** Delete File:`.')
    this.#readEnding()
    return sections
  }

  #readBeginning(): void {
    while (this.#at < this.#lines.length && BEFORE.test(this.#lines[this.#at]!)) this.#at++
    const line = this.#lines[this.#at] ?? ''
    if (line.trim() === '*** Begin Patch') this.#at++
    else if (!HEADER.test(line)) throw this.#bad('A patch begins with the line `*** Begin Patch`.')
  }

  #readEnding(): void {
    for (this.#at++; this.#at < this.#lines.length; this.#at++) {
      if (!AFTER.test(this.#lines[this.#at]!)) throw this.#bad('Nothing may follow `*** End Patch`.')
    }
  }

  #readSection(header: string): PatchSection {
    const match = HEADER.exec(header)
    if (match === null) {
      throw this.#bad(
        '`*** Add File: PATH`, `*** Update File: PATH`, `*** Delete File: PATH` or `*** End Patch` is expected here.',
      )
    }
    const line = this.#at + 1
    const path = this.#readPath(match[2]!)
    this.#at++
    if (match[1] === 'Delete') return { kind: 'delete', path, line, end: this.#at }
    if (match[1] === 'Update') return { ...this.#readUpdate(path), path, line, end: this.#at }
    return { kind: 'add', lines: this.#readAdded(), path, line, end: this.#at }
  }

  #readPath(text: string): string {
    const path = text.trim()
    if (path === '') throw this.#bad('The path is missing.')
    if (path.endsWith('/')) throw this.#bad('The path is a folder; a patch changes files.')
    return path
  }

  #readAdded(): string[] {
    const added: string[] = []
    let blank = 0
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at]!
      if (line.startsWith('+')) {
        // An empty line between two added lines belongs to the file, although its + is missing.
        for (; blank > 0; blank--) added.push('')
        added.push(line.slice(1))
      } else if (line.trim() === '') blank++
      else if (line.startsWith('*** ')) break
      else throw this.#bad('Every line of an added file begins with +.')
    }
    return added
  }

  #readUpdate(path: string): Pick<UpdateSection, 'kind' | 'moveTo' | 'hunks'> {
    this.#skipBlank()
    const move = MOVE.exec(this.#lines[this.#at] ?? '')
    const moveTo = move === null ? undefined : this.#readPath(move[1]!)
    if (move !== null) this.#at++
    this.#skipDiffHeader()
    const hunks: PatchHunk[] = []
    for (let hunk = this.#readHunk(); hunk !== undefined; hunk = this.#readHunk()) hunks.push(hunk)
    if (hunks.length === 0 && moveTo === undefined) throw this.#bad(`The update of ${path} has no hunk.`)
    return { kind: 'update', moveTo, hunks }
  }

  /** `--- a/file` and `+++ b/file`, which models write out of habit. */
  #skipDiffHeader(): void {
    const [first = '', second = ''] = this.#lines.slice(this.#at, this.#at + 2)
    if (first.startsWith('--- ') && second.startsWith('+++ ')) this.#at += 2
  }

  /**
   * At the first line of a hunk, which may lack its `@@`.
   *
   * > | @@ class Cart
   *     ^
   *   | @@   total() {
   *   | -    return 0
   */
  #readHunk(): PatchHunk | undefined {
    this.#skipBlank()
    const start = this.#at
    const anchors = this.#readAnchors()
    const lines: HunkLine[] = []
    let blank = 0
    let atEnd = false
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at]!
      if (line.startsWith('@@')) break
      if (line.startsWith('*** ')) {
        atEnd = line.trimEnd() === '*** End of File'
        if (atEnd) this.#at++
        break
      }
      if (line === '') {
        blank++
        continue
      }
      // Empty lines before another line are context without the leading space. Those at the end only separate sections.
      for (; blank > 0; blank--) lines.push({ mark: ' ', text: '' })
      const hunkLine = readHunkLine(line)
      if (hunkLine !== undefined) lines.push(hunkLine)
    }
    if (this.#at === start) return undefined
    if (!lines.some(({ mark }) => mark !== ' ')) {
      this.#at = start
      throw this.#bad('This hunk changes nothing: no line of it begins with + or -.')
    }
    const isMarked = this.#lines[start]!.startsWith('@@')
    return { line: start + 1, end: this.#at, isMarked, anchors, lines, atEnd }
  }

  #readAnchors(): string[] {
    const anchors: string[] = []
    for (; this.#lines[this.#at]?.startsWith('@@'); this.#at++) {
      const text = this.#lines[this.#at]!.slice(2).replace(/^ /, '')
      const anchor = RANGE.test(text.trim()) ? '' : text.replace(/\s*@@\s*$/, '')
      if (anchor.trim() !== '' && anchor.trim() !== '...') anchors.push(anchor)
    }
    return anchors
  }

  #skipBlank(): void {
    while (this.#lines[this.#at]?.trim() === '') this.#at++
  }

  #bad(problem: string): ToolFailure {
    const line = this.#lines[this.#at]
    const place = line === undefined ? '' : ` Line ${this.#at + 1} of the patch is \`${line.slice(0, 120)}\`.`
    return new ToolFailure('TOOL_BAD_PATCH', `${problem}${place} Nothing was changed.`)
  }
}

/** A line without a mark is context: it changes nothing, but must be found in the file like any other. */
function readHunkLine(line: string): HunkLine | undefined {
  const mark = line[0]
  if (mark === ' ' || mark === '-' || mark === '+') return { mark, text: line.slice(1) }
  if (line.startsWith('\\ No newline')) return undefined
  return { mark: ' ', text: line }
}
