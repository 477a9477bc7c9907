import type { Chunk } from '@argot/core'
import { ChatBox, ChatStore } from '@argot/react'
import type { ChatAdapter, ChatMessage } from '@argot/react/types'
import { expect, test } from 'vitest'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { call, put } from './mount.tsx'

const frame = (): Promise<unknown> => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2654435761
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
}

const PAGE = 12

/** Messages with paragraphs of all lengths, every third one with a call that can be opened. */
function message(index: number): ChatMessage {
  const text = Array.from(
    { length: 1 + (index % 4) },
    (_, line) => `M${index}.${line} ${'Some words. '.repeat((index * 7 + line * 13) % 40)}`,
  )
  const words = { type: 'text', id: 't', text: text.join('\n\n'), state: 'done' } as const
  const parts: ChatMessage['parts'] = index % 3 === 1 ? [toolPart(index), words] : [words]
  return { id: `m${index}`, role: index % 2 === 0 ? 'user' : 'assistant', status: 'sent', parts }
}

function toolPart(index: number): ChatMessage['parts'][number] {
  const output = 'a line of it\n'.repeat(5 + (index % 11))
  const id = `c${index}`
  return {
    type: 'tool',
    toolInvocation: {
      toolCallId: id,
      key: id,
      toolName: 'read_file',
      state: 'output-available',
      input: { path: `${index}.ts` },
      output,
    },
  }
}

/** A scripted adapter whose conversation has this many messages, the older ones in pages. */
class PagedAdapter extends ScriptedAdapter implements ChatAdapter {
  readonly #count: number
  readonly #first: number

  constructor(count: number, first: number) {
    super()
    this.#count = count
    this.#first = first
  }

  async listMessages({
    cursor,
  }: {
    cursor?: string
  }): Promise<{ messages: ChatMessage[]; hasMore: boolean; cursor?: string }> {
    const end = cursor === undefined ? this.#count : Number(cursor)
    const from = Math.max(0, end - (cursor === undefined ? this.#first : PAGE))
    const messages = Array.from({ length: end - from }, (_, index) => message(from + index))
    return { messages, hasMore: from > 0, ...(from > 0 ? { cursor: String(from) } : {}) }
  }
}

interface Look {
  /** How its text begins: what streams may be drawn by other elements later. */
  text: string
  top: number
  /** The body of a card is at the edge, which may itself be closed. */
  isInCard: boolean
}

/** The paragraph or row that a reader has at the upper edge: found in another way than the log does it. */
function look(log: HTMLElement): Look | undefined {
  const { top: edge } = log.getBoundingClientRect()
  const boxes = readables(log).map(element => ({ element, box: element.getBoundingClientRect() }))
  const first = boxes.find(({ box }) => box.height > 0 && box.bottom > edge + 2)
  const bodies = [...log.querySelectorAll('.argot-body')].map(element => element.getBoundingClientRect())
  const isInCard = bodies.some(({ top, bottom }) => top < edge + 40 && bottom > edge)
  return first && { text: textOf(first.element), top: first.box.top - edge, isInCard }
}

function readables(log: HTMLElement): Element[] {
  return [...log.querySelectorAll('[data-argot-message] p, [data-argot-message] .argot-row')]
}

function textOf(element: Element): string {
  return element.textContent!.slice(0, 12)
}

/** Rows get their real heights over some frames: waits until nothing has moved for five. */
async function still(log: HTMLElement): Promise<void> {
  const tops = (): string =>
    [
      log.scrollHeight,
      ...[...log.querySelectorAll('[data-argot-message]')].map(row => row.getBoundingClientRect().top),
    ].join()
  for (let same = 0, before = tops(); same < 5; ) {
    await frame()
    const now = tops()
    same = now === before ? same + 1 : 0
    before = now
  }
}

const distance = (log: HTMLElement): number => log.scrollHeight - log.scrollTop - log.clientHeight

test.each([
  [30, 1],
  [260, 2],
])(
  'what a reader looks at does not move, whatever happens around it (%i messages, seed %i)',
  async (first, seed) => {
    const random = randomFrom(seed + first)
    const below = (count: number): number => Math.floor(random() * count)
    const adapter = new PagedAdapter(first + 4 * PAGE, first)
    const store = new ChatStore({ adapter, conversationId: `anchor-${first}-${seed}` })
    const { host } = put(<ChatBox adapter={adapter} store={store} />)
    await expect.poll(() => host.textContent).toContain(`M${first + 4 * PAGE - 1}.0`)
    const log = host.querySelector<HTMLElement>('.argot-log')!
    store.submit({ text: 'go' })
    const say = (...chunks: Chunk[]): void => adapter.say(...chunks)
    say({ type: 'start', messageId: 'live' }, { type: 'text-start', id: 't' })
    let calls = 0
    let pieces = 0
    const openRow = (): void => {
      const rows = [...log.querySelectorAll<HTMLElement>('[data-argot-call] .argot-row[aria-expanded]')]
      const callKey = rows[below(rows.length)]?.closest<HTMLElement>('[data-argot-call]')?.dataset.argotCall
      if (callKey === undefined) return
      const ui = store.conversation.ui(callKey)
      ui.setOpen(undefined, !log.querySelector(`[data-argot-call="${CSS.escape(callKey)}"]`)!.hasAttribute('data-open'))
    }
    const acts: Record<string, () => void> = {
      append: () =>
        say({ type: 'text-delta', id: 't', delta: `\n\nnew ${pieces++} ${'and more words '.repeat(1 + below(60))}` }),
      call: () => {
        const id = `live${calls++}`
        say({ type: 'text-end', id: 't' }, ...call(id, 'read_file', { path: id }, 'x\n'.repeat(1 + below(20))))
        say({ type: 'text-start', id: 't' })
      },
      prepend: () => void store.history.older(),
      open: openRow,
      lower: () => {
        host.style.blockSize = `${400 + below(300)}px`
      },
      narrow: () => {
        host.style.inlineSize = `${400 + below(400)}px`
      },
    }
    const names = Object.keys(acts)
    await still(log)
    for (let turn = 0; turn < 14; turn++) {
      if (random() < 0.4 || turn === 0) {
        const by = Math.round((random() - 0.6) * 1500)
        if (by < 0) log.dispatchEvent(new WheelEvent('wheel', { deltaY: by, bubbles: true }))
        log.scrollTop += by
        await still(log)
      }
      const wasAtEnd = distance(log) <= 1
      const before = look(log)
      const done: string[] = []
      for (let many = 1 + below(3); many > 0; many--) {
        const name = names[below(names.length)]!
        acts[name]!()
        done.push(name)
        if (random() < 0.5) await frame()
      }
      await still(log)
      if (wasAtEnd || before === undefined) continue
      const where = `turn ${turn}: ${done.join(', ')}`
      if (before.isInCard) continue
      // At the very end or beginning there is nothing to hold on to.
      if (distance(log) <= 1 || log.scrollTop <= 1) continue
      const element = readables(log).find(one => textOf(one) === before.text)
      expect(element, `${where}: ${before.text}`).toBeDefined()
      const after = element!.getBoundingClientRect()
      const top = after.top - log.getBoundingClientRect().top
      const moved = `${where}: ${before.text} was at ${before.top}, is at ${top}`
      if (done.includes('narrow')) {
        // Lines break in other places: the paragraph is still the one at the upper edge.
        expect(top + after.height, moved).toBeGreaterThan(0)
        expect(top, moved).toBeLessThan(log.clientHeight / 2)
      } else expect(Math.abs(top - before.top), moved).toBeLessThan(2)
    }
  },
  60_000,
)
