// A small MCP server without any package: a line of JSON for each question on its input, and one for each answer on its
// output. `<tool mcp_server="stdio:node plants-server.mjs"/>` gives its tool to a document.
import { createInterface } from 'node:readline'

const plants = { name: 'plants', description: 'Lists the plants of the garden.', inputSchema: { type: 'object' } }

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'plants', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [plants] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'basil\nrosemary\ntomato' }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  // What has no id is told, not asked.
  if (id === undefined) continue
  const result = Object.hasOwn(answers, method) ? answers[method](params) : undefined
  const said = result === undefined ? { error: { code: -32601, message: `No method ${method}` } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`)
}
