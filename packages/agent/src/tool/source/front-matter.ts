/** The head of a Markdown file between two lines of `---`, as texts by name, and the rest of the file. */
export interface FrontMatter {
  fields: ReadonlyMap<string, string>
  body: string
}

const MOST_LINES = 200

/**
 * Reads the top-level texts of a front matter: plain, quoted, and blocks after `>` and `|`. It is not a YAML parser:
 * lists, nested values, anchors and types mean nothing here, so a hostile file has nothing to exploit.
 */
export function readFrontMatter(source: string): FrontMatter {
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const fields = new Map<string, string>()
  if (!text.startsWith('---\n')) return { fields, body: text }
  const end = /\n---[ \t]*(?:\n|$)/.exec(text)
  if (end === null) return { fields, body: text }
  const lines = text.slice(4, Math.max(4, end.index)).split('\n').slice(0, MOST_LINES)
  let name: string | undefined
  for (const line of lines) {
    const field = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line)
    if (field !== null) {
      name = field[1]!
      fields.set(name, readValue(field[2] ?? ''))
    } else if (name !== undefined && /^[ \t]+\S/.test(line))
      fields.set(name, `${fields.get(name)} ${line.trim()}`.trim())
    else if (line.trim() !== '') name = undefined
  }
  return { fields, body: text.slice(end.index + end[0].length) }
}

function readValue(value: string): string {
  const text = value.trim()
  if (/^[>|][+-]?$/.test(text)) return ''
  const quote = /^(["'])(.*)\1$/.exec(text)
  if (quote === null) return text.replace(/\s+#.*$/, '')
  return quote[1] === "'" ? quote[2]!.replaceAll("''", "'") : quote[2]!.replace(/\\(["\\])/g, '$1')
}
