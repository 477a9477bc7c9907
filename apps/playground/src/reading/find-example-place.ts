import type { ExamplePlace } from './reading.ts'

/** Names the reason why the reader takes a call at `offset` for an example. The reader has already decided. */
export function findExamplePlace(text: string, offset: number): ExamplePlace {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(lineStart, offset)
  if (isInHtml(text, offset)) return 'html'
  if (isFenced(text.slice(0, lineStart))) return 'block'
  const marker = findMarker(text.slice(lineStart, offset + 1))
  if (marker !== undefined) return marker
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(before)) return 'escaped'
  if (before.includes('`') || /<code[\s>]/i.test(before) || /`\s*$/.test(text.slice(0, lineStart))) return 'code'
  if (/^[ \t]/.test(text.slice(lineStart, offset + 1))) return isListItem(text, lineStart) ? 'list' : 'indented'
  return 'other'
}

function findMarker(line: string): ExamplePlace | undefined {
  if (/^[ \t]*>/.test(line)) return 'quote'
  if (/^[ \t]*\|/.test(line)) return 'table'
  if (/^[ \t]*\[\^[^\]]+\]:/.test(line)) return 'footnote'
  return /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(line) ? 'list' : undefined
}

/** Whether a fence is open at the end of `text`, which consists of complete lines. */
function isFenced(text: string): boolean {
  let open = ''
  for (const [, run = '', info = ''] of text.matchAll(/^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$/gm)) {
    if (open === '') open = run.startsWith('`') && info.includes('`') ? '' : run
    else if (run.startsWith(open) && info.trim() === '') open = ''
  }
  return open !== ''
}

function isInHtml(text: string, offset: number): boolean {
  const before = text.slice(0, offset)
  if (before.lastIndexOf('<!--') > before.lastIndexOf('-->')) return true
  const opened = before.match(/<(?:pre|xmp|listing|plaintext)[\s>]/gi)?.length ?? 0
  const closed = before.match(/<\/(?:pre|xmp|listing|plaintext)[\s>]/gi)?.length ?? 0
  return opened > closed
}

/** Whether the nearest line above with less indentation begins a list item. */
function isListItem(text: string, lineStart: number): boolean {
  const indent = /^[ \t]*/.exec(text.slice(lineStart, lineStart + 80))?.[0].length ?? 0
  const lines = text
    .slice(Math.max(0, lineStart - 20_000), lineStart)
    .split('\n')
    .reverse()
  const above = lines.find(line => line.trim() !== '' && /^[ \t]*/.exec(line)![0].length < indent)
  return above !== undefined && findMarker(above) === 'list'
}
