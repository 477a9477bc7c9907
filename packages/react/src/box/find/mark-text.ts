const name = 'argot-found'

/** This many matches are marked; a text may have a million. */
const MOST_MARKS = 2000

export interface Marks {
  count: number
  /** The requested match, or else the first. */
  current?: Range
}

/** Highlights a text inside an element, without changing the element. Without an element, nothing is highlighted. */
export function markText(element: Element | undefined, query: string, at = 0): Marks {
  const highlights = typeof CSS !== 'undefined' && 'highlights' in CSS ? CSS.highlights : undefined
  highlights?.delete(name)
  if (element === undefined || query === '') return { count: 0 }
  const ranges: Range[] = []
  for (const range of findRanges(element, query.toLowerCase())) {
    ranges.push(range)
    if (ranges.length >= MOST_MARKS) break
  }
  const current = ranges[at] ?? ranges[0]
  if (current === undefined) return { count: 0 }
  highlights?.set(name, new Highlight(...ranges))
  return { count: ranges.length, current }
}

/** The ranges of a text, even if it spans several elements, such as the tokens of a line of code. */
function* findRanges(element: Element, query: string): Generator<Range> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const nodes: { node: Node; from: number }[] = []
  let whole = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node, from: whole.length })
    whole += node.nodeValue ?? ''
  }
  const text = whole.toLowerCase()
  // A letter may become two in lower case: then the search is case-sensitive.
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
