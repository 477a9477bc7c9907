import { lineOf } from './parse-source.ts'

/** What writes bytes to a file and may write only some of them, or leaves half a file when it fails. */
const writers =
  'write|writeSync|writev|writevSync|writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|copyFileSync|cp|cpSync'

/** Names that a file imports from `node:fs`, and the methods of an open file. */
export function findRawWrites(text: string): { line: number; name: string }[] {
  const found: { line: number; name: string }[] = []
  for (const { 0: all, 1: names = '', index } of text.matchAll(
    /import\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(?:node:)?fs(?:\/promises)?'/g,
  )) {
    for (const match of names.matchAll(new RegExp(`(?<!\\w)(?:${writers})(?!\\w)`, 'g')))
      found.push({ line: lineOf(text, index + all.indexOf('{') + 1 + match.index), name: match[0] })
  }
  for (const { 0: name, index } of text.matchAll(/import\s+(?:\*\s*as\s+)?\w+\s+from\s*'(?:node:)?fs(?:\/promises)?'/g))
    found.push({ line: lineOf(text, index), name })
  for (const { 0: name, index } of text.matchAll(/(?:require|import)\(\s*['"](?:node:)?fs(?:\/promises)?['"]\s*\)/g))
    found.push({ line: lineOf(text, index), name })
  for (const { 1: name = '', index } of text.matchAll(/\.(writeFile|appendFile|writev|createWriteStream)\(/g))
    found.push({ line: lineOf(text, index), name })
  return found
}
