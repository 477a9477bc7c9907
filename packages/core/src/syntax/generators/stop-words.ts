/**
 * What a server stops at, so that a model cannot write its own results: the words of the dialect's table, and how its
 * results begin. `before` is what is written before a result, with its places in braces.
 */
export function stopWords(words: readonly string[] | undefined, before: string): readonly string[] {
  const [fixed = ''] = before.split('{', 1)
  const [line = ''] = fixed.trim().split('\n', 1)
  // A tag is known by its name; what attributes a model gives it does not matter.
  const opener = line.startsWith('<') ? line.replace(/\s.*/, '') : line
  return [...new Set([...(words ?? []), ...(opener === '' ? [] : [opener])])]
}
