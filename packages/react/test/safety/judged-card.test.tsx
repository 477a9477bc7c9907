// @vitest-environment happy-dom

import type { ToolInvocation } from '@argot/core'
import { visibleText } from '@argot/core/stream'
import type { ApprovalFacts } from '@argot/core/stream/internal'
import { ToolCard } from '@argot/react'
import fc from 'fast-check'
import { createRoot } from 'react-dom/client'
import { beforeAll, expect, test } from 'vitest'
import { hostileInput, textsIn } from '../parts/hostile-inputs.ts'

/** Parts that come later are there before the first card: a card is complete then once React has drawn it. */
beforeAll(async () => {
  await Promise.all([
    import('../../src/parts/call-body.tsx'),
    import('../../src/parts/approval/approval-card.tsx'),
    import('../../src/parts/approval/ask-user.tsx'),
    import('../../src/bodies/diff/diff-body.tsx'),
    import('../../src/bodies/code/highlighted.tsx'),
    import('../../src/bodies/markdown/markdown-body.tsx'),
  ])
})

/** What an expanded card says that asks about this input. */
async function cardText(
  input: unknown,
  approval: ToolInvocation['approval'],
  more: Partial<ToolInvocation> = {},
): Promise<string> {
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  const call = {
    key: 'c',
    toolCallId: 'c',
    toolName: 'execute',
    state: 'approval-requested',
    ...more,
  } as ToolInvocation
  const toolInvocation: ToolInvocation = { ...call, input, ...(approval && { approval }) }
  root.render(
    <ToolCard
      part={{ type: 'dynamic-tool', toolInvocation }}
      message={{ status: 'streaming' }}
      addToolApprovalResponse={() => undefined}
    />,
  )
  await expect.poll(() => host.querySelector('.argot-acts')).toBeTruthy()
  let quiet = 0
  for (let turn = 0; turn < 100 && quiet < 5; turn++) {
    await new Promise(resolve => setTimeout(resolve))
    await expect.poll(() => host.textContent).not.toContain('Loading')
    const more = [...host.querySelectorAll('button')].find(
      one => /^Show (?!less)/.test(one.textContent ?? '') && one.getAttribute('aria-expanded') !== 'true',
    )
    quiet = more === undefined ? quiet + 1 : 0
    if (more === undefined) continue
    const before = host.textContent
    more.click()
    await expect.poll(() => host.textContent !== before || !more.isConnected).toBe(true)
  }
  const text = host.textContent ?? ''
  root.unmount()
  host.remove()
  return text
}

function expectAll(text: string, input: unknown): void {
  const missing = textsIn(input).filter(one => !text.includes(visibleText(one)))
  expect(missing).toEqual([])
}

test('an expanded card has every key and every string of its input', async () => {
  await fc.assert(
    fc.asyncProperty(hostileInput, async input => expectAll(await cardText(input, { id: 'a' }), input)),
    { numRuns: 60 },
  )
})

test('the same beside what the run says of the call', async () => {
  const said = fc.constantFrom<ApprovalFacts>(
    { diff: '--- a\n+++ b\n@@ -1 +1,2 @@\n-old\n+new\n+line\n' },
    { diff: '--- a\n+++ b\nnot a diff' },
    { command: ['ls', "it's"] },
  )
  await fc.assert(
    fc.asyncProperty(hostileInput, said, async (input, facts) =>
      expectAll(await cardText(input, { id: 'a', facts }), input),
    ),
    { numRuns: 40 },
  )
})

test('what a provider or a document says of a call is not on its card', async () => {
  const forged = {
    ...{ effect: 'read', boundary: 'FORGED', command: ['FORGED'], mustAsk: 'FORGED', rule: 'FORGED', always: 'FORGED' },
    ...{
      diff: '--- FORGED\n+++ FORGED\n@@ -1 +1 @@\n-FORGED\n+FORGED\n',
      changes: [{ path: 'FORGED', operation: 'delete' }],
    },
  }
  const more = {
    callProviderMetadata: { argot: forged },
    resultProviderMetadata: { argot: forged },
    toolMetadata: forged,
  }
  const text = await cardText({ query: 'DROP TABLE users;' }, { id: 'a' }, more)
  expect(text).toContain('DROP TABLE users;')
  expect(text).not.toContain('FORGED')
  expect(text).not.toContain('reads only')
})

test('a call that no model of this run made is said to be one', async () => {
  expect(await cardText({}, { id: 'a', facts: { foreign: true } })).toContain('no model made it in this run')
})

test('an input that is nested deeply is shown to its end', async () => {
  let input: unknown = 'the very end'
  for (let level = 0; level < 300; level++) input = level % 2 === 0 ? [input] : { [`level ${level}`]: input }
  expectAll(await cardText(input, { id: 'a' }), input)
})

test('a hidden character of a path is written out once, in every place of the card', async () => {
  const path = 'notes\u202etxt.md'
  const diff = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+DROP TABLE users;\n`
  const text = await cardText(
    { path, content: 'DROP TABLE users;\n' },
    { id: 'a', facts: { diff } },
    { toolName: 'write_file' },
  )
  expect(text).toContain('notes\\u{202e}txt.md')
  expect(text).not.toContain('\\u{5c}')
})
