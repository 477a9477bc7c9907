import { createAgent, defineTool, userMessage } from '@argot/agent'
import { getMessageText, type Message } from '@argot/core'
import { z } from 'zod'

const weather = defineTool({
  name: 'weather',
  description: 'Tells how the weather is in a city.',
  effect: 'read',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `It rains in ${city}.`,
})
const agent = createAgent({ model: 'demo', tools: [weather] })

const picture = { mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71]), filename: 'sky.png' }
const turns = [userMessage('How is the weather in Oslo?'), userMessage('And in Bergen? It looks like this.', [picture])]

// The caller has the conversation: each turn is given all that was said before it.
const messages: Message[] = []
for (const turn of turns) {
  messages.push(turn)
  const { message } = await agent.run(messages).result
  messages.push(message!)
}
for (const message of messages) {
  const files = message.parts.filter(part => part.type === 'file').map(part => part.filename)
  console.log(message.role, files, getMessageText(message).split('\n').slice(0, 3))
}
