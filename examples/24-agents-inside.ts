// A document that gives work to another one: what the agent does inside the call is seen while it does it.
import { runDocument } from '@argot/agent'
import type { Chunk } from '@argot/core'
import { parseChatMd } from '@argot/core/chatmd'

const source = `<config model="demo"/>
<tool name="gardener" agent="garden/gardener.chatmd" local description="Knows the garden."/>

<user>
Ask the gardener what garden/README.md says.
</user>
`

const run = runDocument(parseChatMd(source).document, { env: {}, approve: 'all' })
for await (const chunk of run) {
  if (chunk.type === 'tool-input-available') console.log(`calls ${chunk.toolName}`)
  // A chunk of the run inside the call; agents inside agents are wrapped again.
  if (chunk.type === 'data-argot-sub' && 'data' in chunk) {
    const { chunk: inner } = chunk.data as { toolCallId: string; chunk: Chunk }
    if (inner.type === 'tool-input-available') console.log(`  inside it calls ${inner.toolName}`)
    if (inner.type === 'finish') console.log('  inside it is done')
  }
}
const { status, usage } = await run.result
// What the agent has used counts for the run around it.
console.log(status, (usage?.totalTokens ?? 0) > 0 ? 'with the tokens of both' : '')
