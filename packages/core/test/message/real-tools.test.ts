import { describeCall } from '@argot/core'
import { expect, test } from 'vitest'
import { realTools } from './real-tools.ts'

test('the table has at least 60 tools', () => {
  expect(realTools.length).toBeGreaterThanOrEqual(60)
})

test.each(realTools)('%s says what it did', (toolName, input, output, row) => {
  const call = { key: 'c', toolCallId: 'c', toolName, state: 'output-available', input, output } as const
  const { verb, subject, result, sources } = describeCall(call)
  const hosts = sources && [...sources.hosts, ...(sources.more > 0 ? [`+${sources.more}`] : [])].join(' ')
  expect([verb, subject, result, hosts].filter(Boolean).join(' | ')).toBe(row)
})
