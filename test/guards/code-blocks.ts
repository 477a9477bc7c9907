/** A fenced block of a Markdown page. */
export interface CodeBlock {
  /** The line of the opening fence, from 1. */
  line: number
  /** The first word after the fence, empty if there is none. */
  language: string
  /** The name after `file=` on the fence: the file that a reader makes of the block. */
  file: string | undefined
  /** The file that the comment above claims the code is from: `<!-- example: examples/01-parse.ts -->`. */
  example: string | undefined
  /** Any other comment right above the fence. */
  mark: BlockMark | undefined
  /** Every line ended by a line feed. */
  code: string
}

/** `<!-- fragment: REASON -->`; further lines of the comment are code that the page leaves out. */
export interface BlockMark {
  kind: string
  reason: string
  /** What the reader's program has around the block, such as declarations. */
  around: string
}

/** The fenced blocks of a page, in reading order. A fence inside a longer fence is code. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const lines = markdown.split(/\r?\n/)
  let open: { block: CodeBlock; fence: string; indent: number } | undefined
  for (const [index, line] of lines.entries()) {
    const [, indent = '', fence = '', info = ''] = /^( {0,3})(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? []
    if (open !== undefined) {
      if (fence.startsWith(open.fence) && info === '') open = undefined
      else open.block.code += `${line.slice(Math.min(open.indent, line.search(/\S|$/)))}\n`
    } else if (fence !== '') {
      const mark = readMark(lines.slice(0, index))
      const example = mark?.kind === 'example' ? mark.reason : undefined
      const block = {
        line: index + 1,
        language: info.split(/[\s{]/)[0] ?? '',
        file: /\bfile=(\S+)/.exec(info)?.[1],
        example,
        mark: example === undefined ? mark : undefined,
        code: '',
      }
      blocks.push(block)
      open = { block, fence, indent: indent.length }
    }
  }
  return blocks
}

/** The comment that ends on the last of these lines. */
function readMark(lines: readonly string[]): BlockMark | undefined {
  if (!lines.at(-1)?.trimEnd().endsWith('-->')) return undefined
  const text = lines.slice(lines.findLastIndex(line => line.trimStart().startsWith('<!--'))).join('\n')
  const [, kind, reason, around = ''] = /^\s*<!--\s*([\w ]+?):[ ]*([^\n]*?)\s*(?:\n([\s\S]*?))?-->\s*$/.exec(text) ?? []
  return kind === undefined ? undefined : { kind, reason: reason!, around }
}
