import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAgent, defineTool } from '@argot/agent'
import { fromUIMessage, type UIMessage } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import { listen } from '@argot/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call, finish, scriptedModel, text } from '../../../agent/test/scripted-model.ts'
import { serveFolder } from '../served-folder.ts'
import { listenAt } from './stock-chat.ts'

/** Where `npm run test:node24` has put Node 24 and `ai` 7, too new for the Node that is promised here. */
const folder = process.env.ARGOT_AI7 ?? join(tmpdir(), 'argot-node24')
const node = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
const ai = join(folder, 'node_modules/ai/dist/index.js')

const save = defineTool({
  name: 'save',
  description: 'Saves.',
  inputSchema: { type: 'object' },
  execute: () => 'It was saved.',
})
const saves = [...text('I save it.'), ...call('c1', 'save', { text: 'x' }), finish('tool-calls')]

/** A conversation of `ai` 7 with a server of Argot, or with a route handler that keeps nothing. */
async function talk(kind: 'server' | 'handler', url: string): Promise<unknown> {
  const client = fileURLToPath(new URL('./ai-v7-client.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(node, [client, ai, kind, url], { timeout: 60_000 })
  return JSON.parse(stdout)
}

const approved = {
  asked: 'approval-requested',
  state: 'output-available',
  texts: ['Save it.', 'I save it.', 'Done with it.'],
  invalid: [],
}

describe.skipIf(!existsSync(node))('a client of `ai` 7', () => {
  test('sends, comes back while a call waits, and approves it', async () => {
    const served = await serveFolder([saves, 'Done with it.'], {
      files: { 'chat.chatmd': '<config show_tool_call/>\n<tool name="save"/>\n\n' },
      tools: [save],
    })
    const { url } = await listenAt(served)
    expect(await talk('server', url)).toMatchObject(approved)
  })

  test('approves a call of a route handler that keeps nothing: `toResponse`, with signed questions', async () => {
    const agent = createAgent({
      model: scriptedModel([saves, 'Done with it.']),
      tools: [save],
      env: {},
      approvalKey: 'a long random text',
      ask: async () => undefined,
    })
    const fetch = async (request: Request): Promise<Response> => {
      const { messages } = (await request.json()) as { messages: UIMessage[] }
      return toResponse(agent.run(messages.map(fromUIMessage)), { request })
    }
    const { port, close } = await listen({ fetch }, { port: 0 })
    onTestFinished(close)
    expect(await talk('handler', `http://127.0.0.1:${port}`)).toMatchObject(approved)
  })
})
