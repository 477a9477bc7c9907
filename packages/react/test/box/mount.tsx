import '@argot/react/styles.css'
import type { Chunk } from '@argot/core'
import { type ChatAdapter, ChatBox, type ChatBoxProps, ChatStore } from '@argot/react'
import { type ReactElement, StrictMode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, expect, onTestFinished } from 'vitest'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'

const mounted: { root: Root; host: HTMLElement }[] = []

afterEach(() => {
  for (const { root, host } of mounted.splice(0)) {
    root.unmount()
    host.remove()
  }
})

/** Puts something onto the page, in a frame of 700 × 600. */
export function put(element: ReactElement): { host: HTMLElement; root: Root } {
  const host = document.body.appendChild(document.createElement('div'))
  host.style.cssText = 'inline-size: 700px; block-size: 600px'
  const root = createRoot(host)
  root.render(element)
  mounted.push({ root, host })
  return { host, root }
}

export interface Mounted {
  host: HTMLElement
  root: Root
  adapter: ScriptedAdapter
  store: ChatStore
  log: () => HTMLElement
  field: () => HTMLTextAreaElement
  /** Waits until this is on the page. */
  find: (selector: string) => Promise<HTMLElement>
}

/** A chat box with an adapter that the test writes. */
export async function mountBox(props: Partial<ChatBoxProps> = {}, more: Partial<ChatAdapter> = {}): Promise<Mounted> {
  const adapter = Object.assign(new ScriptedAdapter(), more)
  const store = new ChatStore({ ...props, adapter })
  const { host, root } = put(
    <StrictMode>
      <ChatBox {...props} adapter={adapter} store={store} />
    </StrictMode>,
  )
  const find = async (selector: string): Promise<HTMLElement> => {
    await expect.poll(() => host.querySelector(selector)).not.toBeNull()
    return host.querySelector<HTMLElement>(selector)!
  }
  await find('textarea')
  return {
    host,
    root,
    adapter,
    store,
    log: () => host.querySelector<HTMLElement>('.argot-log')!,
    field: () => host.querySelector('textarea')!,
    find,
  }
}

/** Until the test ends, what is in view is told ten frames late, several changes at once: a page that is busy. */
export function toldLate(): void {
  const Real = window.IntersectionObserver
  window.IntersectionObserver = class extends Real {
    #kept: IntersectionObserverEntry[] = []
    constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
      super(entries => {
        if (this.#kept.push(...entries) > entries.length) return
        let frames = 10
        const wait = (): void => {
          if (frames-- > 0) return void requestAnimationFrame(wait)
          const kept = this.#kept.splice(0)
          if (kept.length > 0) callback(kept, this)
        }
        wait()
      }, options)
    }
    override disconnect(): void {
      this.#kept = []
      super.disconnect()
    }
  }
  onTestFinished(() => {
    window.IntersectionObserver = Real
  })
}

/** The chunks of a text. */
export function text(id: string, ...pieces: string[]): Chunk[] {
  return [
    { type: 'text-start', id },
    ...pieces.map(delta => ({ type: 'text-delta' as const, id, delta })),
    { type: 'text-end', id },
  ]
}

/** A call with its output. */
export function call(toolCallId: string, toolName: string, input: unknown, output?: unknown): Chunk[] {
  const chunks: Chunk[] = [
    { type: 'tool-input-start', toolCallId, toolName },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) },
    { type: 'tool-input-available', toolCallId, toolName, input },
  ]
  return output === undefined ? chunks : [...chunks, { type: 'tool-output-available', toolCallId, output }]
}

export function asks(toolCallId: string, toolName: string, input: unknown): Chunk[] {
  return [...call(toolCallId, toolName, input), { type: 'tool-approval-request', toolCallId }]
}
