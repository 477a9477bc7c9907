/** A fenced block of a Markdown page. */
export interface CodeBlock {
  /** The line of the opening fence, from 1. */
  line: number
  /** The first word after the fence, empty where there is none. */
  language: string
  /** The file that the line above claims the code is from: `<!-- example: examples/01-parse.ts -->`. */
  example: string | undefined
  /** Every line ended by a line feed. */
  code: string
}

/** The fenced blocks of a page, in reading order. A fence inside a longer fence is code. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let open: { block: CodeBlock; fence: string } | undefined
  let above = ''
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? []
    if (open !== undefined) {
      if (fence.startsWith(open.fence) && info === '') open = undefined
      else open.block.code += `${line}\n`
    } else if (fence !== '') {
      const example = /^<!--\s*example:\s*(\S+)\s*-->$/.exec(above.trim())?.[1]
      const block = { line: index + 1, language: info.split(/[\s{]/)[0] ?? '', example, code: '' }
      blocks.push(block)
      open = { block, fence }
    }
    above = line
  }
  return blocks
}
