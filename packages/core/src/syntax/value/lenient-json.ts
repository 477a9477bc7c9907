import { escapeJson, parseJson } from './json-text.ts'

const pythonWords: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }

/**
 * A list or an object that is JSON but for what models often write: Python's words, tuples and sets, single quotes, a comma
 * before the closing bracket. Undefined for everything else, and wherever a quote leaves a doubt about where a string ends. With
 * `guesses` a word without quotes is a text.
 */
export function lenientJson(
  text: string,
  guesses = false,
): { value: unknown; json: string; repaired: string[] } | undefined {
  const source = text.trim()
  if (!/^[[{(]/.test(source)) return undefined
  const repaired = new Set<string>()
  const plain = withoutPython(source, repaired)
  if (plain === undefined) return undefined
  let json = ''
  for (const [token, trailingComma] of plain.matchAll(tokens)) {
    if (trailingComma !== undefined) repaired.add('trailing-comma')
    else if (token === "'" || token === '"') return undefined
    else if (token.startsWith("'")) {
      repaired.add('single-quotes')
      json += fromSingleQuotes(token)
    } else if (Object.hasOwn(pythonWords, token)) {
      repaired.add('python-literals')
      json += pythonWords[token]
    } else if (guesses && /^[A-Za-z_]/.test(token) && !['true', 'false', 'null'].includes(token)) {
      repaired.add('unquoted-words')
      json += JSON.stringify(token)
    } else json += token
  }
  const read = parseJson(json)
  return typeof read === 'object' ? { value: read.value, json, repaired: [...repaired] } : undefined
}

/** An open bracket: its place among the tokens, and what has come in it. */
interface OpenBracket {
  at: number
  bracket: string
  comma: boolean
  colon: boolean
  empty: boolean
}

/**
 * The text with Python's tuples and sets as lists. Undefined where a parenthesis holds one value without a comma, which is
 * no tuple in Python either, or closes what it did not open.
 */
function withoutPython(source: string, repaired: Set<string>): string | undefined {
  const list: string[] = source.match(tokens) ?? []
  const stack: OpenBracket[] = []
  for (const [at, token] of list.entries()) {
    const top = stack.at(-1)
    if (/^[)\]}]$/.test(token)) {
      stack.pop()
      const what = top === undefined ? 'wrong' : pythonList(top, token)
      if (what === 'wrong') return undefined
      if (top === undefined || what === undefined) continue
      repaired.add(what)
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

/** What a bracket that ends was in Python and is not in JSON; `wrong` where it is nothing there either. */
function pythonList({ bracket, comma, colon, empty }: OpenBracket, end: string): string | undefined {
  if ((bracket === '(') !== (end === ')')) return 'wrong'
  if (bracket === '(') return comma || empty ? 'python-tuple' : 'wrong'
  return bracket === '{' && end === '}' && !colon && !empty ? 'python-set' : undefined
}

const tokens = /(,\s*(?=[\]})]))|'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[A-Za-z_]+|[\s\S]/g

function fromSingleQuotes(token: string): string {
  const inner = token.slice(1, -1).replaceAll(/\\([\s\S])|"|[\0-\x1f]/g, (found, escaped: string | undefined) => {
    if (escaped === undefined) return escapeJson(found)
    if (escaped === "'") return escaped
    return '"\\/bfnrtu'.includes(escaped) ? found : `\\\\${escapeJson(escaped)}`
  })
  return `"${inner}"`
}
