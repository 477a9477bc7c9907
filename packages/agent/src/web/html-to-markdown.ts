import { htmlToMarkdown as convert } from '@mdream/js'
import { BLOCK, VOID } from './html-elements.ts'
import { htmlToText } from './html-to-text.ts'
import { readHtml } from './read-html.ts'

export interface MarkdownOptions {
  xhtml?: boolean
  /** The page's address, to make relative links absolute. */
  base?: string
}

/** More open elements than any page for people has. Deeper tags are dropped, their text stays. */
const DEPTH = 100

const MARKDOWN_ATTRIBUTES: ReadonlySet<string> = new Set(
  'href src alt title class start align colspan type checked'.split(' '),
)

const TABLE_PARTS: ReadonlySet<string> = new Set('thead tbody tfoot tr td th caption'.split(' '))

/** What an opening tag closes, if it is open in the same list, table or block. */
const CLOSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['li', ['li']],
  ['dt', ['dt', 'dd']],
  ['dd', ['dt', 'dd']],
  ['option', ['option']],
  ['td', ['td', 'th', 'caption']],
  ['th', ['td', 'th', 'caption']],
  ['tr', ['tr', 'caption']],
  ['thead', ['thead', 'tbody', 'tfoot', 'caption']],
  ['tbody', ['thead', 'tbody', 'tfoot', 'caption']],
  ['tfoot', ['thead', 'tbody', 'tfoot', 'caption']],
])

/** The search for an element to close ends at one of these. */
const SCOPES: ReadonlySet<string> = new Set('ul ol dl menu table td th caption select'.split(' '))

/**
 * Converts HTML to Markdown. Removes scripts, styles and templates, script links and data URIs. The HTML is first
 * rewritten in its plainest form, so that the converter gets only shallow and well-formed input. If it still fails, or
 * its output is far longer than the text, the result is the text alone.
 */
export function htmlToMarkdown(html: string, options: MarkdownOptions = {}): string {
  try {
    const markdown = convert(plainHtml(html, options)).trim()
    if (markdown.length <= 3 * html.length) return markdown
  } catch {
    // A bug in the converter. The text is still worth having.
  }
  return htmlToText(html, options)
}

/** The visible content as well-formed HTML of limited depth, with only the attributes that Markdown can express. */
export function plainHtml(html: string, { xhtml = false, base }: MarkdownOptions = {}): string {
  const out: string[] = []
  const stack = new OpenElements(name => out.push(`</${name}>`))
  /** Elements that were too deep to be opened and are not closed yet. */
  let tooDeep = 0

  /** Colours and the like inside code, where Markdown has no formatting. */
  function isDecoration(name: string): boolean {
    return (stack.has('code') || stack.has('pre')) && name !== 'code' && !BLOCK.has(name)
  }

  readHtml(
    html,
    {
      collectedAttributes: MARKDOWN_ATTRIBUTES,
      open(tagName, attributes) {
        const name = TABLE_PARTS.has(tagName) && !stack.has('table') ? 'div' : tagName
        if (!/^[a-z][a-z0-9-]*$/.test(name) || isDecoration(name)) return
        stack.closeFor(name)
        if (VOID.has(name)) out.push(emptyElement(name, attributes, base))
        else if (stack.size >= DEPTH) tooDeep++
        else {
          stack.push(name)
          out.push(openingTag(name, attributes, base))
        }
      },
      close(name) {
        if (isDecoration(name)) return
        if (tooDeep > 0) tooDeep--
        else stack.close(name)
      },
      text: data => out.push(escapeHtml(data)),
    },
    { xhtml },
  )
  stack.closeAll()
  return out.join('')
}

/** The outermost first. */
class OpenElements {
  readonly #names: string[] = []
  /** The number of open elements by name, which makes most searches unnecessary. */
  readonly #counts = new Map<string, number>()
  readonly #onClose: (name: string) => void

  constructor(onClose: (name: string) => void) {
    this.#onClose = onClose
  }

  get size(): number {
    return this.#names.length
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }

  push(name: string): void {
    this.#names.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Closes the innermost element of this name and everything in it. Does nothing if there is none. */
  close(name: string): void {
    if (this.has(name)) this.#closeFrom(this.#names.lastIndexOf(name))
  }

  closeAll(): void {
    this.#closeFrom(0)
  }

  /** Closes what a start tag ends implicitly: `<li>` ends the previous item, a block ends the paragraph. */
  closeFor(name: string): void {
    const closing = (CLOSES.get(name) ?? (BLOCK.has(name) && name !== 'br' ? ['p'] : [])).filter(one => this.has(one))
    const inTable = TABLE_PARTS.has(name)
    for (let index = this.#names.length - 1; closing.length > 0 && index >= 0; index--) {
      const candidate = this.#names[index]!
      if (closing.includes(candidate)) {
        this.#closeFrom(index)
        return
      }
      if (inTable ? candidate === 'table' : SCOPES.has(candidate)) return
    }
  }

  #closeFrom(index: number): void {
    while (this.#names.length > index) {
      const name = this.#names.pop()!
      this.#counts.set(name, this.#counts.get(name)! - 1)
      this.#onClose(name)
    }
  }
}

/** An image without a usable address is replaced by its alt text. */
function emptyElement(name: string, attributes: ReadonlyMap<string, string>, base: string | undefined): string {
  if (name !== 'img' || linkTarget(attributes.get('src') ?? '', base)) return openingTag(name, attributes, base)
  return escapeHtml(attributes.get('alt') ?? '')
}

function openingTag(name: string, attributes: ReadonlyMap<string, string>, base: string | undefined): string {
  let tag = `<${name}`
  for (const [key, value] of attributes) {
    const target = key === 'href' || key === 'src' ? linkTarget(value, base) : value
    if (target !== undefined) tag += ` ${key}="${escapeHtml(target)}"`
  }
  return `${tag}>`
}

/** The target of a link; undefined if it runs code or carries the data itself. */
function linkTarget(value: string, base: string | undefined): string | undefined {
  const target = value.replace(/[\u0000-\u001f\u007f]/g, '').trim()
  if (/^(?:javascript|vbscript|data):/i.test(target)) return undefined
  if (base === undefined || target === '' || target.startsWith('#')) return target
  return URL.canParse(target, base) ? new URL(target, base).href : target
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => ESCAPES[character]!)
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
