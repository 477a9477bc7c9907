import { isRecord } from '../../source/is-record.ts'
import { escapeHtml } from './escape-html.ts'
import { fileLink } from './file-link.ts'

/**
 * Parses Markdown into a tree, like `markdown-to-jsx`'s `parser` with `disableParsingRawHTML`. Core has no
 * dependencies, so callers provide it.
 */
export type ParseMarkdown = (text: string) => readonly unknown[]

/** By their numbers in `markdown-to-jsx`. All other nodes are left out. */
const kinds: Readonly<Record<number, (node: MarkdownNode) => string>> = {
  0: node => `<blockquote>${writeNodes(node.children)}</blockquote>`,
  1: () => '<br>',
  2: () => '<hr>',
  3: node => `<pre><code>${escapeText(node.text)}</code></pre>`,
  4: node => `<code>${escapeText(node.text)}</code>`,
  6: node => `<sup>${escapeText(node.text)}</sup>`,
  8: node => (node.completed === true ? '☑' : '☐'),
  9: writeHeading,
  13: writeImage,
  14: writeLink,
  15: node =>
    `<ol${typeof node.start === 'number' && node.start !== 1 ? ` start="${Math.trunc(node.start)}"` : ''}>${writeItems(node.items)}</ol>`,
  16: node => `<p>${writeNodes(node.children)}</p>`,
  19: writeTable,
  20: node => escapeText(node.text),
  21: writeFormatted,
  22: node => `<ul>${writeItems(node.items)}</ul>`,
}

type MarkdownNode = Readonly<Record<string, unknown>>

/** Without scripts, styles and requests: every tag and attribute comes from this file. */
export function writeMarkdown(text: string, parse: ParseMarkdown): string {
  try {
    return writeNodes(parse(text))
  } catch {
    // Text that the parser can't read, such as a thousand nested quotes, is shown unchanged.
    return `<p class="plain">${escapeHtml(text)}</p>`
  }
}

function writeNodes(nodes: unknown): string {
  return Array.isArray(nodes) ? nodes.map(writeNode).join('') : ''
}

function writeNode(node: unknown): string {
  return isRecord(node) && typeof node.type === 'number' ? (kinds[node.type]?.(node) ?? '') : ''
}

function writeHeading({ level, children }: MarkdownNode): string {
  const tag = `h${typeof level === 'number' && level >= 1 && level <= 6 ? Math.trunc(level) : 6}`
  return `<${tag}>${writeNodes(children)}</${tag}>`
}

/** A picture that would have to be fetched is replaced with its text. */
function writeImage({ target, alt }: MarkdownNode): string {
  const text = escapeText(alt)
  const isData = typeof target === 'string' && /^data:image\//.test(target)
  return isData ? `<img src="${escapeHtml(target)}" alt="${text}">` : text
}

function writeLink({ target, children }: MarkdownNode): string {
  const address = typeof target === 'string' ? fileLink(target) : undefined
  const text = writeNodes(children)
  return address === undefined ? `<a>${text}</a>` : `<a href="${escapeHtml(address)}" rel="noreferrer">${text}</a>`
}

const formats: ReadonlySet<unknown> = new Set(['em', 'strong', 'del', 'mark'])

function writeFormatted({ tag, children }: MarkdownNode): string {
  const text = writeNodes(children)
  return formats.has(tag) ? `<${tag as string}>${text}</${tag as string}>` : text
}

function writeItems(items: unknown): string {
  return Array.isArray(items) ? items.map(item => `<li>${writeNodes(item)}</li>`).join('') : ''
}

const sides: ReadonlySet<unknown> = new Set(['left', 'center', 'right'])

function writeTable({ header, cells, align }: MarkdownNode): string {
  const side = (index: number): string => {
    const own: unknown = Array.isArray(align) ? align[index] : undefined
    return sides.has(own) ? ` align="${own as string}"` : ''
  }
  const writeRow = (row: unknown, tag: string): string =>
    Array.isArray(row)
      ? `<tr>${row.map((cell, index) => `<${tag}${side(index)}>${writeNodes(cell)}</${tag}>`).join('')}</tr>`
      : ''
  const body = Array.isArray(cells) ? cells.map(row => writeRow(row, 'td')).join('') : ''
  return `<table><thead>${writeRow(header, 'th')}</thead><tbody>${body}</tbody></table>`
}

function escapeText(text: unknown): string {
  return typeof text === 'string' ? escapeHtml(text) : ''
}
