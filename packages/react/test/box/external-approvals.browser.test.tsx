import { ChatBox, ChatProvider, ChatStore, usePendingCalls, useToolCall } from '@argot/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { asks, call, put } from './mount.tsx'

function OwnDialog(): ReactNode {
  const [oldest] = usePendingCalls()
  return oldest && <Question key={oldest.approvalId ?? oldest.callKey} callKey={oldest.callKey} />
}

function Question({ callKey }: { callKey: string }): ReactNode {
  const view = useToolCall({ callKey })
  if (view === undefined) return null
  const { description, invocation, answer, addOutput } = view
  return (
    <div id="own">
      <p>{`${description.verb} ${description.subject}`}</p>
      {invocation.state === 'approval-requested' ? (
        <button type="button" onClick={() => answer?.({ approved: false, reason: 'Not today.' })}>
          No
        </button>
      ) : (
        <button type="button" onClick={() => addOutput?.('Blue')}>
          Blue
        </button>
      )}
    </div>
  )
}

test.each(['cards', 'widget'] as const)(
  'with external approvals (%s) calls wait, rows say so, nothing on them can be pressed, and an own dialog answers',
  async toolDisplay => {
    const adapter = new ScriptedAdapter()
    const outputs: unknown[] = []
    adapter.addToolOutput = async ({ output }) => {
      outputs.push(output)
    }
    const store = new ChatStore({ adapter })
    const { host } = put(
      <ChatProvider adapter={adapter} store={store} approvals="external">
        <ChatBox toolDisplay={toolDisplay} />
        <OwnDialog />
      </ChatProvider>,
    )
    await expect.poll(() => host.querySelector('textarea')).not.toBeNull()
    store.submit({ text: 'one' })
    adapter.say(
      { type: 'start', messageId: 'a' },
      ...asks('c1', 'delete_files', { paths: ['x.ts'] }),
      ...asks('c2', 'run_command', { command: 'ls' }),
      ...call('c3', 'ask_user', { question: 'Which colour?', options: ['Blue'] }),
    )
    const words = () => host.querySelector('#own p')?.textContent
    await expect.poll(words).toBe('Wants to delete files x.ts')
    expect(store.conversation.pending.get()).toHaveLength(3)
    const rows = () => [...host.querySelectorAll('[data-argot-call] .argot-row')].map(one => one.textContent)
    await expect.poll(() => rows().length).toBe(3)
    for (const row of rows()) expect(row).toContain('needs you')
    expect(host.querySelector('.argot-approval, .argot-bar, .argot-options')).toBeNull()
    expect(adapter.answers).toEqual([])
    host.querySelector<HTMLElement>('#own button')!.click()
    await expect.poll(words).toBe('Wants to run ls')
    host.querySelector<HTMLElement>('#own button')!.click()
    await expect.poll(words).toContain('Which colour?')
    expect(adapter.answers.map(({ toolCallId, approved, reason }) => [toolCallId, approved, reason])).toEqual([
      ['c1', false, 'Not today.'],
      ['c2', false, 'Not today.'],
    ])
    host.querySelector<HTMLElement>('#own button')!.click()
    await expect.poll(() => outputs).toEqual(['Blue'])
    await expect.poll(words).toBeUndefined()
    if (toolDisplay === 'widget') return
    expect(host.querySelector('[data-argot-call="a/c1"]')!.textContent).toContain('you denied it')
  },
)
