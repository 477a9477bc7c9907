import type { DefaultExpanded } from '@argot/react/types'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { call, mountBox } from './mount.tsx'

test('a resolver gets name, state, role, section, and whether the message still streams', async () => {
  const seen = new Set<string>()
  const defaultExpanded: DefaultExpanded = {
    '*': ({ toolName, state, role, section, isMessageStreaming }) => {
      seen.add([toolName, state, role, section ?? 'card', isMessageStreaming].join(' '))
      return true
    },
  }
  const { adapter, field } = await mountBox({
    slotProps: { messageContent: { partProps: { tool: { defaultExpanded } } } },
  })
  field().focus()
  await userEvent.keyboard('one{Enter}')
  adapter.say({ type: 'start', messageId: 'a' }, ...call('c1', 'write', { path: 'a', contents: 'b' }))
  await expect.poll(() => [...seen]).toContain('write input-available assistant card true')
  adapter.say({ type: 'tool-output-available', toolCallId: 'c1', output: 'one\ntwo\nthree' })
  await expect.poll(() => [...seen]).toContain('write output-available assistant output true')
  adapter.say({ type: 'finish', messageId: 'a' })
  await expect.poll(() => [...seen]).toContain('write output-available assistant card false')
  expect([...seen]).toContain('write output-available assistant input false')
})
