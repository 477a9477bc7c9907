/** A link, or a picture, of a Markdown page. */
export interface Link {
  /** The line, from 1. */
  line: number
  /** As it is written: `docs/a.md#words`, `#words`, `https://…`. */
  target: string
}

/** The links of a page, in reading order. What is in a fence or in a code span is not a link. */
export function findLinks(markdown: string): Link[] {
  return proseLines(markdown).flatMap(({ line, text }) => {
    const prose = text.replace(/(`+)(?:(?!\1).)*\1/g, span => ' '.repeat(span.length))
    return [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(match => ({ line, target: match[1]! }))
  })
}

/** The anchors of a page as GitHub makes them: of each heading, a second one of the same words with `-1`. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  const counts = new Map<string, number>()
  for (const { text } of proseLines(markdown)) {
    const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1]
    if (heading === undefined) continue
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words.replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-')
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return anchors
}

function proseLines(markdown: string): { line: number; text: string }[] {
  const lines: { line: number; text: string }[] = []
  let open: string | undefined
  for (const [index, text] of markdown.split(/\r?\n/).entries()) {
    const [, fence = '', info = ''] = /^\s*(`{3,}|~{3,})\s*(.*)$/.exec(text) ?? []
    if (open !== undefined) {
      if (fence.startsWith(open) && info === '') open = undefined
    } else if (fence !== '') open = fence
    else lines.push({ line: index + 1, text })
  }
  return lines
}
