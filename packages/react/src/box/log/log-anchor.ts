/** A message, and its upper edge in pixels below the log's. */
export interface LogPlace {
  messageId: string
  top: number
}

interface MeasuredElement {
  element: Element
  top: number
  height: number
}

/**
 * What a reader looks at: the first message in view, and inside it the elements that lead to the first one at the upper
 * edge, each with its position. If the innermost is removed, the next one takes over.
 */
export class LogAnchor {
  readonly messageId: string
  #top: number
  #path: MeasuredElement[]

  constructor({ messageId, top }: LogPlace, path: readonly Element[] = [], log?: HTMLElement) {
    this.messageId = messageId
    this.#top = top
    this.#path = log === undefined ? [] : path.map(element => measure(log, element))
  }

  /** The anchor at a log's upper edge; undefined if no message is in view. */
  static at(log: HTMLElement): LogAnchor | undefined {
    const row = firstRow(log)
    if (row === undefined) return undefined
    const place = { messageId: row.dataset.argotMessage!, top: measure(log, row).top }
    return new LogAnchor(place, pathToEdge(log, row), log)
  }

  /** The reader scrolled by this many pixels. */
  scrolled(by: number): void {
    this.#top -= by
    for (const anchored of this.#path) anchored.top -= by
  }

  /** How far to scroll so that the anchor is where it was; undefined if its message is not on the page. */
  offset(log: HTMLElement): number | undefined {
    const row = findRow(log, this.messageId)
    if (row === null) return undefined
    const at = this.#path.findLastIndex(({ element }) => log.contains(element) && element.getClientRects().length > 0)
    if (at < 0) return measure(log, row).top - this.#top
    const anchored = this.#path[at]!
    const { top, height } = measure(log, anchored.element)
    const isInnermost = at === this.#path.length - 1
    // The part at the edge is gone, and the rest of its surroundings would be out of view: scroll to them.
    if (!isInnermost && anchored.top + height <= 0) return top
    // The width has changed: the same line stays at the edge, not the beginning of its paragraph.
    const wasCut = isInnermost && anchored.top < 0 && anchored.height > 0
    return top - (wasCut && this.#isReflowed(log) ? anchored.top * (height / anchored.height) : anchored.top)
  }

  /** Stores the current positions as those to hold. */
  measure(log: HTMLElement): void {
    const row = findRow(log, this.messageId)
    if (row !== null) this.#top = measure(log, row).top
    this.#path = this.#path.filter(({ element }) => log.contains(element)).map(({ element }) => measure(log, element))
    this.#width = log.clientWidth
  }

  isInView(log: HTMLElement): boolean {
    const row = findRow(log, this.messageId)
    if (row === null) return false
    const { top, height } = this.#path.at(-1) ?? { top: this.#top, height: row.offsetHeight }
    return top + height > 0 && top < log.clientHeight
  }

  get place(): LogPlace {
    return { messageId: this.messageId, top: this.#top }
  }

  #width: number | undefined

  #isReflowed(log: HTMLElement): boolean {
    return this.#width !== undefined && this.#width !== log.clientWidth
  }
}

export function findRow(root: ParentNode | null, messageId: string): HTMLElement | null {
  return root?.querySelector<HTMLElement>(`[data-argot-message="${CSS.escape(messageId)}"]`) ?? null
}

function measure(log: HTMLElement, element: Element): MeasuredElement {
  const { top, height } = element.getBoundingClientRect()
  return { element, top: top - log.getBoundingClientRect().top, height }
}

/** Undefined if a virtual list has not drawn the first row in view yet. */
function firstRow(log: HTMLElement): HTMLElement | undefined {
  const view = log.getBoundingClientRect()
  for (const row of log.querySelectorAll<HTMLElement>('[data-argot-message]')) {
    const { top, bottom } = row.getBoundingClientRect()
    if (bottom > view.top + 1) return top < view.bottom ? row : undefined
  }
  return undefined
}

/** The elements from a row down to the first one in view, except those that scroll or move with the view. */
function pathToEdge(log: HTMLElement, row: Element): Element[] {
  const { top: edge } = log.getBoundingClientRect()
  const path: Element[] = []
  for (let element: Element | undefined = row; element !== undefined; ) {
    path.push(element)
    if (element.getBoundingClientRect().top >= edge) break
    element = getComputedStyle(element).overflowY === 'visible' ? firstChild(element, edge) : undefined
  }
  return path
}

function firstChild(element: Element, edge: number): Element | undefined {
  for (const child of element.children) {
    const { bottom, height } = child.getBoundingClientRect()
    if (height === 0 || bottom <= edge + 1) continue
    const { position, display } = getComputedStyle(child)
    if ((position === 'static' || position === 'relative') && display !== 'inline') return child
  }
  return undefined
}
