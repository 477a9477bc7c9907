import { ArgotError } from '@argot/core'
import { expect, test } from 'vitest'
import { ask, problemOf } from '../resolver/ask.ts'
import { reply, serve } from './server.ts'

const refused = [
  ['loopback', '127.0.0.1', 'loopback'],
  ['all of loopback', '127.255.255.254', 'loopback'],
  ['unspecified', '0.0.0.0', 'this machine'],
  ['all of 0/8', '0.1.2.3', 'this machine'],
  ['private 10/8', '10.1.2.3', 'private'],
  ['private 172.16/12', '172.31.255.255', 'private'],
  ['private 192.168/16', '192.168.0.1', 'private'],
  ['link-local', '169.254.1.1', 'link-local'],
  ['metadata of most clouds', '169.254.169.254', 'metadata'],
  ['metadata of Azure', '168.63.129.16', 'metadata'],
  ['metadata of Oracle', '192.0.0.192', 'reserved'],
  ['metadata of Alibaba', '100.100.100.200', 'CGNAT'],
  ['CGNAT', '100.127.255.255', 'CGNAT'],
  ['documentation', '192.0.2.1', 'documentation'],
  ['documentation 2', '198.51.100.7', 'documentation'],
  ['documentation 3', '203.0.113.7', 'documentation'],
  ['benchmarks', '198.19.0.1', 'benchmarks'],
  ['multicast', '224.0.0.1', 'multicast'],
  ['reserved', '240.0.0.1', 'reserved'],
  ['broadcast', '255.255.255.255', 'reserved'],
  ['IPv6 loopback', '::1', 'loopback'],
  ['IPv6 unspecified', '::', 'this machine'],
  ['IPv6 loopback, written out', '0:0:0:0:0:0:0:1', 'loopback'],
  ['link-local IPv6', 'fe80::1', 'link-local'],
  ['link-local IPv6, last', 'febf:ffff::1', 'link-local'],
  ['site-local IPv6', 'fec0::1', 'site-local'],
  ['unique-local', 'fc00::1', 'unique-local'],
  ['unique-local, metadata of AWS', 'fd00:ec2::254', 'unique-local'],
  ['multicast IPv6', 'ff02::1', 'multicast'],
  ['documentation IPv6', '2001:db8::1', 'documentation'],
  ['documentation IPv6, new', '3fff::1', 'documentation'],
  ['Teredo', '2001::7f00:1', 'reserved'],
  ['6to4', '2002:7f00:1::', '6to4'],
  ['mapped', '::ffff:127.0.0.1', 'loopback'],
  ['mapped, in hex', '::ffff:7f00:1', 'loopback'],
  ['mapped, written out', '0:0:0:0:0:ffff:0a00:0001', 'private'],
  ['compatible', '::127.0.0.1', 'IPv4-compatible'],
  ['compatible with a public address', '::808:808', 'IPv4-compatible'],
  ['NAT64', '64:ff9b::127.0.0.1', 'loopback'],
  ['NAT64 to metadata', '64:ff9b::a9fe:a9fe', 'metadata'],
  ['NAT64 of a local network', '64:ff9b:1::808:808', 'private'],
  ['translated', '::ffff:0:127.0.0.1', 'not a public'],
  ['discard', '100::1', 'not a public'],
  ['unassigned', '4000::1', 'not a public'],
] as const

test.each(refused)('refuses an address that is written out: %s', async (_, address, kind) => {
  const host = address.includes(':') ? `[${address}]` : address
  for (const what of ['doc', 'img', 'agent'] as const) {
    const result = await ask({}, { kind: what, local: false, src: `http://${host}/a.png` })
    expect(problemOf(result)).toMatchObject({ code: 'CHATMD_PRIVATE_ADDRESS', message: expect.stringContaining(kind) })
  }
})

test.each(refused)('refuses a name that leads to it: %s', async (_, address, kind) => {
  const lookup = async () => [{ address, family: address.includes(':') ? 6 : 4 }]
  const problem = problemOf(await ask({ lookup }, { local: false, src: 'http://public.example/' }))
  expect(problem).toMatchObject({ code: 'CHATMD_PRIVATE_ADDRESS', message: expect.stringContaining(kind) })
  expect(problem.message).toContain('public.example')
})

test.each([
  ['decimal', 'http://2130706433/'],
  ['hex', 'http://0x7f000001/'],
  ['hex in parts', 'http://0x7f.0x0.0x0.0x1/'],
  ['octal', 'http://0177.0.0.1/'],
  ['octal with many zeros', 'http://00000177.0.0.1/'],
  ['two parts', 'http://127.1/'],
  ['three parts', 'http://127.0.1/'],
  ['mixed', 'http://0x7f.1/'],
  ['a dot at the end', 'http://127.0.0.1./'],
  ['full-width digits', 'http://１２７.０.０.１/'],
  ['circled digits', 'http://①②⑦.⓪.⓪.①/'],
  ['percent signs', 'http://%31%32%37.0.0.1/'],
  ['zero', 'http://0/'],
  ['decimal of the metadata address', 'http://2852039166/latest/meta-data/'],
  ['backslashes', 'http:\\\\127.0.0.1\\'],
  ['one slash', 'http:/127.0.0.1/'],
  ['blanks around', '  http://127.0.0.1/  '],
  ['a tab in the middle', 'http://127.0.\t0.1/'],
  ['upper case', 'HTTP://127.0.0.1/'],
  ['a port', 'http://127.0.0.1:8080/'],
])('refuses every spelling of an IPv4 address: %s', async (_, src) => {
  for (const kind of ['doc', 'img'] as const) {
    expect(problemOf(await ask({}, { kind, local: false, src })).code).toBe('CHATMD_PRIVATE_ADDRESS')
  }
})

test.each([
  ['1.1.1.1'],
  ['8.8.8.8'],
  ['100.63.255.255'],
  ['100.128.0.1'],
  ['172.15.0.1'],
  ['172.32.0.1'],
  ['169.253.1.1'],
  ['192.167.1.1'],
  ['198.17.0.1'],
  ['223.255.255.255'],
  ['[2606:4700:4700::1111]'],
  ['[2001:4860:4860::8888]'],
  ['[2a00:1450::1]'],
  ['[::ffff:8.8.8.8]'],
  ['[64:ff9b::8.8.8.8]'],
])('takes a public address for one: %s', async host => {
  const result = await ask({}, { kind: 'img', local: false, src: `https://${host}/a.png` })
  expect(result).toMatchObject({ ok: true, mediaType: 'image/png' })
})

test.each([
  ['localhost'],
  ['LOCALHOST'],
  ['localhost.'],
  ['app.localhost'],
  ['printer.local'],
  ['metadata.google.internal'],
  ['router.home.arpa'],
  ['intranet'],
])('refuses an image at the local name %s without asking for its address', async host => {
  const lookup = () => Promise.reject(new Error('must not be asked'))
  const problem = problemOf(await ask({ lookup }, { kind: 'img', local: false, src: `http://${host}/a.png` }))
  expect(problem).toMatchObject({ code: 'CHATMD_PRIVATE_ADDRESS', message: expect.stringContaining('local network') })
})

test('loopback is refused by default, by address and by name, and the server hears nothing', async () => {
  const server = await serve(reply('secret'))
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
    const result = await ask({}, { local: false, src: `http://${host}:${server.port}/` })
    expect(problemOf(result).code).toBe('CHATMD_PRIVATE_ADDRESS')
  }
  expect(server.requests).toEqual([])
})

test('a name with one public and one private address is refused, and the server hears nothing', async () => {
  const server = await serve(reply('secret'))
  const answers = [
    { address: '127.0.0.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
  ]
  for (const given of [answers, answers.toReversed()]) {
    const result = await ask(
      { lookup: async () => given },
      { local: false, src: `http://mixed.example:${server.port}/` },
    )
    expect(problemOf(result)).toMatchObject({ message: expect.stringContaining('127.0.0.1') })
  }
  expect(server.requests).toEqual([])
})

test('a name is looked up once for a connection, and that answer is the one that is connected to', async () => {
  const server = await serve(reply('good'))
  const asked: string[] = []
  const lookup = async (hostname: string) => {
    asked.push(hostname)
    return [{ address: asked.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
  }
  const options = { lookup, allowPrivateAddresses: ['127.0.0.1'] }
  expect(await ask(options, { local: false, src: `http://rebind.example:${server.port}/` })).toMatchObject({
    text: 'good',
  })
  expect(asked).toEqual(['rebind.example'])
  const again = await ask(options, { local: false, src: `http://rebind.example:${server.port}/` })
  expect(problemOf(again).code).toBe('CHATMD_PRIVATE_ADDRESS')
  expect(server.requests).toHaveLength(1)
})

test('private addresses can be allowed one by one, by range, or all', async () => {
  const server = await serve(reply('hello'))
  const request = { local: false, src: `${server.url}/` }
  for (const allowPrivateAddresses of [['127.0.0.1'], ['127.0.0.0/8'], ['10.0.0.0/8', '::1', '127.0.0.1/32'], true]) {
    expect(await ask({ allowPrivateAddresses }, request)).toMatchObject({ text: 'hello' })
  }
  for (const allowPrivateAddresses of [[], ['127.0.0.2'], ['10.0.0.0/8'], ['::1'], false]) {
    expect(problemOf(await ask({ allowPrivateAddresses }, request)).code).toBe('CHATMD_PRIVATE_ADDRESS')
  }
  const mapped = { kind: 'img', local: false, src: 'http://[::ffff:127.0.0.1]/a.png' } as const
  expect(await ask({ allowPrivateAddresses: ['127.0.0.1'] }, mapped)).toMatchObject({ ok: true })
})

test.each([['localhost'], ['10.0.0.0/33'], ['10.0.0.0/x'], ['fe80::/200'], ['']])(
  'an allowed address that is none (%s) is a mistake of the program',
  async wrong => {
    expect(() => ask({ allowPrivateAddresses: [wrong] }, {})).toThrow(ArgotError)
  },
)

test.each([
  ['a path without `local`', 'README.md', 'add the flag `local`'],
  ['an empty host', 'http://', 'add the flag `local`'],
  ['a file address', 'file:///etc/passwd', '`local`'],
  ['FTP', 'ftp://example.com/a', 'http'],
  ['data', 'data:text/plain,hello', 'http'],
  ['a script', 'javascript:alert(1)', 'http'],
  ['a drive of Windows', 'C:\\secret.txt', '`local`'],
  ['a user name and a password', 'https://user:password@example.com/', 'Remove it'],
  ['a user name', 'https://user@example.com/', 'Remove it'],
])('refuses what is not a plain address of the web: %s', async (_, src, cure) => {
  for (const kind of ['doc', 'img', 'agent'] as const) {
    const problem = problemOf(await ask({}, { kind, local: false, src }))
    expect(problem).toMatchObject({ code: 'CHATMD_BAD_ADDRESS', cure: expect.stringContaining(cure) })
    expect(problem.message).not.toContain('password@')
  }
})

test('a document from the web reads no files of this machine', async () => {
  for (const document of ['https://example.com/agent.chatmd', 'HTTP://example.com/agent.chatmd']) {
    for (const kind of ['doc', 'img', 'agent', 'payload', 'meta'] as const) {
      const result = await ask({}, { kind, src: 'package.json', document, from: document })
      expect(problemOf(result).code).toBe('CHATMD_PATH_OUTSIDE')
    }
  }
})

test('imports and relative addresses in a document from the web are taken from where it came from', async () => {
  const server = await serve(reply('text'))
  const document = `${server.url}/agents/a.chatmd`
  const options = { allowPrivateAddresses: true }
  await ask(options, { kind: 'import', src: 'parts/b.md', document, from: document })
  await ask(options, { kind: 'import', src: '../c.md', document, from: `${server.url}/agents/parts/b.md` })
  await ask(options, { kind: 'import', src: '/etc/passwd', document, from: document })
  await ask(options, { kind: 'doc', local: false, src: 'd.md', document, from: document })
  expect(server.requests).toEqual(
    ['/agents/parts/b.md', '/agents/c.md', '/etc/passwd', '/agents/d.md'].map(path => `GET ${path}`),
  )
  expect(problemOf(await ask({}, { kind: 'import', src: 'b.md', document, from: document })).code).toBe(
    'CHATMD_PRIVATE_ADDRESS',
  )
})
