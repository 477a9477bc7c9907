import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { call, mountBox } from './mount.tsx'

interface Shift {
  value: number
  sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[]
}

const frame = (): Promise<unknown> =>
  new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))

/** What the browser itself counts as unexpected movement, and what moved. */
function watchShifts(): { sum: () => number; moved: () => string[] } {
  const shifts: Shift[] = []
  const observer = new PerformanceObserver(list => shifts.push(...(list.getEntries() as unknown as Shift[])))
  observer.observe({ type: 'layout-shift' })
  return {
    sum: () => shifts.reduce((sum, { value }) => sum + value, 0),
    moved: () =>
      shifts.flatMap(({ value, sources }) => sources.map(source => `${value.toFixed(5)} ${describe(source)}`)),
  }
}

function describe({ node, previousRect: from, currentRect: to }: Shift['sources'][number]): string {
  const name = node instanceof HTMLElement ? node.className : node?.textContent?.slice(0, 20)
  const format = ({ x, y, width, height }: DOMRect): string => `${x | 0},${y | 0} ${width | 0}×${height | 0}`
  return `${node?.nodeName} ${name}: ${format(from)} → ${format(to)}`
}

const answer = [1, 2].map(
  one => `## Heading ${one}

Some **bold** words that go on, ${'word '.repeat(30)}

- one
- two ${'item '.repeat(20)}

\`\`\`ts
const a = 1
const b = "two"
\`\`\`

| a | b |
| --- | --- |
| 1 | 2 |

`,
)

/** Loads what an open call needs. A body that is loaded in the middle of a run would push down the text below it. */
async function loadBodies(): Promise<void> {
  const { adapter, store, find, root } = await mountBox()
  store.submit({ text: 'first' })
  const [start, ...rest] = call('c', 'write_file', { path: 'a.ts', content: 'one' }, 'one')
  adapter.say({ type: 'start', messageId: 'first' }, start!)
  await find('[data-part="body"]')
  adapter.say(...rest)
  await find('[data-section="output"] [data-part="panel"]')
  root.render(null)
}

test('a run moves nothing that is there: the first message, thoughts, calls with input and output, a long answer', async () => {
  await loadBodies()
  const { adapter, store, log } = await mountBox()
  await frame()
  const shifts = watchShifts()
  const say = async (...chunks: Chunk[]): Promise<void> => {
    adapter.say(...chunks)
    await frame()
  }
  store.submit({ text: 'one' })
  await say({ type: 'start', messageId: 'a' })
  await say({ type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', delta: 'hm' })
  await say({ type: 'reasoning-end', id: 'r' }, { type: 'text-start', id: 't' })
  await say({ type: 'text-delta', id: 't', delta: 'Let me look.' })
  await say({ type: 'text-end', id: 't' }, { type: 'tool-input-start', toolCallId: 'c', toolName: 'write_file' })
  await say({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"path":"a.ts","content":"one\\ntwo"}' })
  for (const chunk of call('c', 'write_file', { path: 'a.ts', content: 'one\ntwo' }, 'one\ntwo\nthree').slice(2)) {
    await say(chunk)
  }
  await say(...call('d', 'run', { command: 'ls' }, 'a\nb'))
  await say({ type: 'text-start', id: 't2' })
  const text = answer.join('')
  for (let at = 0; at < text.length; at += 40) {
    await say({ type: 'text-delta', id: 't2', delta: text.slice(at, at + 40) })
  }
  await say({ type: 'text-end', id: 't2' }, { type: 'finish' })
  adapter.close()
  await expect.poll(() => store.status.get()).toBe('ready')
  await frame()
  expect(log().textContent).toContain('Heading 2')
  // A verb that changes its tense moves what it is about by some pixels.
  expect(shifts.sum(), shifts.moved().join('\n')).toBeLessThan(0.0001)
})

test('a conversation of 40 messages is where it stays from its first frame on', async () => {
  const initialMessages = Array.from({ length: 40 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: index % 2 === 0 ? `question ${index}` : answer[0] }],
  }))
  const shifts = watchShifts()
  const { find, log } = await mountBox({ initialMessages } as Parameters<typeof mountBox>[0])
  await find('table')
  for (let index = 0; index < 10; index++) await frame()
  expect(log().scrollHeight - log().scrollTop - log().clientHeight).toBeLessThan(1)
  expect(shifts.sum(), shifts.moved().join('\n')).toBeLessThan(0.01)
})
