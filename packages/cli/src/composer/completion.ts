export interface Completion {
  start: number
  end: number
  items: readonly CompletionItem[]
}

export interface CompletionItem {
  text: string
  about?: string
  /** Enter accepts it and sends the text, because nothing has to follow. */
  isWhole?: boolean
}

export type Complete = (text: string, cursor: number) => Completion | undefined

/** Names that start with the typed text come first, then names that contain it or its letters in order. */
export function rankNames(names: readonly string[], typed: string, most: number): string[] {
  const query = typed.toLowerCase()
  const ranked: { name: string; rank: number }[] = []
  for (const name of names) {
    const rank = rankName(name.toLowerCase(), query)
    if (rank !== undefined) ranked.push({ name, rank })
  }
  return ranked
    .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name)
}

function rankName(name: string, query: string): number | undefined {
  if (name.startsWith(query)) return 0
  const base = name.slice(name.lastIndexOf('/') + 1)
  if (base.startsWith(query)) return 1
  if (name.includes(query)) return 2
  let at = 0
  for (const letter of query) {
    at = name.indexOf(letter, at) + 1
    if (at === 0) return undefined
  }
  return 3
}
