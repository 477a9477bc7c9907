// An MCP server written by hand, for what the official package does not let a server do. The first word says how it errs.
import { createInterface } from 'node:readline'

const [mood = 'good'] = process.argv.slice(2)
const object = { type: 'object', properties: {} }
const answer = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const tools = [
  { name: 'good', inputSchema: object },
  { name: 'loose', inputSchema: { properties: { a: { type: 'bogus', pattern: '(' } }, required: 'a' } },
  { name: 'takes-nothing' },
  { name: 'takes-a-list', inputSchema: { type: 'array' } },
  { name: 7, inputSchema: object },
  'not a tool',
  {
    name: 'slow-to-check',
    inputSchema: object,
    outputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } }, required: ['text'] },
  },
  { name: 'broken', inputSchema: object },
  { name: 'closes', inputSchema: object },
]

function reply({ method, params }) {
  if (method === 'initialize') {
    if (mood.startsWith('refuses')) return { error: { code: -32000, message: 'no licence for this machine' } }
    const capabilities = mood === 'without-tools' ? {} : { tools: {} }
    return {
      result: { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 'raw', version: '1' } },
    }
  }
  if (method === 'tools/list') {
    return { result: mood === 'in-circles' ? { tools: [tools[0]], nextCursor: 'again' } : { tools } }
  }
  if (method !== 'tools/call') return { error: { code: -32601, message: 'unknown' } }
  if (params.name === 'slow-to-check') {
    return { result: { content: [], structuredContent: { text: `${'a'.repeat(80)}!` } } }
  }
  if (params.name === 'broken') return { result: { content: [{ type: 'hologram' }] } }
  return { result: { content: [{ type: 'text', text: params.name }] } }
}

if (mood === 'crashes') throw new TypeError('the licence is over')
createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line)
  const say = () => process.stderr.write(`got ${message.method}\n`)
  if (mood !== 'refuses-first') say()
  if (message.id === undefined) return
  if (message.params?.name === 'closes') process.stdout.end()
  else answer({ id: message.id, ...reply(message) })
  if (mood === 'refuses-first') say()
})
