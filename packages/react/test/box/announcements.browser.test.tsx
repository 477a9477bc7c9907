import { expect, test } from 'vitest'
import { asks, call, mountBox, text } from './mount.tsx'

/** Every text that a live region of the page says, in order. */
function listen(host: HTMLElement): string[] {
  const said: string[] = []
  for (const region of host.querySelectorAll('[aria-live="polite"], [aria-live="assertive"]')) {
    new MutationObserver(() => {
      const now = `${region.getAttribute('aria-live')}: ${region.textContent}`
      if (region.textContent !== '' && said.at(-1) !== now) said.push(now)
    }).observe(region, { childList: true, subtree: true, characterData: true })
  }
  return said
}

test('a run is announced at its boundaries, and never a token', async () => {
  const { host, adapter, store } = await mountBox()
  const said = listen(host)
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'text-start', id: 't' })
  for (const word of ['Let ', 'me ', 'delete ', 'that.']) {
    adapter.say({ type: 'text-delta', id: 't', delta: word })
    await new Promise(resolve => requestAnimationFrame(resolve))
  }
  await expect.poll(() => said).toEqual(['polite: Response started'])
  adapter.say({ type: 'text-end', id: 't' }, ...asks('c1', 'delete_files', { paths: ['x'] }))
  await expect.poll(() => said.length).toBe(2)
  void store.answer('a/c1', { approved: true })
  adapter.say({ type: 'tool-output-error', toolCallId: 'c1', errorText: 'busy' })
  await expect.poll(() => said.length).toBe(3)
  adapter.say(...text('t2', 'It is busy.'), { type: 'finish' })
  adapter.close()
  await expect
    .poll(() => said)
    .toEqual([
      'polite: Response started',
      'assertive: Wants to delete files x: needs your approval',
      'polite: Could not delete files x, failed: busy',
      'polite: Response complete',
    ])
})

test('what happens in one frame is said one after another, a question of the model too', async () => {
  const { host, adapter, store } = await mountBox()
  const said = listen(host)
  store.submit({ text: 'one' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...asks('c1', 'delete_files', { paths: ['x'] }),
    ...asks('c2', 'run', { command: 'ls' }),
    ...call('c3', 'ask_user', { question: 'Which one?' }),
    ...['c4', 'c5'].flatMap(id => [
      ...call(id, 'read_file', { path: id }),
      { type: 'tool-output-error' as const, toolCallId: id, errorText: 'gone' },
    ]),
  )
  await expect
    .poll(() => [...said].sort())
    .toEqual([
      'assertive: A question for you: Which one?',
      'assertive: Wants to delete files x: needs your approval',
      'assertive: Wants to run ls: needs your approval',
      'polite: Could not read c4, failed: gone',
      'polite: Could not read c5, failed: gone',
      'polite: Response started',
    ])
  const heard = (region: string): string[] => said.filter(one => one.startsWith(region))
  expect(heard('polite').at(-1)).toBe('polite: Could not read c5, failed: gone')
  expect(heard('assertive').at(-1)).toBe('assertive: A question for you: Which one?')
})

test('an output is announced politely when it arrives, once, and neither a preview nor history is', async () => {
  const old = { type: 'tool-read_file', toolCallId: 'o', state: 'output-available', input: { path: 'o' }, output: 'x' }
  const { host, adapter, store } = await mountBox({ initialMessages: [{ id: 'h', role: 'assistant', parts: [old] }] })
  const said = listen(host)
  store.submit({ text: 'one' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...call('c1', 'read_file', { path: 'a.ts' }, 'one\ntwo'),
    ...call('c2', 'run', { command: 'npm test' }),
    { type: 'tool-output-available', toolCallId: 'c2', output: 'testing', preliminary: true },
  )
  await expect.poll(() => said).toEqual(['polite: Response started', 'polite: Read a.ts, 2 lines, done'])
  adapter.say({ type: 'tool-output-available', toolCallId: 'c2', output: { exitCode: 0 } })
  await expect.poll(() => said.at(-1)).toBe('polite: Ran npm test, exit 0, done')
  adapter.say(...text('t', 'Fine.'), { type: 'finish' })
  adapter.close()
  await expect.poll(() => said.at(-1)).toBe('polite: Response complete')
  expect(said).toHaveLength(4)
  store.setMessages(store.conversation.messages())
  expect(said).toHaveLength(4)
})

test('the log itself announces nothing, and its questions are in no busy region', async () => {
  const { host, adapter, store, log, find } = await mountBox()
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c1', 'delete_files', { paths: ['x'] }))
  await find('.argot-approval')
  expect(log().getAttribute('role')).toBe('log')
  expect(log().getAttribute('aria-live')).toBe('off')
  expect(log().querySelector('[aria-live]')).toBeNull()
  expect(host.querySelector('[aria-busy]')).toBeNull()
})
