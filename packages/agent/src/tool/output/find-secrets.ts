/** Shorter values occur by chance, and hiding them would reveal more than it hides. */
const SHORTEST_SECRET = 8
/** From this length on, each line of a multi-line secret such as a private key is a secret too. */
const SHORTEST_LINE = 16

/** The end of a word that names a secret: `API_KEY`, `PGPASSWORD`, `githubToken`. */
const SECRET_WORD = /(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PWD|CREDENTIALS?|CREDS|AUTH|PRIVATE|DSN)$/
/** Names that say where something is, not what it is. */
const PLACE_WORD = /^(?:FILE|PATH|DIR|SOCK|SOCKET|URL|URI|HOST|ENDPOINT|NAME|PWD|OLDPWD)$/
/** Ordinary values of variables that sound secret. */
const PLAIN_VALUE = /^(?:password|disabled|enabled|required|optional|undefined|external|internal|anonymous|\d{1,9})$/i

export interface Secret {
  name: string
  value: string
}

/** The secrets in an environment: the values of keys and passwords, their lines, and the passwords in URLs. */
export function findSecrets(
  env: Readonly<Record<string, string | undefined>>,
  allowed: ReadonlySet<string> = new Set(),
): Secret[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined || allowed.has(name) ? [] : secretsIn(name, value).map(secret => ({ name, value: secret })),
  )
}

function secretsIn(name: string, value: string): string[] {
  const secrets = findAddressSecrets(value)
  if (soundsSecret(name)) {
    const lines = value.includes('\n') ? value.split('\n').map(line => line.trim()) : []
    secrets.push(value, value.trim())
    secrets.push(...lines.filter(line => line.length >= SHORTEST_LINE && !line.startsWith('-----')))
  }
  return secrets.filter(secret => secret.length >= SHORTEST_SECRET && !PLAIN_VALUE.test(secret))
}

function soundsSecret(name: string): boolean {
  // These are meant to be sent to MCP servers as tokens.
  if (name.startsWith('ARGOT_MCP_')) return true
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
  const lastWord = words.at(-1) ?? ''
  // `MYSQL_PWD` is a password, `PWD` is a folder.
  if (PLACE_WORD.test(lastWord) && (words.length === 1 || !lastWord.endsWith('PWD'))) return false
  return words.some(word => SECRET_WORD.test(word))
}

/** `postgres://user:password@host/db`, whatever the variable's name: the whole URL and its password. */
function findAddressSecrets(value: string): string[] {
  const match = /^[a-z][a-z0-9+.-]*:\/\/([^\s/?#@:]*):([^\s/?#]*)@/i.exec(value)
  if (match === null) return []
  const [, user = '', password = ''] = match
  if (password === '') return []
  const secrets = [value, `${user}:${password}`]
  // A name such as `postgres` is often its own password. Hiding it everywhere would not help.
  if (password !== user) secrets.push(password, decodeAddress(password))
  return secrets
}

function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
