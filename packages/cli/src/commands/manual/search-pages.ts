import type { ManualPage } from './read-pages.ts'

export interface ManualMatch {
  topic: string
  heading: string
  /** The first line with one of the words. */
  line: string
}

interface PageSection {
  heading: string
  lines: string[]
}

/** The sections that contain all these words, best first. Words in headings weigh most. */
export function searchPages(pages: readonly ManualPage[], words: readonly string[]): ManualMatch[] {
  const terms = words.map(word => word.toLowerCase())
  const matches = pages.flatMap(page =>
    toSections(page).flatMap(section => {
      const score = scoreSection(page, section, terms)
      return score === 0 ? [] : [{ score, page, section }]
    }),
  )
  return matches
    .sort((a, b) => b.score - a.score)
    .map(({ page, section }) => ({ topic: page.topic, heading: section.heading, line: firstLine(section, terms) }))
}

function scoreSection({ title }: ManualPage, { heading, lines }: PageSection, words: readonly string[]): number {
  const [body, head, page] = [lines.join('\n').toLowerCase(), heading.toLowerCase(), title.toLowerCase()]
  const scores = words.map(word => {
    const inHeading = head.includes(word) ? 20 : 0
    return inHeading + (page.includes(word) ? 5 : 0) + Math.min(10, body.split(word).length - 1)
  })
  const hasAll = words.every(word => head.includes(word) || body.includes(word))
  return hasAll ? scores.reduce((sum, score) => sum + score, 1) : 0
}

function toSections({ title, text }: ManualPage): PageSection[] {
  const sections: PageSection[] = [{ heading: title, lines: [] }]
  let isCode = false
  for (const line of text.split('\n')) {
    if (/^```/.test(line)) isCode = !isCode
    const heading = isCode ? null : /^##+ +(.+)$/.exec(line)
    if (heading !== null) sections.push({ heading: heading[1]!, lines: [] })
    else if (!line.startsWith('# ')) sections.at(-1)!.lines.push(line)
  }
  return sections
}

function firstLine({ lines }: PageSection, words: readonly string[]): string {
  const line = lines.find(one => words.some(word => one.toLowerCase().includes(word))) ?? lines.find(one => one !== '')
  return (line ?? '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*|]/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
