import { accumulate, fromFullStream, toChatMessage } from '@argot/core'

// In your program: `streamText({ model, tools, prompt }).fullStream` of the AI SDK.
async function* fullStream() {
  yield { type: 'start-step' }
  yield { type: 'text-delta', id: '0', text: 'Let me look that up.' }
  yield { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { query: 'cats' } }
  yield { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: ['All About Cats'] }
  yield { type: 'finish-step' }
  yield { type: 'start-step' }
  yield { type: 'text-delta', id: '0', text: 'One page: All About Cats.' }
  yield { type: 'finish-step' }
  yield { type: 'finish', finishReason: 'stop' }
}

const accumulator = accumulate({ nextId: () => 'm1', now: () => 0 })
for await (const chunk of fromFullStream(fullStream())) accumulator.push(chunk)
const { content, toolCalls } = toChatMessage(accumulator.message!)
console.log(JSON.stringify({ content, toolCalls }, null, 2))
