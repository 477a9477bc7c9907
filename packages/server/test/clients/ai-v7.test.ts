import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { defineTool } from '@argot/agent'
import { expect, test } from 'vitest'
import { call, finish, text } from '../../../agent/test/scripted-model.ts'
import { serveFolder } from '../served-folder.ts'
import { listenAt } from './stock-chat.ts'

/** Where `npm run bench:node24` has put Node 24 and `ai` 7, which are too new for the Node that this repository promises. */
const folder = join(tmpdir(), 'argot-bench-node24')
const node = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`)

test.skipIf(!existsSync(node))('a client of `ai` 7 sends, comes back while a call waits, and approves it', async () => {
  const save = defineTool({
    name: 'save',
    description: 'Saves.',
    inputSchema: { type: 'object' },
    execute: () => 'It was saved.',
  })
  const saves = [...text('I save it.'), ...call('c1', 'save', { text: 'x' }), finish('tool-calls')]
  const served = await serveFolder([saves, 'Done with it.'], {
    files: { 'chat.chatmd': '<config show_tool_call/>\n<tool name="save"/>\n\n' },
    tools: [save],
  })
  const { url } = await listenAt(served)
  const client = fileURLToPath(new URL('./ai-v7-client.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(node, [client, folder, url], { timeout: 60_000 })
  expect(JSON.parse(stdout)).toMatchObject({
    asked: 'approval-requested',
    state: 'output-available',
    texts: ['Save it.', 'I save it.', 'Done with it.'],
    invalid: [],
  })
})
