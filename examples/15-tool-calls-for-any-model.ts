import { textSyntaxMiddleware } from '@argot/core/ai-sdk'
import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { z } from 'zod'

// In your program: any model of the AI SDK. This one only writes text.
const says = [
  'I look it up.\n\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
  'It rains.',
]
const textOnly = new MockLanguageModelV3({
  doGenerate: async () => ({
    content: [{ type: 'text', text: says.shift()! }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 40, noCache: 40, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 12, text: 12, reasoning: 0 },
    },
    warnings: [],
  }),
})

const model = wrapLanguageModel({ model: textOnly, middleware: textSyntaxMiddleware('hermes') })
const weather = tool({
  description: 'Tells how the weather is in a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
})
const { steps, text } = await generateText({
  model,
  tools: { weather },
  stopWhen: stepCountIs(5),
  prompt: 'How is the weather in Oslo?',
})
for (const { toolResults } of steps) for (const { input, output } of toolResults) console.log(input, output)
console.log(text)
