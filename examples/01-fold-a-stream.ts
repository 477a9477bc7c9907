import { accumulate, decodeSse, encodeSse, toolCalls } from '@argot/core'

const decoder = decodeSse()
const accumulator = accumulate({
  onToolCall: ({ toolCall }) => console.log(toolCall.toolName, 'is now', toolCall.state),
})
const wire = [
  encodeSse({ type: 'start', messageId: 'm1' }),
  encodeSse({ type: 'tool-input-start', toolCallId: 'c1', toolName: 'write_file' }),
  encodeSse({ type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"path":"a.md","content":"# Hel' }),
]
for (const piece of wire) for (const event of decoder.push(piece)) accumulator.push(event.chunk)
console.log(toolCalls(accumulator.message!)[0]!.input) // the file while it is being written
