import { escapeJson, parseJson } from './json-text.ts'

const pythonWords: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }

/**
 * A list or an object that is JSON but for what models often write: Python's words, single quotes, a comma before the
 * closing bracket. Undefined for everything else, and wherever a quote leaves a doubt about where a string ends. With
 * `guesses` a word without quotes is a text.
 */
export function lenientJson(
  text: string,
  guesses = false,
): { value: unknown; json: string; repaired: string[] } | undefined {
  const source = text.trim()
  if (!/^[[{]/.test(source)) return undefined
  const repaired = new Set<string>()
  let json = ''
  for (const [token, trailingComma] of source.matchAll(tokens)) {
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

const tokens = /(,\s*(?=[\]}]))|'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[A-Za-z_]+|[\s\S]/g

function fromSingleQuotes(token: string): string {
  const inner = token.slice(1, -1).replaceAll(/\\([\s\S])|"|[\0-\x1f]/g, (found, escaped: string | undefined) => {
    if (escaped === undefined) return escapeJson(found)
    if (escaped === "'") return escaped
    return '"\\/bfnrtu'.includes(escaped) ? found : `\\\\${escapeJson(escaped)}`
  })
  return `"${inner}"`
}
