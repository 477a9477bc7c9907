import { createAgent, mcp } from '@argot/agent'

const agent = createAgent({
  model: 'demo',
  tools: [mcp('stdio:node plants-server.mjs', { include: ['plants'] })],
  approve: 'all',
})
console.log(await agent.run('Which plants are there? Use the tool plants').text)
