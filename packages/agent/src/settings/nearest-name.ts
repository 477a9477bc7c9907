/** The name of the list that is spelled most like `name`, if one is close enough to be meant. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = fold(name.slice(0, 40))
  let best: string | undefined
  let least = Math.max(2, Math.floor(wanted.length / 3)) + 1
  for (const candidate of names) {
    const distance = editDistance(wanted, fold(candidate))
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return least < wanted.length ? best : undefined
}

/** `tool_syntax`, `tool-syntax` and `ToolSyntax` are the same to someone who looks for a name. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '')
}

/** How many characters must be added, dropped or changed to make `b` of `a`. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line++) {
    const row = [line]
    for (let column = 1; column <= b.length; column++) {
      const change = previous[column - 1]! + (a[line - 1] === b[column - 1] ? 0 : 1)
      row.push(Math.min(previous[column]! + 1, row[column - 1]! + 1, change))
    }
    previous = row
  }
  return previous[b.length]!
}
