import { defineTool } from '@argot/agent'

export const water = defineTool({
  name: 'water',
  description: 'Waters a plant.',
  effect: 'write',
  inputSchema: { type: 'object', properties: { plant: { type: 'string' } }, required: ['plant'] },
  execute: ({ plant }) => `The ${plant} has water.`,
})
