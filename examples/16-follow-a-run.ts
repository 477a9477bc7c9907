import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineTool, folderStore, runDocument } from '@argot/agent'
import { z } from 'zod'

const cwd = await mkdtemp(join(tmpdir(), 'argot-'))
const configFolder = join(cwd, 'config')
await writeFile(join(cwd, 'chat.chatmd'), '<tool name="write_note"/>\n\n<user>\nPlease write_note "Hello"\n</user>\n')

const writeNote = defineTool({
  name: 'write_note',
  description: 'Writes a note.',
  effect: 'write',
  inputSchema: z.object({ content: z.string() }),
  execute: ({ content }) => `Wrote ${content}.`,
})

// One process runs the document. It asks nobody itself: answers come from elsewhere.
const run = runDocument('chat.chatmd', { cwd, configFolder, model: 'demo', tools: [writeNote], ask: 'wait' })

// Another one knows the folder, and nothing else.
async function watchAndAnswer(): Promise<void> {
  const store = folderStore(cwd, { configFolder })
  let entry = (await store.logs.list({ state: 'running' }))[0]
  while (entry === undefined) entry = (await store.logs.list({ state: 'running' }))[0]
  for await (const { chunk } of store.logs.follow(entry.run)) {
    if (chunk.type === 'tool-approval-request') {
      const { toolCallId, approvalId = toolCallId, toolName, input } = chunk
      console.log(`May ${toolName} run with`, input, '?')
      const post = { id: 'first', type: 'answer', approvalId, answer: { approved: true, by: 'Ada' } } as const
      console.log(await store.inbox.post(entry.run, post), await store.inbox.post(entry.run, post))
      // `{ id: 'second', type: 'stop' }` would end the run instead.
    }
    if (chunk.type === 'tool-output-available') console.log(chunk.output)
    if (chunk.type === 'finish') console.log(chunk.type, chunk.finishReason)
  }
}

await watchAndAnswer()
console.log((await run.result).status)
await rm(cwd, { recursive: true })
