import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { defineTool, type Store } from '@argot/agent'
import type { RunResource } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { call, finish } from '../../../agent/test/scripted-model.ts'
import { readEvents, type ServedFolder, serveFolder } from '../served-folder.ts'

/*
 * The law: a click costs as many reads of the log as the run that continues needs, and the server none of its own; while
 * nothing happens, nothing is read.
 */

const save = defineTool({
  name: 'save',
  description: 'Saves.',
  effect: 'write',
  inputSchema: { type: 'object' },
  execute: async () => 'saved',
})

const reads = ['find', 'list', 'read', 'scan', 'tail', 'follow', 'watch'] as const

/** Every way to read a log, by name, and how often the requests in `click` read the inbox; the runner has its own reads. */
class ReadCounter {
  readonly calls: string[] = []
  readonly click: AsyncLocalStorage<true> = new AsyncLocalStorage()
  inboxReads = 0

  over = (store: Store): Store => {
    const { calls } = this
    const logs = { ...store.logs } as unknown as Record<string, (...args: unknown[]) => unknown>
    for (const name of reads) {
      const own = logs[name]
      if (own === undefined) continue
      logs[name] = (...args) => {
        calls.push(name)
        return own(...args)
      }
    }
    const inbox: Store['inbox'] = {
      ...store.inbox,
      read: run => {
        if (this.click.getStore() === true) this.inboxReads++
        return store.inbox.read(run)
      },
    }
    return { ...store, inbox, logs: logs as unknown as Store['logs'] }
  }
}

/** The log and lock files that this process opens and reads from, in its own thread. */
function countFiles(): { logs: number; locks: number; reads: number } {
  const counts = { logs: 0, locks: 0, reads: 0 }
  const { openSync, readSync } = fs
  fs.openSync = (path, flags, mode) => {
    if (/\/runs\/.*\.jsonl$/.test(String(path)) && flags === 'r') counts.logs++
    if (/\.lock$/.test(String(path)) && typeof flags === 'number') counts.locks++
    return openSync(path, flags, mode)
  }
  fs.readSync = ((...args: Parameters<typeof readSync>) => {
    counts.reads++
    return readSync(...args)
  }) as typeof readSync
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { openSync, readSync })
    syncBuiltinESMExports()
  })
  return counts
}

interface Parked extends ServedFolder {
  run: RunResource
  counter: ReadCounter
}

/** A run that asks, and a page that reads its stream. */
async function park(): Promise<Parked> {
  const counter = new ReadCounter()
  const served = await serveFolder([[...call('1', 'save', { a: 1 }), finish('tool-calls')], 'Saved.'], {
    files: { 'a.chatmd': '<tool name="save"/>\n\n<user>\nSave it.\n</user>\n' },
    tools: [save],
    run: { approve: 'ask' },
    over: counter.over,
  })
  const { id } = await served.post('/api/runs', { document: 'a.chatmd' })
  await served.until(id, 'waiting')
  // The one that it is parked as: nobody holds it.
  for (;;) {
    const [open] = (await served.get<{ runs: RunResource[] }>('/api/runs?state=waiting')).runs
    if (open !== undefined && !fs.existsSync(`${served.folder}/.chatmd/locks/a.chatmd.lock`)) {
      return { ...served, counter, run: open }
    }
  }
}

test('an approval click reads the log at most three times, and its requests read the inbox three times', async () => {
  const { run, counter, ask, get, post } = await park()
  const stream = await ask('GET', `/api/runs/${run.id}/stream`, undefined, { 'x-argot-chunks': '1' })
  const files = countFiles()
  counter.calls.length = 0
  // As the page does: it looks at what is asked, and answers that.
  const { results } = await counter.click.run(true, async () => {
    const { pending } = await get(`/api/runs/${run.id}`)
    const [{ approvalId, inputHash }] = pending as [RunResource['pending'][number]]
    return post<{ results: { status: number }[] }>(`/api/runs/${run.id}/approvals`, {
      answers: [{ approvalId, inputHash, approved: true }],
    })
  })
  expect(results.map(({ status }) => status)).toEqual([200])
  const { events, isDone } = await readEvents(stream)
  expect(isDone).toBe(true)
  expect(events.map(({ chunk }) => chunk.type)).toContain('tool-output-available')
  const calls = [...counter.calls]
  expect((await get(`/api/runs/${run.id}`)).state).toBe('done')
  // Two by the run that continues, and one by the server if another hand might have changed the document meanwhile.
  expect(calls.length, calls.join(', ')).toBeLessThanOrEqual(3)
  // For the page's look, for the state, and for a stop.
  expect(counter.inboxReads).toBe(3)
  // What these open, and whoever writes the log again.
  expect(files.logs).toBeLessThanOrEqual(10)
  expect(files.locks).toBeLessThanOrEqual(10)
})

test('while a run waits and is read, nobody reads its log or looks at its lock', async () => {
  const { run, counter, ask, server } = await park()
  const stream = await ask('GET', `/api/runs/${run.id}/stream`, undefined, { 'x-argot-chunks': '1' })
  const reader = stream.body!.getReader()
  let text = ''
  while (!text.includes('tool-approval-request')) text += new TextDecoder().decode((await reader.read()).value)
  // What the run's own end has set going comes to rest first.
  const files = countFiles()
  const rest = async (): Promise<void> => {
    for (let before = -1; before !== files.reads + files.logs; ) {
      before = files.reads + files.logs
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  await rest()
  counter.calls.length = 0
  Object.assign(files, { logs: 0, locks: 0, reads: 0 })
  // Longer than every clock that there was: 50 ms, 250 ms.
  await new Promise(resolve => setTimeout(resolve, 700))
  expect(counter.calls).toEqual([])
  expect(files).toEqual({ logs: 0, locks: 0, reads: 0 })
  await reader.cancel()
  await server.close()
})
