const name = 'argot-found'

/** This many places are marked; a text may have a million of them. */
const MOST_MARKS = 2000

/**
 * Marks a text inside an element, without changing it, and brings one of its places into view; gives how many there are.
 * Nothing is marked for no element.
 */
export function markText(element: Element | undefined, query: string, at = 0): number {
  const highlights = typeof CSS !== 'undefined' && 'highlights' in CSS ? CSS.highlights : undefined
  highlights?.delete(name)
  if (element === undefined || query === '') return 0
  const ranges: Range[] = []
  for (const range of rangesOf(element, query.toLowerCase())) {
    ranges.push(range)
    if (ranges.length >= MOST_MARKS) break
  }
  const shown = ranges[at] ?? ranges[0]
  if (shown === undefined) return 0
  highlights?.set(name, new Highlight(...ranges))
  bringIntoView(shown)
  return ranges.length
}

/** Scrolls whatever scrolls around a place, and no more than is needed: the element around it may be very long. */
function bringIntoView(range: Range): void {
  for (let around = range.startContainer.parentElement; around !== null; around = around.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(around)
    const [place, view] = [range.getBoundingClientRect(), around.getBoundingClientRect()]
    if (scrolls(overflowY))
      around.scrollTop += beyond(place.top, place.bottom, view.top, view.top + around.clientHeight)
    if (scrolls(overflowX))
      around.scrollLeft += beyond(place.left, place.right, view.left, view.left + around.clientWidth)
  }
}

function scrolls(overflow: string): boolean {
  return overflow === 'auto' || overflow === 'scroll'
}

/** How far a place lies beyond an edge of the view; with some air, 0 where it is in view. */
function beyond(start: number, end: number, viewStart: number, viewEnd: number): number {
  if (start >= viewStart && end <= viewEnd) return 0
  const air = Math.min(48, Math.max(0, (viewEnd - viewStart - (end - start)) / 2))
  return start < viewStart ? start - viewStart - air : end - viewEnd + air
}

/** Places of a text, even where it goes over several elements, such as the tokens of a line of code. */
function* rangesOf(element: Element, query: string): Generator<Range> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const nodes: { node: Node; from: number }[] = []
  let whole = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node, from: whole.length })
    whole += node.nodeValue ?? ''
  }
  const text = whole.toLowerCase()
  // A letter may become two in lower case: then places are looked for as they are written.
  const searched = text.length === whole.length ? text : whole
  let first = 0
  for (let at = searched.indexOf(query); at >= 0; at = searched.indexOf(query, at + query.length)) {
    while (first + 1 < nodes.length && nodes[first + 1]!.from <= at) first++
    let last = first
    while (last + 1 < nodes.length && nodes[last + 1]!.from < at + query.length) last++
    const range = document.createRange()
    range.setStart(nodes[first]!.node, at - nodes[first]!.from)
    range.setEnd(nodes[last]!.node, at + query.length - nodes[last]!.from)
    yield range
  }
}
