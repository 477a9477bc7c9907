import '@argot/react/styles.css'
import { ChatBox, functionAdapter } from '@argot/react'
import type { ChatAdapter } from '@argot/react/types'
import { ChatBox as MuiChatBox } from '@mui/x-chat'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { call, put, text } from '../box/mount.tsx'
import { settled } from '../parts/mount.tsx'

/** One object for both: a run with commentary, a call that runs, one that fails, and one that asks. */
function makeAdapter(): ChatAdapter {
  let runs = 0
  return functionAdapter(async function* (_, { approval }) {
    const id = `run-${++runs}`
    yield { type: 'start', messageId: id }
    yield { type: 'start-step' }
    yield* text('t1', 'Let me look.')
    yield* call(`${id}-a`, 'search_files', { query: 'argot' }, { matches: [1, 2] })
    yield* call(`${id}-b`, 'read_file', { path: 'a.ts' })
    yield { type: 'tool-output-error', toolCallId: `${id}-b`, errorText: 'No such file.' }
    yield* call(`${id}-c`, 'delete_files', { paths: ['a'] })
    yield {
      type: 'tool-approval-request',
      toolCallId: `${id}-c`,
      approvalId: `ask-${id}`,
      toolName: 'delete_files',
      input: { paths: ['a'] },
    }
    const { approved } = await approval(`ask-${id}`)
    if (approved) yield { type: 'tool-output-available', toolCallId: `${id}-c`, output: 'gone' }
    else yield { type: 'tool-output-denied', toolCallId: `${id}-c` }
    yield { type: 'finish-step' }
    yield { type: 'start-step' }
    yield* text('t2', 'That was it.')
    yield { type: 'finish-step' }
    yield { type: 'finish', messageId: id, finishReason: 'stop' }
  })
}

interface Seen {
  toolCallId: string
  state: string
}

/**
 * The states of the calls in their order, without the name of the run. MUI X Chat tells of each delta of an input and not of
 * the person's own answer; we tell of changes, also of that one.
 */
const plain = (seen: readonly Seen[]): string[] =>
  seen
    .map(({ toolCallId, state }) => `${toolCallId.slice(-1)} ${state}`)
    .filter((one, index, all) => one !== all[index - 1] && !one.includes('approval-responded'))

test.each([
  ['Approve', 'output-available'],
  ['Deny', 'output-denied'],
])('one adapter drives MUI X Chat and ours to the same states, with %s', async (answer, end) => {
  const adapter = makeAdapter()
  const theirs: Seen[] = []
  const ours: Seen[] = []
  const mui = put(
    <MuiChatBox
      adapter={adapter as never}
      onToolCall={({ toolCall: { toolCallId, state } }) => void theirs.push({ toolCallId, state })}
    />,
  )
  await expect.poll(() => mui.host.querySelector('textarea')).not.toBeNull()
  await userEvent.fill(mui.host.querySelector('textarea')!, 'Go')
  mui.host.querySelector('textarea')!.focus()
  await userEvent.keyboard('{Enter}')
  const button = (host: HTMLElement, name: RegExp): HTMLElement | undefined =>
    [...host.querySelectorAll('button')].find(one => name.test(one.textContent ?? ''))
  await expect.poll(() => button(mui.host, new RegExp(`^${answer}$`, 'i'))).toBeDefined()
  button(mui.host, new RegExp(`^${answer}$`, 'i'))!.click()
  await expect.poll(() => mui.host.textContent).toContain('That was it.')

  const argot = put(
    <ChatBox
      adapter={adapter}
      onToolCall={({ toolCall: { toolCallId, state } }) => ours.push({ toolCallId, state })}
    />,
  )
  await expect.poll(() => argot.host.querySelector('textarea')).not.toBeNull()
  argot.host.querySelector('textarea')!.focus()
  await userEvent.keyboard('Go{Enter}')
  await expect.poll(() => button(argot.host, new RegExp(`^${answer}`))).toBeDefined()
  button(argot.host, new RegExp(`^${answer}`))!.click()
  if (answer === 'Deny') {
    await expect.poll(() => argot.host.querySelector('.argot-approval form')).not.toBeNull()
    argot.host.querySelector<HTMLFormElement>('.argot-approval form')!.querySelector('input')!.focus()
    await settled()
    await userEvent.keyboard('{Enter}')
  }
  await expect.poll(() => argot.host.textContent).toContain('That was it.')

  expect(plain(ours)).toEqual(plain(theirs))
  expect(plain(ours).at(-1)).toBe(`c ${end}`)
  await expect.poll(() => argot.host.textContent).toContain('No such file.')
})

test('strings around calls are one message of MUI X Chat, with texts and calls in their order', async () => {
  const adapter = functionAdapter(async function* () {
    yield { type: 'start', messageId: 'own' }
    yield 'First I '
    yield 'look. '
    yield* call('a', 'search_files', { query: 'argot' }, 'found')
    yield 'Then I read. '
    yield* call('b', 'read_page', { path: 'a.ts' }, 'read')
    yield 'That was it.'
  })
  const mui = put(<MuiChatBox adapter={adapter as never} />)
  await expect.poll(() => mui.host.querySelector('textarea')).not.toBeNull()
  await userEvent.fill(mui.host.querySelector('textarea')!, 'Go')
  mui.host.querySelector('textarea')!.focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => mui.host.textContent).toContain('That was it.')
  const shown = mui.host.textContent!
  const order = ['First I look.', 'search_files', 'Then I read.', 'read_page', 'That was it.'].map(one =>
    shown.indexOf(one),
  )
  expect(order.every(at => at >= 0)).toBe(true)
  expect(order).toEqual([...order].sort((a, b) => a - b))
})
