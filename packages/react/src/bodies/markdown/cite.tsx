import { visibleLine } from '@argot/core/stream/internal'
import { Children, cloneElement, isValidElement, type ReactNode } from 'react'
import { webHost } from '../kinds/read-sources.ts'

/** A source of an answer, in the order of the message's parts. */
export interface Citation {
  id: string
  title: string
  url?: string | undefined
}

const LONGEST_TITLE = 200
const marker = /\[(\d{1,3}(?:, ?\d{1,3})*)\]|【(\d{1,3})(?:[†:][^】]{0,60})?】/g

/** Rendered Markdown with `[1]` as a link to the first source. A number without a source stays unchanged. */
export function cite(node: ReactNode, sources: readonly Citation[], say: FormatCitation): ReactNode {
  if (typeof node === 'string') return citeText(node, sources, say)
  if (Array.isArray(node)) return node.map(one => cite(one, sources, say))
  if (!isValidElement<{ children?: ReactNode }>(node) || !isProse(node.type)) return node
  const { children } = node.props
  return children === undefined ? node : cloneElement(node, undefined, cite(children, sources, say))
}

/** Returns the accessible name of a citation link. */
type FormatCitation = (number: number, title: string) => string

/** Links, code and pictures have their own components. */
function isProse(type: unknown): boolean {
  return typeof type === 'string' && !['a', 'code', 'pre'].includes(type)
}

function citeText(text: string, sources: readonly Citation[], say: FormatCitation): ReactNode {
  const pieces: ReactNode[] = []
  let at = 0
  for (const match of text.matchAll(marker)) {
    const numbers = (match[1] ?? match[2]!).split(',').map(Number)
    const matches = numbers.map(number => findSource(sources, number))
    if (matches.some(source => source === undefined)) continue
    pieces.push(text.slice(at, match.index))
    matches.forEach((source, index) => {
      // biome-ignore lint/suspicious/noArrayIndexKey: the marks of one text never move
      pieces.push(<Mark key={`${match.index}.${index}`} source={source!} number={numbers[index]!} say={say} />)
    })
    at = match.index + match[0].length
  }
  return at === 0 ? text : Children.toArray([...pieces, text.slice(at)])
}

/** By id if ids are numbers, otherwise by position. */
function findSource(sources: readonly Citation[], number: number): Citation | undefined {
  return sources.find(({ id }) => id === String(number)) ?? sources[number - 1]
}

function Mark({ source, number, say }: { source: Citation; number: number; say: FormatCitation }): ReactNode {
  const title = visibleLine(source.title.slice(0, LONGEST_TITLE).toWellFormed())
  const { url } = source
  const host = url === undefined ? undefined : webHost(url)
  const name = { className: 'argot-cite', title: host === undefined ? title : `${title} · ${host}` }
  return url === undefined || host === undefined ? (
    <span {...name} data-part="citation">
      {number}
    </span>
  ) : (
    <a
      {...name}
      data-part="citation"
      href={url}
      rel="noopener noreferrer"
      target="_blank"
      aria-label={say(number, title)}
    >
      {number}
    </a>
  )
}
