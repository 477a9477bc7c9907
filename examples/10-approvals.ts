import { type Ask, createAgent, defineTool } from '@argot/agent'
import { z } from 'zod'

const writeNote = defineTool({
  name: 'write_note',
  description: 'Writes a note into a file.',
  effect: 'write',
  inputSchema: z.object({ path: z.string(), content: z.string() }),
  execute: ({ path }) => `Wrote ${path}.`,
})
const sendNote = defineTool({
  name: 'send_note',
  description: 'Sends a note to everybody.',
  effect: 'net',
  inputSchema: z.object({ content: z.string() }),
  execute: () => 'Sent.',
})

/** Asked before every call that does more than read. In a real program a person answers. */
const ask: Ask = async ({ toolName, effect, input }) => {
  console.log(`May ${toolName} (${effect}) run with`, input, '?')
  if (toolName === 'send_note') return { approved: false, reason: 'Nobody else may read it yet.' }
  return { approved: true, input: { path: 'drafts/note.md', content: 'Water the pear tree.' } }
}

const agent = createAgent({ model: 'demo', tools: [writeNote, sendNote], ask })
const { message } = await agent.run('Please write_note and send_note "Hello"').result
for (const part of message?.parts ?? []) {
  if (part.type !== 'tool') continue
  const { toolName, state, input, output, approval } = part.toolInvocation
  console.log(toolName, state, input, output ?? approval?.reason)
}
