import { randomBytes } from 'node:crypto'
import { createAgent, defineTool } from '@argot/agent'
import { z } from 'zod'

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  effect: 'read',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 22, sky: 'sunny' }),
})

/** `effect: 'write'` makes a tool ask before it runs. */
const saveNote = defineTool({
  name: 'save_note',
  description: 'Saves a note for later.',
  effect: 'write',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => `Saved: ${text}`,
})

export const agent = createAgent({
  // The built-in demo model needs no key. Set MODEL and a provider's key for a real one: MODEL=openai:gpt-5.4-mini
  model: process.env.MODEL ?? 'demo',
  tools: [weather, saveNote],
  // The question goes to the client with the message, and its answer comes back with the next request.
  ask: async () => undefined,
  // Signs each question, so that a client can answer it but can't invent or change a call. Set it if you run several processes.
  approvalKey: process.env.APPROVAL_KEY ?? randomBytes(32).toString('hex'),
})
