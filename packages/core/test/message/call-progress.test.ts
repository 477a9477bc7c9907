import { describeCall, type ToolInvocation } from '@argot/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'

const call = (fields: Partial<ToolInvocation>): ToolInvocation => ({
  key: 'c',
  toolCallId: 'c',
  toolName: 'run',
  state: 'output-available',
  input: { command: 'npm test' },
  ...fields,
})
const running = (output: unknown) => describeCall(call({ preliminary: true, output }))

test.each<[output: unknown, done: number | undefined]>([
  ['29 of 46 tests\n31 of 46 tests\n', 31 / 46],
  ['[31/46] compiling', 31 / 46],
  ['Step 3 out of 4', 0.75],
  ['\u001b[32m42 %\u001b[0m', 0.42],
  ['downloading 99.5% of it', 0.995],
  ['12,5 %\rdone: 50%', 0.5],
  ['0 of 10', 0],
  ['10/10', 1],
  [{ progress: 31, total: 46, message: 'tests' }, 31 / 46],
  [{ percent: 20 }, 0.2],
  ['compiling', undefined],
  ['46 of 31', undefined],
  ['3 of 0', undefined],
  ['2026/11/18', undefined],
  ['18/11/2026', undefined],
  ['src/1/2/a.ts', undefined],
  ['v1.2/3', undefined],
  ['10:30/11:00', undefined],
  ['140 %', undefined],
  ['-5 %', undefined],
  [{ progress: Number.NaN, total: 4 }, undefined],
  [{ progress: 1, total: Number.POSITIVE_INFINITY }, undefined],
  [{ percent: '20' }, undefined],
])('%j is done by %s', (output, done) => {
  expect(running(output).done).toBe(done)
})

test('only a call that runs has a share', () => {
  expect(describeCall(call({ output: '31 of 46' })).done).toBeUndefined()
  expect(describeCall(call({ state: 'output-error', errorText: '31 of 46' })).done).toBeUndefined()
})

test('whatever a call says while it runs is one short line of visible characters, and a share from 0 to 1', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('\u001b', '[', '2J', '\u202e', '\r', '\n', '7', '/', ' of ', '%', '\ud800', 'é'),
    }),
  )
  fc.assert(
    fc.property(anyText, text => {
      const { progress = '', done = 0 } = running(text)
      expect(progress).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(progress.length).toBeLessThanOrEqual(201)
      expect(progress.isWellFormed()).toBe(true)
      expect(done >= 0 && done <= 1).toBe(true)
    }),
    { numRuns: shareOf(2000) },
  )
  expect(running(`${'7 of '.repeat(400_000)}`).progress!.length).toBeLessThanOrEqual(201)
})

const link = (output: unknown, fields: Partial<ToolInvocation> = {}) =>
  describeCall(call({ toolName: 'create_issue', input: { title: 'Bug' }, output, ...fields }))

test.each<[what: string, output: unknown, expected: string | undefined]>([
  ['of an issue', { number: 12, html_url: 'https://a.org/12' }, 'https://a.org/12'],
  ['inside of a result', { issue: { number: 12, url: 'https://a.org/12' } }, 'https://a.org/12'],
  ['in a text of MCP', { content: [{ type: 'text', text: '{"id":1,"url":"http://a.org"}' }] }, 'http://a.org/'],
  ['with letters of other scripts', { id: 1, url: 'https://аррӏе.com/я' }, 'https://xn--80ak6aa92e.com/%D1%8F'],
  ['with a port', { id: 1, url: 'https://a.org:8443/x' }, 'https://a.org:8443/x'],
  ['after one that is none', { id: 1, html_url: 'javascript:alert(1)', url: 'https://a.org/1' }, 'https://a.org/1'],
  ['with a user', { id: 1, url: 'https://github.com@evil.org/' }, undefined],
  ['with a password', { id: 1, url: 'https://a:b@evil.org/' }, undefined],
  ['of a script', { id: 1, url: 'javascript:alert(1)' }, undefined],
  ['of a file', { id: 1, url: 'file:///etc/passwd' }, undefined],
  ['with backslashes', { id: 1, url: 'https:\\\\evil.org' }, undefined],
  ['with a backslash before the host ends', { id: 1, url: 'https://evil.org\\@github.com' }, undefined],
  ['with a line break', { id: 1, url: 'https://a.org/\nx' }, undefined],
  ['without a host', { id: 1, url: 'https:///x' }, undefined],
  ['that is too long', { id: 1, url: `https://a.org/${'x'.repeat(3000)}` }, undefined],
])('an address %s', (_, output, expected) => {
  const description = link(output)
  expect(description.link).toBe(expected)
  // The arrow is there if there is somewhere to go.
  expect(description.result?.endsWith('↗') === true).toBe(expected !== undefined)
})

test('a call that is not over, or that failed, has no address', () => {
  const output = { number: 12, html_url: 'https://a.org/12' }
  expect(link(output, { preliminary: true }).link).toBeUndefined()
  expect(link(output, { state: 'output-error', errorText: 'x' }).link).toBeUndefined()
})

test('an address is http or https, in ASCII, without a user, whatever an output holds', () => {
  const anyAddress = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({
      unit: fc.constantFrom('https://', 'http:', '@', '/', '\\', 'a.org', ':', '#', '?', 'é', '\u202e', '[::1]', ' '),
    }),
  )
  fc.assert(
    fc.property(anyAddress, url => {
      const { link: address } = link({ number: 12, url })
      if (address === undefined) return
      expect(address).toMatch(/^https?:\/\/[\x21-\x7e]+$/)
      const { username, password, href } = new URL(address)
      expect([username, password, href]).toEqual(['', '', address])
      expect(new URL(url).hostname).toBe(new URL(address).hostname)
    }),
    { numRuns: shareOf(3000) },
  )
})
