import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect } from 'vitest'
import '@argot/react/styles.css'

const mounted: (() => void)[] = []

afterEach(() => {
  for (const unmount of mounted.splice(0)) unmount()
})

/** Puts something on the page for one test. `render` shows something else in its place. */
export function mount(element: ReactNode): { host: HTMLElement; render: (element: ReactNode) => void } {
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  root.render(element)
  mounted.push(() => {
    root.unmount()
    host.remove()
  })
  return { host, render: next => root.render(next) }
}

/** The first element that this finds, once it is there. */
export async function found<T extends Element = HTMLElement>(host: Element, selector: string): Promise<T> {
  await expect.poll(() => host.querySelector(selector)).toBeTruthy()
  return host.querySelector<T>(selector)!
}

/** The button with this name, once it is there. */
export async function button(host: Element, name: string | RegExp): Promise<HTMLButtonElement> {
  const find = () =>
    [...host.querySelectorAll('button')].find(one => {
      const said = one.getAttribute('aria-label') ?? one.textContent ?? ''
      return typeof name === 'string' ? said === name : name.test(said)
    })
  await expect.poll(find).toBeTruthy()
  return find()!
}

/**
 * Waits until keys answer a card that is on the page: none does in its first half second. That begins when React has told
 * the card of it, some frames after it can be seen where the page is busy.
 */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
  }
  await new Promise(resolve => setTimeout(resolve, 600))
}
