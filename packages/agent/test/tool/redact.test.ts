import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from '../../src/tool/output/redact.ts'

const secret = 'sk-live/abc+DEF=="\\x'

function redact(env: Record<string, string | undefined>, value: unknown, allow?: string[]): unknown {
  return createRedactor(env, allow === undefined ? {} : { allow })(value)
}

test.each([
  'OPENAI_API_KEY',
  'GITHUB_TOKEN',
  'githubToken',
  'npm_config__authToken',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'PGPASSWORD',
  'MYSQL_PWD',
  'DB_PASSWD',
  'SSH_PASSPHRASE',
  'GCP_CREDENTIALS',
  'HTTP_AUTH',
  'PRIVATE_STUFF',
  'SENTRY_DSN',
  'APIKEY',
  'ARGOT_MCP_WEATHER',
])('the value of %s is replaced', name => {
  expect(redact({ [name]: 'a-long-secret' }, 'x a-long-secret y')).toBe(`x [redacted: ${name}] y`)
})

test.each([
  ['GIT_AUTHOR_NAME', 'a-long-author'],
  ['KEYBOARD_LAYOUT', 'some-layout'],
  ['PWD', '/home/somebody'],
  ['OLDPWD', '/home/somebody'],
  ['SSH_AUTH_SOCK', '/run/ssh-agent'],
  ['PRIVATE_KEY_FILE', '/home/me/key.pem'],
  ['AUTH_URL', 'https://login.example.com'],
  ['HOME', '/home/somebody'],
  ['API_KEY', 'short'],
  ['USE_AUTH', 'disabled'],
  ['MAX_TOKENS', '100000000'],
])('the value of %s (%s) is not a secret', (name, value) => {
  expect(redact({ [name]: value }, `x ${value} y`)).toBe(`x ${value} y`)
})

test('a variable that is allowed stays', () => {
  expect(redact({ A_KEY: 'one-secret', B_KEY: 'two-secret' }, 'one-secret two-secret', ['A_KEY'])).toBe(
    'one-secret [redacted: B_KEY]',
  )
})

test.each([
  ['as it is', secret],
  ['inside JSON', JSON.stringify({ a: secret }).slice(6, -2)],
  ['as base64', Buffer.from(secret).toString('base64')],
  ['as base64 for addresses', Buffer.from(secret).toString('base64url')],
  ['encoded for an address', encodeURIComponent(secret)],
  ['encoded in lower case', encodeURIComponent(secret).replace(/%../g, code => code.toLowerCase())],
])('a secret is found %s', (_, form) => {
  expect(redact({ A_KEY: secret }, `<${form}>`)).toBe('<[redacted: A_KEY]>')
})

test.each(['', 'u', 'us', 'usr', 'user:'])('a secret is found in base64 after %j', before => {
  const encoded = Buffer.from(`${before}${secret}, and more`).toString('base64')
  const redacted = redact({ A_KEY: secret }, `Basic ${encoded}`) as string
  expect(redacted).toContain('[redacted: A_KEY]')
  const decoded = Buffer.from(redacted.replace('Basic ', '').replace('[redacted: A_KEY]', ''), 'base64').toString(
    'latin1',
  )
  for (let i = 0; i + 3 <= secret.length; i++) expect(decoded).not.toContain(secret.slice(i, i + 3))
})

test('the password of an address is found, whatever its variable is called', () => {
  const env = { DATABASE_URL: 'postgres://me:p%40ssw0rd-1@db.example.com/x' }
  expect(redact(env, env.DATABASE_URL)).toBe('[redacted: DATABASE_URL]')
  expect(redact(env, 'p%40ssw0rd-1 p@ssw0rd-1')).toBe('[redacted: DATABASE_URL] [redacted: DATABASE_URL]')
  expect(redact(env, 'me at db.example.com')).toBe('me at db.example.com')
})

test('a password that is the name of its user stays readable elsewhere', () => {
  const env = { DATABASE_URL: 'postgres://postgres:postgres@localhost/x' }
  expect(redact(env, 'the postgres server')).toBe('the postgres server')
  expect(redact(env, `url=${env.DATABASE_URL}`)).toBe('url=[redacted: DATABASE_URL]')
})

test('the lines of a private key are found one by one, and as a whole', () => {
  const key =
    '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END PRIVATE KEY-----\n'
  expect(redact({ TLS_KEY: key }, `2:AQEFAASCBKcwggSjAgEAAoIB\n`)).toBe('2:[redacted: TLS_KEY]\n')
  expect(redact({ TLS_KEY: key }, key)).toBe('[redacted: TLS_KEY]')
  expect(redact({ TLS_KEY: key }, JSON.stringify(key))).toBe('"[redacted: TLS_KEY]"')
  expect(redact({ TLS_KEY: key }, '-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----')
})

test('a secret that begins with another one is replaced as a whole', () => {
  expect(redact({ A_KEY: 'abcdefgh', B_KEY: 'abcdefgh-ijkl' }, 'abcdefgh-ijkl abcdefgh')).toBe(
    '[redacted: B_KEY] [redacted: A_KEY]',
  )
})

test('secrets are found anywhere in a JSON value, keys too', () => {
  const value = JSON.parse('{"a":[1,null,{"abcdefgh":"x","__proto__":"abcdefgh"}],"b":{"c":true}}')
  const redacted = redact({ A_KEY: 'abcdefgh' }, value) as { a: unknown[]; b: unknown }
  expect(redacted).toEqual(
    JSON.parse('{"a":[1,null,{"[redacted: A_KEY]":"x","__proto__":"[redacted: A_KEY]"}],"b":{"c":true}}'),
  )
  expect(redacted.b).toBe(value.b)
  expect(Object.getPrototypeOf(redacted.a[2])).toBe(Object.prototype)
})

test('two keys with the same secret stay two', () => {
  expect(redact({ A_KEY: 'abcdefgh' }, { abcdefgh: 1, YWJjZGVmZ2g: 2 })).toEqual({
    '[redacted: A_KEY]': 1,
    '[redacted: A_KEY] (2)': 2,
  })
})

test('a value without a secret is the same object', () => {
  const value = { a: ['b', { c: 'd' }] }
  expect(redact({ A_KEY: 'abcdefgh' }, value)).toBe(value)
  expect(redact({}, value)).toBe(value)
  for (const plain of [null, undefined, 1, true]) expect(redact({ A_KEY: 'abcdefgh' }, plain)).toBe(plain)
})

test('a value that contains itself, or is nested without end, ends', () => {
  const circle: Record<string, unknown> = { a: 'abcdefgh' }
  circle.b = [circle, circle]
  expect(JSON.stringify(redact({ A_KEY: 'abcdefgh' }, circle))).not.toContain('abcdefgh')
  let deep: unknown = 'abcdefgh'
  for (let i = 0; i < 100_000; i++) deep = [deep]
  const redacted = redact({ A_KEY: 'abcdefgh' }, deep)
  expect(JSON.stringify(redacted)).toContain('nested too deeply')
})

test('no form of any secret is left in any text', () => {
  const anySecret = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
  const encode = [
    (text: string) => text,
    (text: string) => encodeURIComponent(text),
    (text: string) => Buffer.from(text).toString('base64'),
    (text: string) => JSON.stringify(text).slice(1, -1),
  ]
  fc.assert(
    fc.property(anySecret, fc.string(), fc.string(), fc.nat(3), (value, before, after, way) => {
      fc.pre(value.trim().length >= 8 && !/^[\d]+$/.test(value))
      const form = encode[way]!(value)
      const redacted = redact({ THE_SECRET: value }, { key: [`${before}\n${form}\n${after}`] })
      expect(JSON.stringify(redacted)).toContain('[redacted: THE_SECRET]')
    }),
  )
})

test('100 secrets in 8 MB of text take one pass', () => {
  const env = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`KEY_${i}_TOKEN`, `secret-number-${i}-${'x'.repeat(20)}`]),
  )
  const text = 'an ordinary line of output with secret-number-7 in it\n'.repeat(150_000)
  expect(redact(env, text)).toBe(text)
  expect(redact(env, `${text}secret-number-42-${'x'.repeat(20)}`)).toBe(`${text}[redacted: KEY_42_TOKEN]`)
})
