/**
 * A block of Markdown with its `$$` formulas as fences with the language `math`. An unclosed formula becomes an
 * unclosed fence. Inline formulas, and those in code, stay as written.
 */
export function mathFences(source: string): string {
  if (!source.includes('$$')) return source
  const lines: string[] = []
  let code = ''
  let formula: string[] | undefined
  for (const line of source.split('\n')) {
    if (formula !== undefined) {
      const end = /^(.*?)\$\$\s*$/.exec(line)
      formula.push(end === null ? line : end[1]!)
      if (end === null) continue
      lines.push(toFence(formula, true))
      formula = undefined
      continue
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (code !== '' && mark?.startsWith(code) === true && line.trim() === mark) code = ''
    else if (code === '' && mark !== undefined) code = mark
    const begin = code === '' ? /^ {0,3}\$\$(.*)$/.exec(line)?.[1] : undefined
    const inner = begin === undefined ? undefined : /^(.*?\S.*?)\$\$\s*$/.exec(begin)?.[1]
    if (inner !== undefined) lines.push(toFence([inner], true))
    else if (begin === undefined) lines.push(line)
    else formula = [begin]
  }
  if (formula !== undefined) lines.push(toFence(formula, false))
  return lines.join('\n')
}

/** Longer than any run of backticks in it, and separated from the text around it. */
function toFence(lines: readonly string[], isClosed: boolean): string {
  const text = lines.join('\n').trim()
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const mark = '`'.repeat(longest + 1)
  return `\n${mark}math\n${text}${isClosed ? `\n${mark}\n` : ''}`
}
