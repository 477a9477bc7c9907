const name = 'argot-found'

/** Marks a text inside an element, without changing it; says whether it is there. Nothing is marked for no element. */
export function markText(element: Element | undefined, query: string): boolean {
  const highlights = typeof CSS !== 'undefined' && 'highlights' in CSS ? CSS.highlights : undefined
  highlights?.delete(name)
  if (element === undefined || query === '') return false
  const ranges = [...rangesOf(element, query.toLowerCase())]
  const [first] = ranges
  if (first === undefined) return false
  highlights?.set(name, new Highlight(...ranges))
  first.startContainer.parentElement?.scrollIntoView({ block: 'nearest' })
  return true
}

function* rangesOf(element: Element, query: string): Generator<Range> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? ''
    for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + query.length)
      yield range
    }
  }
}
