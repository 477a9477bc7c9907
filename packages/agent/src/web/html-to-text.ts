import { BLOCK } from './html-elements.ts'
import { readHtml } from './read-html.ts'

/**
 * The visible text of HTML: a line per block, white space collapsed, table cells separated, the layout of `pre` kept.
 * Takes time linear in the length of the text, whatever its nesting.
 */
export function htmlToText(html: string, options: { xhtml?: boolean } = {}): string {
  const lines: string[] = []
  /** What must be between the text so far and the next word. */
  let gap: '' | ' ' | '\n' = ''
  let pre = 0
  let preStarts = false

  function write(text: string): void {
    if (lines.length > 0) lines.push(gap)
    lines.push(text)
    gap = ''
  }

  function boundary(name: string): void {
    if (BLOCK.has(name)) gap = '\n'
    else if ((name === 'td' || name === 'th') && gap === '') gap = ' '
  }

  readHtml(
    html,
    {
      open(name) {
        boundary(name)
        if (name === 'pre') {
          pre++
          preStarts = true
        }
      },
      close(name) {
        boundary(name)
        if (name === 'pre' && pre > 0) pre--
      },
      text(data) {
        if (pre > 0) {
          write(preStarts ? data.replace(/^\r?\n/, '') : data)
          preStarts = false
          return
        }
        const words = data.replace(/\s+/g, ' ')
        if (words.startsWith(' ') && gap === '') gap = ' '
        const text = words.trim()
        if (text === '') return
        write(text)
        if (words.endsWith(' ')) gap = ' '
      },
    },
    options,
  )
  return lines.join('').trim()
}
