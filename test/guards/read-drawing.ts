/** By the name of a package, or `packages`: where the arrows from each of its places lead, sorted. */
export type Drawing = Record<string, Record<string, string[]>>

/**
 * Reads the drawing of the imports from a page: the first fence whose first line begins with `packages`. A line that is
 * not indented begins with a name; then come chains, two blanks or more apart: `a, b ─▶ c ─▶ d`.
 */
export function readDrawing(page: string): Drawing {
  const block = /^```\n(packages .*?)^```/ms.exec(page)?.[1]
  if (block === undefined) throw new Error('The page has no drawing of the imports.')
  const drawing: Drawing = {}
  let name = ''
  for (const line of block.trimEnd().split('\n')) {
    const chains = line.trim().split(/ {2,}/)
    if (!line.startsWith(' ')) name = chains.shift()!
    const arrows = (drawing[name] ??= {})
    for (const chain of chains) {
      const groups = chain.split(' ─▶ ').map(group => group.split(', '))
      for (const [index, group] of groups.slice(1).entries()) {
        for (const from of groups[index]!) arrows[from] = [...new Set([...(arrows[from] ?? []), ...group])].sort()
      }
    }
  }
  return drawing
}
