import { createAgent, defineTool } from '@argot/agent'
import { z } from 'zod'

const weather = defineTool({
  name: 'weather',
  description: 'Tells how the weather is in a city.',
  effect: 'read',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `It rains in ${city}.`,
})
const agent = createAgent({ model: 'demo', tools: [weather] }) // or 'openai:gpt-5.4-mini', 'ollama:llama3.1', …
console.log(await agent.run('How is the weather in Oslo?').text)
