// A small MCP server: `node plants-server.mjs` speaks over its standard streams.
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const server = new McpServer({ name: 'plants', version: '1.0.0' })
server.registerTool(
  'plants',
  { description: 'Lists the plants of the garden.', inputSchema: z.object({}) },
  async () => ({ content: [{ type: 'text', text: 'basil\nrosemary\ntomato' }] }),
)
await server.connect(new StdioServerTransport())
