/** The parsed state of a growing text: its finished blocks, and where the unfinished one begins. */
export interface MarkdownBlocks {
  text: string
  blocks: readonly string[]
  from: number
}

export const noBlocks: MarkdownBlocks = { text: '', blocks: [''], from: 0 }

const listItem = /^ {0,3}(?:[*+-]|\d{1,9}[.)])(?:\s|$)/
/** What may still become an item's number. */
const openNumber = /^\d{1,9}$/
/** The beginning of a fence, including the list marks right before it. */
const fence = /^( {0,3}(?:(?:[*+-]|\d{1,9}[.)]) +)+)? {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const fenceEnd = /^( *)(`{3,}|~{3,})\s*$/

/**
 * A text's top-level blocks. `before` is the result for an earlier, shorter text: only its last block is read again. A
 * block ends at an empty line, except inside a fence, inside a list, before an indented line, and, if formulas are
 * drawn, inside a formula between `$$`.
 */
export function markdownBlocks(text: string, before: MarkdownBlocks = noBlocks, hasMath = false): MarkdownBlocks {
  if (text === before.text) return before
  const isLonger = text.length >= before.text.length && text.startsWith(before.text)
  const from = isLonger ? before.from : 0
  const blocks = isLonger ? before.blocks.slice(0, -1) : []
  const state = stateAt(from, hasMath)
  for (let at = from; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    const line = text.slice(at, end < 0 ? text.length : end)
    const isItem = listItem.test(line) || (end < 0 && openNumber.test(line))
    if (startsBlock(line, state, isItem) && at > state.begin) {
      blocks.push(text.slice(state.begin, at))
      state.begin = at
      state.isList = false
    }
    readLine(line, state)
    at = next
  }
  blocks.push(text.slice(state.begin))
  return { text, blocks, from: state.begin }
}

interface BlockScan {
  begin: number
  open: string
  /** The indentation of the list items around it. */
  indent: number
  isBlank: boolean
  isList: boolean
  hasMath: boolean
}

function stateAt(begin: number, hasMath = false): BlockScan {
  return { begin, open: '', indent: 0, isBlank: false, isList: false, hasMath }
}

const formula = /^ {0,3}\$\$(?!.*\S.*\$\$\s*$)/
const formulaEnd = /\$\$\s*$/

export function hasOpenFence(block: string): boolean {
  const state = stateAt(0)
  for (const line of block.split('\n')) readLine(line, state)
  return state.open !== ''
}

function startsBlock(line: string, { open, isBlank, isList }: BlockScan, isItem: boolean): boolean {
  if (open !== '' || !isBlank || line.trim() === '' || /^\s/.test(line)) return false
  return !(isList && isItem)
}

function readLine(line: string, state: BlockScan): void {
  // An item ends at a line with less indentation, and its fence ends with it.
  if (line.trim() !== '' && line.search(/\S/) < state.indent) state.open = ''
  if (state.open === '$$') {
    if (formulaEnd.test(line)) state.open = ''
  } else if (state.open === '' && state.hasMath && formula.test(line)) state.open = '$$'
  else if (state.open === '') {
    const [, items = '', mark = ''] = fence.exec(line) ?? []
    state.open = mark
    state.indent = items.length
    if (listItem.test(line)) state.isList = true
  } else {
    const [, blanks = '', mark = ''] = fenceEnd.exec(line) ?? []
    if (mark.startsWith(state.open) && blanks.length <= state.indent + 3) state.open = ''
  }
  state.isBlank = line.trim() === ''
}

/** A link definition. A footnote is not one: it is shown where it is written. */
const definition = new RegExp(
  [
    /^ {0,3}\[(?!\^) *[^[\]\\\s][^[\]\\]{0,199}\]:[ \t]*/,
    /(?:<[^<>]{0,2000}>|[^\s<]\S{0,2000})/,
    /(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$/,
  ]
    .map(({ source }) => source)
    .join(''),
)

/** A text's link definitions, which apply to all of its blocks. Code has none. */
export function linkDefinitions(blocks: readonly string[]): string {
  let definitions = ''
  for (const block of blocks) {
    if (!block.includes(']:')) continue
    const state = stateAt(0)
    for (const line of block.split('\n')) {
      readLine(line, state)
      if (state.open === '' && definition.test(line)) definitions += `${line}\n`
    }
  }
  return definitions === '' ? '' : `${definitions}\n`
}

/** Reads a growing text repeatedly, each block once. */
export class BlockReader {
  #result: MarkdownBlocks = noBlocks
  /** The finished blocks' definitions, and how many blocks were checked. */
  #definitions = ''
  #checkedBlocks = 0
  readonly #hasMath: boolean

  constructor(hasMath = false) {
    this.#hasMath = hasMath
  }

  get blocks(): readonly string[] {
    return this.#result.blocks
  }

  read(text: string): MarkdownBlocks {
    const before = this.#result
    if (text === before.text) return before
    this.#result = markdownBlocks(text, before, this.#hasMath)
    if (!text.startsWith(before.text)) {
      this.#checkedBlocks = 0
      this.#definitions = ''
    }
    const last = this.#result.blocks.length - 1
    if (this.#checkedBlocks < last) {
      this.#definitions += linkDefinitions(this.#result.blocks.slice(this.#checkedBlocks, last))
      this.#checkedBlocks = last
    }
    return this.#result
  }

  /** The link definitions of all blocks. While the last block is open, only its complete lines are read. */
  definitions(isOpen: boolean): string {
    const last = this.blocks.at(-1)!
    const whole = isOpen ? last.slice(0, last.lastIndexOf('\n') + 1) : last
    return whole.includes(']:') ? this.#definitions + linkDefinitions([whole]) : this.#definitions
  }
}

/** Characters that may mean something in Markdown, anywhere or at the beginning of a line. */
const mark = /[`*_~[\]<>#|!\\&@\r\0]|:\/\/|www\.|^[ \t\-+=]|^\d{1,9}[.)]|[ \t]\n|\n[ \t]*\n[\s\S]*\S/im

/** The text of a block that Markdown would show unchanged as one plain paragraph; undefined for any other. */
export function plainBlock(source: string): string | undefined {
  const text = source.trimEnd()
  return text === '' || mark.test(text) ? undefined : text
}
