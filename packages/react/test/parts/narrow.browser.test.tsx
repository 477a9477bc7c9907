import { ToolCard } from '@argot/react'
import { expect, test } from 'vitest'
import { found, mount } from './mount.tsx'

const done = {
  type: 'tool-run',
  toolCallId: 'c',
  state: 'output-available',
  input: { command: 'npm run bench -- --from 41 --file fixtures/a-hundred-megabytes.log' },
  output: 'ok',
}
const path = 'packages/tidelog-formats/src/rotated/compressed/gzip-members.ts'
const read = { type: 'tool-read_file', toolCallId: 'r', state: 'output-available', input: { path }, output: 'a\nb' }
const asking = { ...done, state: 'approval-requested', output: undefined, approval: { id: 'p' } }

/** Cards in a pane of this width, as a phone has it. */
function mountIn(width: number, part: object): HTMLElement {
  const { host } = mount(
    <div className="argot argot-pane">
      <div className="argot-column">
        <ToolCard part={part} addToolApprovalResponse={() => {}} />
      </div>
    </div>,
  )
  host.style.inlineSize = `${width}px`
  return host
}

const size = (element: Element): DOMRect => element.getBoundingClientRect()

test.each([320, 390])(
  'in a pane of %i px a row is 44 high, its time hides, its result stays, its subject is below the verb',
  async width => {
    const host = mountIn(width, done)
    const row = await found(host, '.argot-row')
    expect(size(row).height).toBeGreaterThanOrEqual(44)
    expect(getComputedStyle(host.querySelector('.argot-time')!).display).toBe('none')
    const verb = size(host.querySelector('.argot-verb')!)
    const subject = size(host.querySelector('.argot-subject')!)
    expect(subject.top).toBeGreaterThanOrEqual(verb.bottom - 4)
    expect(Math.abs(subject.left - verb.left)).toBeLessThan(1)
    expect(host.querySelector('.argot-result')!.textContent).not.toBe('')
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(document.documentElement.clientWidth)
  },
)

test('a path gives way in its middle, and the name of the file stays whole', async () => {
  const host = mountIn(390, read)
  await found(host, '.argot-row')
  const [head, tail] = [...host.querySelectorAll<HTMLElement>('.argot-mid > span')]
  expect(head!.scrollWidth).toBeGreaterThan(head!.clientWidth)
  expect(tail!.textContent).toBe('gzip-members.ts')
  expect(tail!.scrollWidth).toBeLessThanOrEqual(tail!.clientWidth)
})

test('the answers of a question are as wide as its card and 44 high, Approve first; the others share a line', async () => {
  const host = mountIn(390, asking)
  const acts = await found(host, '.argot-acts')
  const [approve, deny, edit] = [...acts.querySelectorAll<HTMLElement>('button')]
  const always = acts.querySelector<HTMLElement>('.argot-menu-place button')!
  expect([approve!.textContent, deny!.textContent]).toEqual(['Approve', 'Deny…'])
  expect(size(approve!).width).toBeCloseTo(size(acts).width, 0)
  expect(size(deny!).width).toBeCloseTo(size(acts).width, 0)
  expect(size(approve!).top).toBeLessThan(size(deny!).top)
  for (const one of [approve!, deny!, edit!, always]) expect(size(one).height).toBeGreaterThanOrEqual(44)
  expect(size(edit!).top).toBeCloseTo(size(always).top, 0)
  deny!.click()
  const field = await found(host, '.argot-field')
  expect(getComputedStyle(field).fontSize).toBe('16px')
})
