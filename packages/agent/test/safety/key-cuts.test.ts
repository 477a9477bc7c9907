/**
 * Keys where an output is cut, and keys in other clothes. Siblings that were tried besides: a cut inside a character, and
 * a key that the limit cuts in the preview; hex in the lines of `xxd`, base64 with line numbers, and letters of full width.
 */

import { createShellTool } from '@argot/agent/workshop'
import { expect, test } from 'vitest'
import { cutRedacted } from '../../src/tool/output/cut-output.ts'
import { createRedactor } from '../../src/tool/output/redact.ts'
import { createSecretFinder } from '../../src/tool/output/secret-finder.ts'
import { ProcessOutput } from '../../src/tool/process/process-output.ts'
import { callTool, toolContext } from '../tool/tool-context.ts'

const KEY = 'sk-proj-Zx9q7secretOfTheUser0123456789ABCD'
const env = { PATH: process.env.PATH, OPENAI_API_KEY: KEY }
const redact = createRedactor(env)

/** The longest part of the key that a text shows, whatever the case. */
function shownPart(text: string, key = KEY): string {
  const [small, wanted] = [text.toLowerCase(), key.toLowerCase()]
  let best = ''
  for (let at = 0; at < wanted.length; at++) {
    while (small.includes(wanted.slice(at, at + best.length + 1)) && at + best.length < wanted.length)
      best = wanted.slice(at, at + best.length + 1)
  }
  return best
}

const hex = Buffer.from(KEY).toString('hex')
const base64 = Buffer.from(`user:${KEY}:more`).toString('base64')
const pairs = hex.match(/../g)!
const utf16 = (code: string): string => `\\u00${code}`

/** What `xxd` prints: an offset, the bytes in hex and as text, 16 to a line. */
function xxd(text: string): string {
  return (text.match(/.{1,16}/gs) ?? [])
    .map((part, index) => {
      const bytes = Buffer.from(part)
        .toString('hex')
        .match(/.{1,4}/g)!
      return `${(index * 16).toString(16).padStart(8, '0')}: ${bytes.join(' ').padEnd(41)} ${part}`
    })
    .join('\n')
}

test.each([
  ['in small letters', KEY.toLowerCase(), KEY],
  ['in capital letters', KEY.toUpperCase(), KEY],
  ['in hex', hex, hex],
  ['in capital hex', hex.toUpperCase(), hex],
  ['in hex with colons', pairs.join(':'), hex.slice(0, 12)],
  ['in hex with blanks and line breaks', hex.replace(/.{4}/g, '$& ').replace(/.{20}/g, '$&\n'), hex.slice(0, 12)],
  ['as a list of bytes', pairs.map(pair => `0x${pair}`).join(', '), pairs.slice(0, 6).join('')],
  ['as escapes of a string', pairs.map(pair => `\\x${pair}`).join(''), '\\x50\\x72'],
  ['as escapes of JSON', pairs.map(utf16).join(''), utf16(pairs[3]!) + utf16(pairs[4]!)],
  [
    'as octal escapes',
    pairs.map(pair => `\\${Number.parseInt(pair, 16).toString(8).padStart(3, '0')}`).join(''),
    '\\172\\130',
  ],
  ['wholly encoded for an address', pairs.map(pair => `%${pair}`).join(''), `%${pairs[4]}%${pairs[5]}`],
  ['as entities', pairs.map(pair => `&#x${pair};`).join(''), `&#x${pairs[4]};&#x${pairs[5]};`],
  ['in base64 in lines', base64.replace(/.{20}/g, '$&\n'), base64.slice(12, 30)],
  ['in base64 in indented lines', base64.replace(/.{20}/g, '$&\n    '), base64.slice(12, 30)],
  ['in base64 in lines of JSON', base64.replace(/.{20}/g, '$&\\n'), base64.slice(12, 30)],
  ['with blanks in the middle', `${KEY.slice(0, 20)}   ${KEY.slice(20)}`, KEY],
  ['with a blank after every letter', [...KEY].join(' '), [...KEY].slice(0, 6).join(' ')],
  ['with a line break in the middle', `${KEY.slice(0, 20)}\n  ${KEY.slice(20)}`, KEY],
  ['with escapes of a terminal', `${KEY.slice(0, 20)}\u001b[1;31m${KEY.slice(20)}\u001b[0m`, KEY],
  ['with a title of a terminal in it', `${KEY.slice(0, 20)}\u001b]0;x\u0007${KEY.slice(20)}`, KEY],
  ['with backslashes', KEY.replaceAll('-', '\\-'), KEY.slice(8)],
  ['joined from strings', `"${KEY.slice(0, 20)}" + "${KEY.slice(20)}"`, KEY],
  ['with characters that cannot be seen', [...KEY].join('\u200b'), [...KEY].slice(0, 6).join('\u200b')],
  [
    'in full width',
    KEY.replace(/[!-~]/g, sign => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
    '\uff33\uff45\uff43',
  ],
  ['without its first letters', KEY.slice(9), KEY],
  ['without its last letters', KEY.slice(0, -9), KEY],
  ['as xxd prints it', xxd(`OPENAI_API_KEY=${KEY}\n`), KEY],
])('a key %s is found', (_, form, forbidden) => {
  const redacted = String(redact(`before ${form} after`))
  expect(redacted).toContain('[redacted: OPENAI_API_KEY]')
  expect(shownPart(redacted, forbidden).length).toBeLessThan(16)
  expect(redacted).toMatch(/^before |: /)
})

test.each([
  'An ordinary sentence about the secret of this user, 98765 times.',
  'sk-proj is the beginning of every key; proj-Zx9q7 is a part.',
  'const key = process.env.OPENAI_API_KEY',
])('what is not a key stays: %s', text => {
  expect(redact(text)).toBe(text)
})

test('neither an address nor a file of JSON makes ordinary words secret', () => {
  const account = { type: 'service_account', auth_uri: 'https://accounts.google.com/o/oauth2/auth', key: `x${KEY}` }
  const redactBoth = createRedactor({
    DATABASE_URL: 'postgres://postgres:some-Password-17@localhost:5432/production',
    GOOGLE_CREDENTIALS: JSON.stringify(account, undefined, 2),
  })
  const plain = 'https://accounts.google.com/o/oauth2/auth, service_account, postgres at localhost:5432/production'
  expect(redactBoth(plain)).toBe(plain)
  expect(redactBoth(`x${KEY.slice(0, 30)}`)).toBe('[redacted: GOOGLE_CREDENTIALS]')
  expect(redactBoth('SOME-PASSWORD-17')).toBe('[redacted: DATABASE_URL]')
})

test.each([
  [KEY, KEY],
  [hex, hex],
  [base64, base64.slice(8, -8)],
  [[...KEY].join(' '), [...KEY].join(' ')],
])('no cut of the output of a program goes through a key: %s', (form, forbidden) => {
  const find = createSecretFinder(env)
  const limit = 400
  for (let shift = 0; shift <= form.length + 2; shift++) {
    const text = `${'.'.repeat(limit / 2 - shift)}${form}${'.'.repeat(50_000)}${form}${'.'.repeat(limit / 2 - shift)}`
    const output = new ProcessOutput(limit, find)
    for (let at = 0; at < text.length; at += 1000) output.push(Buffer.from(text.slice(at, at + 1000)))
    for (const seen of [output.text, output.tail(limit / 2), output.tail(limit / 4)]) {
      expect(shownPart(String(redact(seen)), forbidden).length).toBeLessThan(6)
    }
  }
})

test('nor where little is left out', () => {
  const find = createSecretFinder(env)
  for (let length = 0; length < 120; length += 7) {
    const output = new ProcessOutput(100, find)
    output.push(Buffer.from(`${'.'.repeat(30)}${KEY}${'.'.repeat(length)}`))
    expect(shownPart(String(redact(output.text))).length).toBeLessThan(6)
  }
})

test('what is left out is counted, however it was cut', () => {
  const output = new ProcessOutput(100)
  output.push(Buffer.from('ä'.repeat(5000)))
  const [, left] = /\[… (\d+) bytes are left out …\]/.exec(output.text)!
  expect(Number(left) + Buffer.byteLength(output.text.replace(/\n\[.*\]\n/, ''))).toBe(10_000)
})

test('a program that prints a key at every cut shows none of it: output, preview and time-out', async () => {
  const script = `
    const key = process.argv[1]
    const dots = n => '.'.repeat(n)
    process.stdout.write(dots(7500 - 20) + key + dots(60000) + key + dots(7500 - 20))
    process.stderr.write(dots(2500 - 20) + key + dots(60000) + key + dots(2500 - 20))
    if (process.argv[2]) setInterval(() => process.stdout.write(key + dots(2048 - 20)), 300)`
  const command = `'${process.execPath}' -e '${script.replaceAll("'", `'\\''`)}' --`
  const options = { name: 'leak', command, cwd: '.', env, outputLimit: 20_000 }
  const { output } = await callTool(createShellTool(options), { arguments: [KEY] })
  expect(shownPart(String(redact(output))).length).toBeLessThan(6)
  const context = toolContext()
  const slow = createShellTool({ ...options, timeoutMs: 2500 })
  const error = await callTool(slow, { arguments: [KEY, 'wait'] }, context).catch((thrown: Error) => thrown)
  expect(shownPart(String(redact((error as Error).message))).length).toBeLessThan(6)
  expect(context.shown.length).toBeGreaterThan(0)
  for (const one of context.shown) expect(shownPart(String(redact(one))).length).toBeLessThan(6)
})

test('a cut of any text leaves no part of a key', () => {
  for (let before = 900; before <= 1000; before += 3) {
    expect(shownPart(cutRedacted(`${'. '.repeat(before / 2)}${KEY} more`, 1000, redact)).length).toBeLessThan(6)
  }
})
