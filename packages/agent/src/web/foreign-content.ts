import { VOID } from './html-elements.ts'

/** Elements in `svg` and `math` whose content is HTML again. */
const INTEGRATION = {
  svg: ['foreignobject', 'desc', 'title'],
  math: ['annotation-xml', 'mi', 'mo', 'mn', 'ms', 'mtext'],
}

/** An `annotation-xml` with this `encoding` contains HTML. */
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/i

/** Elements that end an unclosed `svg` or `math` (HTML: "breakout"). */
const BREAKOUT = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
)
const BREAKOUT_FONT = ['color', 'face', 'size']

/** A page has one of each, whatever tags it contains, and their end tags close nothing. */
const ONCE = new Set(['html', 'head', 'body', 'frameset'])
/** Tags that apply only inside a table, and end with it. */
const TABLE_PARTS = ['caption', 'col', 'colgroup', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr']
const IN_TABLE = new Set(TABLE_PARTS)

/** The attributes that decide whether the content is HTML, by element name. */
export const decidingAttributes: ReadonlyMap<string, readonly string[]> = new Map([
  ['annotation-xml', ['encoding']],
  ['font', BREAKOUT_FONT],
])

/** An end tag closes at most this many nested drawings, so that time is linear. */
const CLOSED_AT_ONCE = 100

/** The page, `svg`, `math`, or an element in these that contains HTML. */
interface Level {
  name: string
  rules: 'html' | 'svg' | 'math'
  openCounts: Map<string, number>
}

/** Inside `svg` and `math`, HTML has other rules: tags can close themselves, and CDATA is text. */
export class ForeignContent {
  #innermost: Level = { name: '', rules: 'html', openCounts: new Map() }
  readonly #levels: Level[] = [this.#innermost]

  get isInside(): boolean {
    return this.#innermost.rules !== 'html'
  }

  isForeign(name: string): boolean {
    return this.isInside || name === 'svg' || name === 'math'
  }

  /** Call it for every start tag: some can't be inside `svg` and `math`. */
  breakOut(name: string, attributes: ReadonlyMap<string, string>): void {
    if (!this.isInside) return
    if (BREAKOUT.has(name) || (name === 'font' && BREAKOUT_FONT.some(font => attributes.has(font)))) this.#leave()
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    const rules = this.#rulesIn(name, attributes)
    if (rules !== undefined) {
      this.#innermost = { name, rules, openCounts: new Map() }
      this.#levels.push(this.#innermost)
    } else if (this.#isKept(name)) count(this.#innermost, name, 1)
  }

  /** An end tag closes an open element inside, or one around it with everything inside; HTML closes only HTML. */
  close(name: string): void {
    if (ONCE.has(name)) return
    if (name === 'p' || name === 'br') this.#leave()
    const outermost = Math.max(0, this.#levels.length - CLOSED_AT_ONCE)
    for (let at = this.#levels.length - 1; at >= outermost; at--) {
      const level = this.#levels[at]!
      if (level.openCounts.has(name)) {
        this.#cut(at + 1)
        count(level, name, -1)
        if (name === 'table') for (const part of TABLE_PARTS) level.openCounts.delete(part)
        return
      }
      if (at === 0 || (level.rules === 'html' && level.openCounts.size > 0)) return
      if (level.name === name) {
        this.#cut(at)
        return
      }
    }
  }

  /** HTML ignores a start tag that isn't allowed at its position. */
  #isKept(name: string): boolean {
    const { rules, openCounts } = this.#innermost
    if (VOID.has(name) || (rules === 'html' && ONCE.has(name))) return false
    return rules !== 'html' || !IN_TABLE.has(name) || openCounts.has('table')
  }

  #cut(length: number): void {
    this.#levels.length = length
    this.#innermost = this.#levels.at(-1)!
  }

  /** The rules for an element's content, if it has its own. */
  #rulesIn(name: string, attributes: ReadonlyMap<string, string>): Level['rules'] | undefined {
    const { rules, openCounts } = this.#innermost
    if (name === 'svg' || name === 'math') return rules === 'html' || openCounts.has('annotation-xml') ? name : rules
    if (rules === 'html' || !INTEGRATION[rules].includes(name)) return undefined
    if (name === 'annotation-xml' && !HTML_TYPE.test(attributes.get('encoding') ?? '')) return undefined
    return 'html'
  }

  #leave(): void {
    while (this.isInside) this.#cut(this.#levels.length - 1)
  }
}

function count({ openCounts }: Level, name: string, by: number): void {
  const total = (openCounts.get(name) ?? 0) + by
  if (total > 0) openCounts.set(name, total)
  else openCounts.delete(name)
}
