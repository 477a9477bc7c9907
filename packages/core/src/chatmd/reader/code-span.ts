import type { ElementNode, Tree } from './tree.ts'

export interface CodeSpan {
  start: number
  end: number
}

/**
 * Fences and inline code in an element's body, in order. RAW blocks and comments hide their content. With
 * `isOpenEnded`, unclosed code extends beyond the body's end, so that the closing tag is inside.
 */
export function codeSpans(tree: Tree, node: ElementNode, isOpenEnded: boolean): CodeSpan[] {
  const body = visibleBody(tree, node)
  if (!body.includes('`') && !body.includes('~~~')) return []
  const spans: CodeSpan[] = []
  const offset = node.openEnd
  let paragraph = 0
  let fence: { mark: string; start: number } | undefined
  for (let at = 0; at < body.length; ) {
    const newline = body.indexOf('\n', at)
    const end = newline === -1 ? body.length : newline
    const line = body.slice(at, Math.min(end, at + 200))
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark !== undefined && mark[0] === fence.mark[0] && mark.length >= fence.mark.length && line.trim() === mark) {
        spans.push({ start: offset + fence.start, end: offset + end })
        fence = undefined
        paragraph = end + 1
      }
    } else if (
      mark !== undefined &&
      !(mark[0] === '`' && body.slice(at, end).trim().slice(mark.length).includes('`'))
    ) {
      inlineSpans(body, paragraph, at, offset, spans, false)
      fence = { mark, start: at }
    } else if (line.trim() === '') {
      inlineSpans(body, paragraph, at, offset, spans, false)
      paragraph = end + 1
    }
    at = end + 1
  }
  if (fence === undefined) inlineSpans(body, paragraph, body.length, offset, spans, isOpenEnded)
  else spans.push({ start: offset + fence.start, end: isOpenEnded ? Number.POSITIVE_INFINITY : offset + body.length })
  return spans
}

function visibleBody({ source }: Tree, node: ElementNode): string {
  let body = ''
  for (const child of node.children) {
    const hidden = child.type === 'raw' || child.type === 'comment'
    body += hidden ? ' '.repeat(child.end - child.start) : source.slice(child.start, child.end)
  }
  return body
}

function inlineSpans(
  body: string,
  from: number,
  to: number,
  offset: number,
  spans: CodeSpan[],
  isOpenEnded: boolean,
): void {
  const runs: CodeSpan[] = []
  const last = new Map<number, number>()
  for (let at = body.indexOf('`', from); at !== -1 && at < to; ) {
    let end = at
    while (end < to && body[end] === '`') end++
    last.set(end - at, runs.length)
    runs.push({ start: at, end })
    at = body.indexOf('`', end)
  }
  for (let i = 0; i < runs.length; i++) {
    const { start, end } = runs[i]!
    const length = end - start
    if (last.get(length)! <= i) {
      if (isOpenEnded) spans.push({ start: offset + start, end: Number.POSITIVE_INFINITY })
      continue
    }
    let close = i + 1
    while (runs[close]!.end - runs[close]!.start !== length) close++
    spans.push({ start: offset + start, end: offset + runs[close]!.end })
    i = close
  }
}

export function isInside(spans: readonly CodeSpan[], at: number): boolean {
  return spans.some(span => span.start < at && at < span.end)
}
