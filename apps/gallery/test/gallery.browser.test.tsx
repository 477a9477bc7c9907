import axe from 'axe-core'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cdp, page } from 'vitest/browser'
import approvals from '../../../fixtures/calls/approvals.json' with { type: 'json' }
import bodies from '../../../fixtures/calls/bodies.json' with { type: 'json' }
import kinds from '../../../fixtures/calls/kinds.json' with { type: 'json' }
import states from '../../../fixtures/calls/states.json' with { type: 'json' }
import turn from '../../../fixtures/calls/turn.json' with { type: 'json' }
import { chatPages } from '../src/chat-pages.tsx'
import { type Fixtures, shiftToNow } from '../src/fixtures.ts'
import { pages } from '../src/pages.ts'
import '../src/gallery.css'

const fixtures = shiftToNow({ states, bodies, kinds, approvals, turn } as unknown as Fixtures, Date.now())
const names = Object.keys(pages)

let root: Root
let host: HTMLElement

beforeEach(() => {
  host = document.body.appendChild(document.createElement('main'))
  root = createRoot(host)
})

afterEach(async () => {
  root.unmount()
  host.remove()
  document.documentElement.dir = 'ltr'
  delete document.documentElement.dataset.theme
  await page.viewport(1000, 800)
  await media([])
})

interface Media {
  name: string
  value: string
}

/** Sets what the page is told of its reader: forced colours, less motion. */
async function media(features: Media[]): Promise<void> {
  await (cdp() as { send(method: string, parameters: object): Promise<unknown> }).send('Emulation.setEmulatedMedia', {
    features,
  })
}

async function show(name: string): Promise<void> {
  const Page = pages[name] ?? chatPages[name]!
  root.render(<Page fixtures={fixtures} />)
  await expect.poll(() => host.querySelector('h1, [role=log]')).toBeTruthy()
  // Diffs and Markdown are chunks of their own.
  await expect.poll(() => host.textContent?.includes('Loading…')).toBe(false)
}

/** What axe finds, as one line for each fault. */
async function faults(): Promise<string[]> {
  const { violations } = await axe.run(host, { rules: { 'color-contrast': { enabled: true } } })
  return violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html.slice(0, 160)}`))
}

function scrollsSideways(): boolean {
  return document.documentElement.scrollWidth > document.documentElement.clientWidth
}

describe.each(names)('the page %s', name => {
  test.each(['light', 'dark'])('has no fault that axe knows, in %s', async theme => {
    document.documentElement.dataset.theme = theme
    await show(name)
    expect(await faults()).toEqual([])
  })

  test.each([
    ['320 px wide', 320, 'ltr', 'axe too'],
    ['390 px wide', 390, 'ltr', ''],
    ['enlarged to 200 % on a screen of 1000', 500, 'ltr', ''],
    ['from right to left', 1000, 'rtl', ''],
    ['from right to left and narrow', 390, 'rtl', 'axe too'],
  ])('never scrolls sideways %s', async (_, width, direction, more) => {
    await page.viewport(width, 800)
    document.documentElement.dir = direction
    await show(name)
    expect(scrollsSideways()).toBe(false)
    if (more !== '') expect(await faults()).toEqual([])
  })

  test('has no fault in forced colours', async () => {
    await media([{ name: 'forced-colors', value: 'active' }])
    await show(name)
    expect(matchMedia('(forced-colors: active)').matches).toBe(true)
    expect(await faults()).toEqual([])
  })

  test('moves nothing for a reader who wants less motion', async () => {
    await media([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await show(name)
    const moving = document.getAnimations().filter(animation => animation.playState === 'running')
    expect(moving).toEqual([])
  })
})

describe.each(Object.keys(chatPages))('the box %s', name => {
  test.each([
    ['light', 1000],
    ['dark', 1000],
    ['light', 320],
  ])('has no fault that axe knows, in %s at %i px, and never scrolls sideways', async (theme, width) => {
    await page.viewport(width, 800)
    document.documentElement.dataset.theme = theme
    await show(name)
    expect(await faults()).toEqual([])
    expect(scrollsSideways()).toBe(false)
  })
})

test('every control is at least 24 px in both directions', async () => {
  for (const name of names) {
    await show(name)
    const small = [...host.querySelectorAll('button, input:not([type=checkbox]), textarea, select')]
      .filter(control => control.closest('.bar') === null)
      .map(control => ({ control, box: control.getBoundingClientRect() }))
      .filter(({ box }) => box.width < 24 || box.height < 24)
      .map(({ control, box }) => `${name}: ${control.outerHTML.slice(0, 120)} ${box.width}×${box.height}`)
    expect(small).toEqual([])
  }
})

test('no element has a style of its own, so that a policy of style-src self lets everything pass', async () => {
  for (const name of names) {
    await show(name)
    expect([...host.querySelectorAll('[style]')].map(one => one.outerHTML.slice(0, 120))).toEqual([])
  }
})

test('a finished, successful turn has no hue', async () => {
  await show('turn')
  const folded = [...host.querySelectorAll('.argot-work')].at(1)!
  expect(folded.querySelector('.argot-fail, .argot-wait, .argot-live, [data-tone=live], [data-tone=fail]')).toBeNull()
})

test('at most one thing moves in a turn', async () => {
  await show('turn')
  expect(host.querySelector('.argot-work')!.querySelectorAll('[data-turning]').length).toBe(1)
})
