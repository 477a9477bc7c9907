import { escapeJson, parseJson } from './json-text.ts'

const pythonWords: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }

/**
 * Reads a list or an object that is JSON except for what models often write: Python's words, tuples and sets, single
 * quotes, a comma before the closing bracket. Returns undefined for anything else, and if a quote makes it unclear
 * where a string ends. With `guesses`, an unquoted word is a text.
 */
export function lenientJson(
  text: string,
  guesses = false,
): { value: unknown; json: string; repaired: string[] } | undefined {
  const source = text.trim()
  if (!/^[[{(]/.test(source)) return undefined
  const repairs = new Set<string>()
  const plain = replacePythonLists(source, repairs)
  if (plain === undefined) return undefined
  let json = ''
  for (const [token, trailingComma] of plain.matchAll(tokens)) {
    if (trailingComma !== undefined) repairs.add('trailing-comma')
    else if (token === "'" || token === '"') return undefined
    else if (token.startsWith("'")) {
      repairs.add('single-quotes')
      json += fromSingleQuotes(token)
    } else if (Object.hasOwn(pythonWords, token)) {
      repairs.add('python-literals')
      json += pythonWords[token]
    } else if (guesses && /^[A-Za-z_]/.test(token) && !['true', 'false', 'null'].includes(token)) {
      repairs.add('unquoted-words')
      json += JSON.stringify(token)
    } else json += token
  }
  const parsed = parseJson(json)
  return typeof parsed === 'object' ? { value: parsed.value, json, repaired: [...repairs] } : undefined
}

/** An open bracket: its index among the tokens, and what it contains so far. */
interface OpenBracket {
  at: number
  bracket: string
  comma: boolean
  colon: boolean
  empty: boolean
}

/**
 * The text with Python's tuples and sets as lists. Undefined if a parenthesis holds one value without a comma, which
 * isn't a tuple in Python either, or closes something it didn't open.
 */
function replacePythonLists(source: string, repairs: Set<string>): string | undefined {
  const list: string[] = source.match(tokens) ?? []
  const stack: OpenBracket[] = []
  for (const [at, token] of list.entries()) {
    const top = stack.at(-1)
    if (/^[)\]}]$/.test(token)) {
      stack.pop()
      const repair = top === undefined ? 'wrong' : getListRepair(top, token)
      if (repair === 'wrong') return undefined
      if (top === undefined || repair === undefined) continue
      repairs.add(repair)
      list[top.at] = '['
      list[at] = ']'
      continue
    }
    if (top !== undefined && token.trim() !== '') {
      top.empty = false
      if (token.startsWith(',')) top.comma = true
      if (token === ':') top.colon = true
    }
    if (/^[([{]$/.test(token)) stack.push({ at, bracket: token, comma: false, colon: false, empty: true })
  }
  return list.join('')
}

/** The repair for a bracket that Python has and JSON doesn't; `wrong` if Python doesn't have it either. */
function getListRepair({ bracket, comma, colon, empty }: OpenBracket, end: string): string | undefined {
  if ((bracket === '(') !== (end === ')')) return 'wrong'
  if (bracket === '(') return comma || empty ? 'python-tuple' : 'wrong'
  return bracket === '{' && end === '}' && !colon && !empty ? 'python-set' : undefined
}

const tokens = /(,\s*(?=[\]})]))|'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[A-Za-z_]+|[\s\S]/g

function fromSingleQuotes(token: string): string {
  const inner = token.slice(1, -1).replaceAll(/\\([\s\S])|"|[\0-\x1f]/g, (match, escaped: string | undefined) => {
    if (escaped === undefined) return escapeJson(match)
    if (escaped === "'") return escaped
    return '"\\/bfnrtu'.includes(escaped) ? match : `\\\\${escapeJson(escaped)}`
  })
  return `"${inner}"`
}
