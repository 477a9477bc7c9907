import { expect, test } from 'vitest'
import { asks, call, mountBox, text } from './mount.tsx'

test('nothing is against a policy that allows styles of the page itself only', async () => {
  const broken: string[] = []
  document.addEventListener('securitypolicyviolation', event =>
    broken.push(`${event.violatedDirective} ${event.sample}`),
  )
  const policy = document.createElement('meta')
  policy.httpEquiv = 'Content-Security-Policy'
  policy.content = "style-src 'self'"
  document.head.append(policy)
  // The policy is in force: this is what it forbids.
  document.body.insertAdjacentHTML('beforeend', '<i id="probe" style="color: red"></i>')
  await expect.poll(() => broken.length).toBe(1)
  const { adapter, store, find } = await mountBox({
    initialMessages: Array.from({ length: 300 }, (_, index) => ({
      id: `h${index}`,
      role: index % 2 === 0 ? 'user' : 'assistant',
      parts: [{ type: 'text', text: `**Message** ${index}` }],
    })),
  })
  store.submit({ text: 'one' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...text('t', '# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1\n```'),
    ...call('c1', 'run_command', { command: 'ls' }, '\u001b[31mred\u001b[0m'),
    ...asks('c2', 'edit_file', { path: 'a', old_string: 'x', new_string: 'y' }),
  )
  await find('.argot-approval')
  store.conversation.ui('a/c1').setOpen(undefined, true)
  await new Promise(resolve => setTimeout(resolve, 200))
  expect(broken).toHaveLength(1)
})
