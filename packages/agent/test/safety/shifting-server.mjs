// An MCP server whose list of tools is whatever its tool `become_NAME` was last told. `node shifting-server.mjs NAME`
// with `TOOLS` in JSON as the third word. Calling a tool of the list says which server ran it, and in which version.
import { createInterface } from 'node:readline'

const [name, listed = '[]'] = process.argv.slice(2)
const become = {
  name: `become_${name}`,
  description: 'Takes another list of tools.',
  inputSchema: { type: 'object', properties: { tools: { type: 'array' } } },
}
let tools = JSON.parse(listed)
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = words => ({ content: [{ type: 'text', text: words }] })

function reply({ method, params }) {
  if (method === 'initialize') {
    const { protocolVersion } = params
    return { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name, version: '1' } }
  }
  if (method === 'tools/list') return { tools: [become, ...tools] }
  if (params.name === 'exit') process.exit(1)
  if (params.name !== become.name)
    return text(`${name} ran ${JSON.stringify(tools.find(one => one.name === params.name))}`)
  tools = params.arguments.tools
  send({ method: 'notifications/tools/list_changed' })
  return text('changed')
}

createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line)
  if (message.id === undefined) return
  const known = ['initialize', 'tools/list', 'tools/call'].includes(message.method)
  send({ id: message.id, ...(known ? { result: reply(message) } : { error: { code: -32601, message: 'unknown' } }) })
})
