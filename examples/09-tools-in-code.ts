import { createAgent, defineTool, withDetails } from '@argot/agent'
import { z } from 'zod'

/** A Standard Schema (here zod) checks the input and gives it its type. `details` is for the user interface alone. */
const countWords = defineTool({
  name: 'count_words',
  description: 'Counts the words of a text.',
  effect: 'read',
  inputSchema: z.object({ text: z.string(), shortest: z.number().int().default(1) }),
  execute({ text, shortest }) {
    const words = text.split(/\s+/).filter(word => word.length >= shortest)
    return withDetails(`${words.length} words`, { words })
  },
})

/** A JSON Schema checks the input, its type is given by hand. What a generator yields is shown until the next comes. */
const countDown = defineTool<{ number: number }>({
  name: 'count_down',
  description: 'Counts down to zero.',
  effect: 'read',
  inputSchema: {
    type: 'object',
    properties: { number: { type: 'integer', minimum: 1, maximum: 10 } },
    required: ['number'],
    additionalProperties: false,
  },
  async *execute({ number }) {
    for (let left = number; left > 0; left--) yield `${left} …`
    return 'Zero.'
  },
})

const agent = createAgent({ model: 'demo', tools: [countWords, countDown] })
for await (const chunk of agent.run('Please count_words of "a pear tree", and count_down from 3')) {
  if (chunk.type === 'tool-input-available') console.log('call   ', chunk.toolName, chunk.input)
  if (chunk.type !== 'tool-output-available') continue
  console.log(chunk.preliminary === true ? 'preview' : 'output ', chunk.output)
  const { details } = chunk.providerMetadata?.argot ?? {}
  if (details !== undefined) console.log('details', JSON.stringify(details))
}
