/** Shorter values occur by chance, and hiding them would tell more than it hides. */
const SHORTEST = 8
/** A line of a secret of several lines, such as a private key, counts on its own from here on. */
const SHORTEST_LINE = 16

/** The last letters of a word that names a secret: `API_KEY`, `PGPASSWORD`, `githubToken`. */
const SECRET_WORD = /(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PWD|CREDENTIALS?|CREDS|AUTH|PRIVATE|DSN)$/
/** Names that say where something is, not what it is. */
const PLACE_WORD = /^(?:FILE|PATH|DIR|SOCK|SOCKET|URL|URI|HOST|ENDPOINT|NAME|PWD|OLDPWD)$/
/** Settings of a variable that sounds secret. */
const PLAIN_VALUE = /^(?:password|disabled|enabled|required|optional|undefined|external|internal|anonymous|\d{1,9})$/i

/**
 * The secrets of an environment in every form in which a program may print them, each with the name of its variable:
 * as it is, inside JSON, as base64 at any offset, and encoded for an address.
 */
export function findSecrets(
  env: Readonly<Record<string, string | undefined>>,
  allowed: ReadonlySet<string>,
): Map<string, string> {
  const forms = new Map<string, string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || allowed.has(name)) continue
    for (const secret of secretsIn(name, value)) {
      for (const form of formsOf(secret)) if (!forms.has(form)) forms.set(form, name)
    }
  }
  return forms
}

/** The names of the variables that hold secrets. */
export function secretNames(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && secretsIn(name, value).length > 0 ? [name] : [],
  )
}

function secretsIn(name: string, value: string): string[] {
  const secrets = secretsOfAddress(value)
  if (soundsSecret(name)) {
    const lines = value.includes('\n') ? value.split('\n').map(line => line.trim()) : []
    secrets.push(value, value.trim())
    secrets.push(...lines.filter(line => line.length >= SHORTEST_LINE && !line.startsWith('-----')))
  }
  return secrets.filter(secret => secret.length >= SHORTEST && !PLAIN_VALUE.test(secret))
}

function soundsSecret(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
  const last = words.at(-1) ?? ''
  // `MYSQL_PWD` is a password, `PWD` is a folder.
  if (PLACE_WORD.test(last) && (words.length === 1 || !last.endsWith('PWD'))) return false
  return words.some(word => SECRET_WORD.test(word))
}

/** `postgres://user:password@host/db`, whatever the variable is called: the whole, and its password. */
function secretsOfAddress(value: string): string[] {
  const match = /^[a-z][a-z0-9+.-]*:\/\/([^\s/?#@:]*):([^\s/?#]*)@/i.exec(value)
  if (match === null) return []
  const [, user = '', password = ''] = match
  if (password === '') return []
  const secrets = [value, `${user}:${password}`]
  // A name such as `postgres` is often its own password, and hiding it everywhere would help nobody.
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

function formsOf(secret: string): Set<string> {
  const forms = new Set([secret, JSON.stringify(secret).slice(1, -1)])
  const encoded = encodeURIComponent(secret.toWellFormed())
  for (const form of [encoded, encoded.replaceAll('%20', '+')]) {
    forms.add(form)
    forms.add(form.replace(/%[0-9A-F]{2}/g, sign => sign.toLowerCase()))
  }
  for (const form of base64Forms(Buffer.from(secret))) {
    forms.add(form)
    forms.add(form.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}

/** The whole, and what stays the same of it after zero, one or two other bytes and before any others. */
function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString('base64')
  const forms = [whole, whole.replace(/=+$/, '')]
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const start = Math.ceil((before * 8) / 6)
    const end = Math.floor(((before + bytes.length) * 8) / 6)
    forms.push(text.slice(start, end))
  }
  return forms
}
