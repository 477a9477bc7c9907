import { accumulate, type Chunk } from '@argot/core'
import type { MessageChange } from '@argot/core/stream'

const chunks: Chunk[] = [
  { type: 'start', messageId: 'm1' },
  { type: 'text-start', id: 't1' },
  { type: 'text-delta', id: 't1', delta: 'Let me ' },
  { type: 'text-delta', id: 't1', delta: 'look.' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'search' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"query":"argot"}' },
  { type: 'tool-output-available', toolCallId: 'c1', output: '3 pages' },
  { type: 'finish' },
]

/** What a page would do with each change. */
function draw(change: MessageChange): void {
  if (change.type === 'message') console.log('message', change.message.id, change.message.status)
  else if (change.type === 'added') console.log('new node', change.index, change.part.type)
  else if (change.type === 'appended') console.log('append to node', change.index, change.text)
  else if (change.type === 'changed') console.log('draw node again', change.index, change.part.type)
  else console.log('remove the nodes from', change.from)
}

const accumulator = accumulate()
const reader = accumulator.reader()
for (const [index, chunk] of chunks.entries()) {
  accumulator.push(chunk)
  if (index % 2 === 1) reader.changes().forEach(draw) // once per frame
}
