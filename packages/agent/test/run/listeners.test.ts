import { getEventListeners } from 'node:events'
import { createAgent, defineTool, type Run, type RunOptions, runDocument } from '@argot/agent'
import type { ToolSourceContext } from '@argot/agent/internal'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder } from './document-folder.ts'

const tools = [
  defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effect: 'write',
    execute: async () => 'seen',
  }),
]

/** How a run can end, and whether it is read to its end. */
const endings: Record<string, Partial<RunOptions> & { leaves?: true; aborts?: 'signal' | 'leave' }> = {
  done: {},
  parked: { model: scriptedModel([[...call('1', 'look', {}), finish('tool-calls')]]), approve: 'ask' },
  'with a call': { model: scriptedModel([[...call('1', 'look', {}), finish('tool-calls')], 'Fine.']), approve: 'all' },
  'failed before its first chunk': { model: 'nobody:nothing' },
  'without its reader': { leaves: true },
  stopped: { aborts: 'signal' },
  left: { aborts: 'leave' },
}

test.each(Object.entries(endings))(
  'a run that ended %s listens to no signal of its caller any more',
  async (_, how) => {
    const { leaves, aborts, ...options } = how
    const folder = await documentFolder({ 'chat.chatmd': '<user>\nHello.\n</user>\n' })
    const signals = { signal: new AbortController(), leave: new AbortController() }
    const before = aborts === undefined ? {} : { before: () => signals[aborts].abort() }
    const run = runDocument('chat.chatmd', {
      model: scriptedModel(['Fine.'], before),
      tools,
      cwd: folder,
      configFolder: folder,
      env: {},
      ...options,
      signal: signals.signal.signal,
      leave: signals.leave.signal,
    })
    await read(run, leaves)
    for (const [name, { signal }] of Object.entries(signals)) {
      expect(getEventListeners(signal, 'abort'), name).toEqual([])
    }
  },
)

test('a run in memory listens to no signal of its caller any more, and nor do the tools that were opened for it', async () => {
  const { signal } = new AbortController()
  const given: (AbortSignal | undefined)[] = []
  const source = {
    name: 'a source',
    open: async (context: ToolSourceContext) => {
      given.push(context.signal)
      // As the clients of MCP do.
      context.signal?.addEventListener('abort', () => {})
      return { tools: [], refresh: async () => false, close: async () => {} }
    },
  }
  const agent = createAgent({ model: scriptedModel(['Fine.']), tools: [source], env: {} })
  for (let turn = 0; turn < 3; turn++) await read(agent.run('Hello.', { signal }))
  expect(given.length).toBe(3)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

async function read(run: Run, leaves?: true): Promise<void> {
  for await (const _ of run) if (leaves) break
  await run.result
}
