import type { ToolInvocation } from '@argot/core'
import { visibleText } from '@argot/core/stream'
import type { ApprovalFacts } from '@argot/core/stream/internal'
import { ToolCard } from '@argot/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileInput, hostileTexts, textsIn } from './hostile-inputs.ts'
import { found, mount } from './mount.tsx'

/** A card that asks about this input. */
async function judged(input: unknown, facts: ApprovalFacts = {}, toolName = 'execute'): Promise<HTMLElement> {
  const approval = { id: 'a', facts }
  const toolInvocation: ToolInvocation = {
    key: 'c',
    toolCallId: 'c',
    toolName,
    state: 'approval-requested',
    input,
    approval,
  }
  const { host } = mount(
    <ToolCard
      part={{ type: 'dynamic-tool', toolInvocation }}
      message={{ status: 'streaming' }}
      addToolApprovalResponse={() => undefined}
    />,
  )
  await found(host, '.argot-approval')
  return host
}

/** Presses everything that shows more until nothing is left. */
async function expandAll(host: HTMLElement): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    await drawn(host)
    const more = [...host.querySelectorAll('button')].filter(
      one => /^Show (?!less)/.test(one.textContent ?? '') && one.getAttribute('aria-expanded') !== 'true',
    )
    if (more.length === 0) return
    more[0]!.click()
  }
}

/** Until what is loaded and computed in slices is there. */
async function drawn(host: HTMLElement): Promise<void> {
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
  await expect.poll(() => host.textContent).not.toContain('Loading')
}

/** What is on the page as a person sees it: no text node collapses its blanks, so its text is what is drawn. */
function seen(host: HTMLElement): string {
  return host.querySelector<HTMLElement>('.argot-approval')!.textContent ?? ''
}

/** Waits until everything is drawn: long texts are computed in slices, and what opens may have more to open. */
async function expectAll(host: HTMLElement, input: unknown): Promise<void> {
  const missing = async (): Promise<string[]> => {
    await expandAll(host)
    const text = seen(host)
    return textsIn(input).filter(one => !text.includes(visibleText(one)))
  }
  await expect.poll(missing, { message: `the card of ${JSON.stringify(input)}` }).toEqual([])
}

test('an expanded card has every key and every string of its input, as visible text', async () => {
  await fc.assert(
    fc.asyncProperty(hostileInput, async input => {
      const host = await judged(input)
      await expectAll(host, input)
      host.remove()
    }),
    { numRuns: 60, seed: 7 },
  )
})

test('the same beside a diff and a command line of the run', async () => {
  const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,2 @@\n-old\n+new\n+line\n'
  await fc.assert(
    fc.asyncProperty(
      hostileInput,
      fc.constantFrom<ApprovalFacts>({ diff }, { command: ['ls', "it's"] }),
      async (input, facts) => {
        const host = await judged(input, facts)
        await expectAll(host, input)
        host.remove()
      },
    ),
    { numRuns: 30, seed: 8 },
  )
})

test('each hostile text is there under names that are drawn in their own way', async () => {
  for (const text of hostileTexts) {
    const input = {
      path: 'a.ts',
      content: text,
      search: `${text}1`,
      replace: text,
      command: text,
      args: [text, "it's"],
    }
    const host = await judged(input)
    await expectAll(host, input)
    host.remove()
  }
})

test('blanks of what is judged are drawn, and nothing of it is cut at an edge', async () => {
  const long = 'x'.repeat(600)
  const input = {
    files: [`a  b/${long}`],
    [`key  ${long}`]: 1,
    path: `p  ${long}`,
    content: `c  ${long}\nd`,
    n: { deep: `v  ${long}` },
  }
  const host = await judged(input)
  await expandAll(host)
  const texts = document.createTreeWalker(host.querySelector('.argot-approval')!, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (!/ {2}|x{100}/.test(node.textContent ?? '')) continue
    const element = node.parentElement!
    if (element.closest('.argot-title, [hidden]')) continue
    expect(getComputedStyle(element).whiteSpace, element.outerHTML.slice(0, 200)).toMatch(/pre-wrap|break-spaces/)
    for (let at: HTMLElement | null = element; at !== null && at !== host; at = at.parentElement) {
      expect(at.scrollWidth - at.clientWidth, at.outerHTML.slice(0, 200)).toBeLessThanOrEqual(1)
    }
  }
})

test('text that begins like a diff is shown as text, and a diff as a diff', async () => {
  const host = await judged({ query: '--- weekly report\nDROP TABLE users;' }, {}, 'execute_sql')
  await drawn(host)
  expect(host.querySelector('.argot-diff')).toBeNull()
  expect(seen(host)).toContain('--- weekly report\nDROP TABLE users;')
  const other = await judged({ patch: '--- a\n+++ b\n@@ -1 +1 @@ heading\n-old\n+new\n' })
  await found(other, '.argot-diff')
  expect(seen(other)).toContain('@@ -1 +1 @@ heading')
})

test('a line that is cut counts as not shown', async () => {
  const host = await judged({ content: `echo ${'x'.repeat(20_000)}; rm -rf ~` })
  expect(seen(host)).toContain('not shown')
})

test('a call that no model of this run made is said to be one', async () => {
  const host = await judged({ command: 'ls' }, { foreign: true })
  expect(seen(host)).toContain('no model made it in this run')
})

test('names that hide something are shown with it', async () => {
  const host = await judged({ path: 'photo\u202egnp.exe' }, {}, 'de\u200blete')
  expect(seen(host)).toContain('photo\\u{202e}gnp.exe')
  expect(host.innerHTML).not.toMatch(/[\u202e\u200b]/)
})
