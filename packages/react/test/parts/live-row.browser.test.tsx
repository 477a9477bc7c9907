import type { ToolInvocation } from '@argot/core'
import { ToolCard } from '@argot/react'
import axe from 'axe-core'
import { Profiler, type ReactNode } from 'react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { found, mount } from './mount.tsx'

const running: ToolInvocation = {
  key: 'c',
  toolCallId: 'c',
  toolName: 'run',
  state: 'output-available',
  preliminary: true,
  input: { command: 'npm test' },
}

function Frame({ width, calls }: { width: number; calls: readonly ToolInvocation[] }): ReactNode {
  return (
    <div className="argot argot-pane" style={{ inlineSize: width }}>
      <div className="argot-column">
        <div className="argot-rail">
          {calls.map(call => (
            <ToolCard
              key={call.key}
              part={{ type: 'dynamic-tool', toolInvocation: call }}
              message={{ status: 'streaming' }}
            />
          ))}
          <p>after</p>
        </div>
      </div>
    </div>
  )
}

/** Where everything is, but the live line itself, and the sign that turns. */
function places(host: Element): string[] {
  return [...host.querySelectorAll('.argot-row *, .argot-row, p')]
    .filter(one => !one.matches('.argot-now, .argot-hair, svg, svg *'))
    .map(one => {
      const { left, top, height } = one.getBoundingClientRect()
      return [one.className, left, top, height].join(' ')
    })
}

const newest = (host: Element): string | undefined => host.querySelector<HTMLElement>('.argot-now')?.dataset.line

const long = { command: `npm test -- ${'--test-name-pattern=recording '.repeat(4)}` }

test('a call that runs shows its newest line and a hairline, and nothing moves, whatever it says', async () => {
  for (const width of [800, 390, 320]) {
    for (const input of [running.input, long]) {
      const at = (output: unknown): ToolInvocation => ({ ...running, input, output })
      const quiet: ToolInvocation = { ...running, input, state: 'input-available' }
      const { host, render } = mount(<Frame width={width} calls={[quiet]} />)
      const row = await found(host, '.argot-row')
      const name = row.getAttribute('aria-label')
      const before = places(host)
      render(<Frame width={width} calls={[at('29 of 46 tests\n31 of 46 tests\n')]} />)
      await expect.poll(() => newest(host)).toBe('31 of 46 tests')
      await expect.poll(() => host.querySelector('.argot-hair')).not.toBeNull()
      const line = host.querySelector('.argot-line')!.getBoundingClientRect()
      const hair = host.querySelector('.argot-hair rect')!.getBoundingClientRect()
      expect(hair.width / line.width).toBeCloseTo(31 / 46, 2)
      expect(hair.height).toBe(1)
      expect(host.querySelector('.argot-now')!.getBoundingClientRect().width).toBeGreaterThan(80)
      expect(places(host), `${width}`).toEqual(before)
      // A megabyte on one line, escapes of a terminal, and letters in the other direction.
      const hostile = `${'x'.repeat(1_000_000)}\u202e\u0007\u001b[2J\u001b]0;title\u0007 99 % \u2028${'مرحبا '.repeat(300)}`
      render(<Frame width={width} calls={[at(hostile)]} />)
      await expect.poll(() => newest(host)).not.toContain('tests')
      const live = newest(host)!
      expect(live.length).toBeLessThan(203)
      expect(live).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
      expect(places(host)).toEqual(before)
      // A screen reader is not told each line.
      expect(row.getAttribute('aria-label')).toBe(name)
      expect(host.querySelector('[aria-live]:not(:empty)')).toBeNull()
      expect(getComputedStyle(host.querySelector('.argot-line')!).animationName).toBe('none')
    }
  }
})

test('a thousand lines between two frames are drawn at most once a frame', async () => {
  let renders = 0
  const draw = (output: string): ReactNode => (
    <Profiler id="row" onRender={() => renders++}>
      <Frame width={800} calls={[{ ...running, output }]} />
    </Profiler>
  )
  const { host, render } = mount(draw('0 of 1000'))
  await found(host, '.argot-hair')
  renders = 0
  for (let at = 1; at <= 1000; at++) render(draw(`${at} of 1000`))
  await expect.poll(() => newest(host)).toBe('1000 of 1000')
  expect(renders).toBeLessThan(20)
})

const issue: ToolInvocation = {
  key: 'i',
  toolCallId: 'i',
  toolName: 'create_issue',
  state: 'output-available',
  input: { title: 'Bug in parser' },
  output: { number: 12, html_url: 'https://github.com/acme/app/issues/12?a=1' },
}

test('a result with an address is a link of its own, whose host is there before it is followed', async () => {
  const { host } = mount(
    <Frame width={800} calls={[issue, { ...issue, key: 'j', toolCallId: 'j', output: { ok: true } }]} />,
  )
  const link = await found<HTMLAnchorElement>(host, 'a.argot-out')
  expect(link.closest('button')).toBeNull()
  expect([link.href, link.target, link.rel, link.title, link.getAttribute('aria-label')]).toEqual([
    'https://github.com/acme/app/issues/12?a=1',
    '_blank',
    'noreferrer noopener',
    'github.com/acme/app/issues/12?a=1',
    'Open github.com/acme/app/issues/12?a=1',
  ])
  const row = await found(host, '.argot-row')
  expect(row.querySelector('.argot-result')!.textContent).toBe('#12')
  expect(row.getAttribute('aria-label')).toBe('Created issue Bug in parser, #12, done')
  row.focus()
  await userEvent.keyboard('{Tab}')
  expect(document.activeElement).toBe(link)
  expect(getComputedStyle(link, '::after').content).toBe('"github.com"')
  // Between the result and the time, in the columns of the row without a link.
  const [first, second] = [...host.querySelectorAll('.argot-row')]
  const left = (one: Element, selector: string): number => one.querySelector(selector)!.getBoundingClientRect().left
  for (const column of ['.argot-verb', '.argot-time', '.argot-chevron']) {
    expect(Math.abs(left(first!, column) - left(second!, column)), column).toBeLessThan(1)
  }
  expect(link.getBoundingClientRect().right).toBeLessThanOrEqual(left(first!, '.argot-time') + 1)
  expect((await axe.run(host)).violations).toEqual([])
})

test.each([390, 320])('at %i px the link covers nothing', async width => {
  const { host } = mount(<Frame width={width} calls={[issue]} />)
  const link = (await found(host, 'a.argot-out')).getBoundingClientRect()
  const chevron = host.querySelector('.argot-chevron')!.getBoundingClientRect()
  const result = host.querySelector('.argot-result')!.getBoundingClientRect()
  expect(link.right).toBeLessThanOrEqual(chevron.left + 1)
  expect(link.left).toBeGreaterThanOrEqual(result.right - 1)
})

test('no link leads to a script or a hidden host, or comes of a call that is not over', async () => {
  const outputs = [
    'javascript:alert(1)',
    'data:text/html,x',
    'https://github.com@evil.org/x',
    'https://user:password@github.com/',
    'https:\\\\evil.org',
    'https://evil.org/\u202egro.doog',
    'ftp://a.org/x',
    '//a.org/x',
  ].map(url => ({ number: 12, url }))
  const calls = [...outputs, issue.output].map((output, index) => ({
    ...issue,
    key: `k${index}`,
    toolCallId: `k${index}`,
    output,
    ...(output === issue.output && { preliminary: true }),
  }))
  const { host } = mount(<Frame width={800} calls={[...calls, { ...issue, key: 'last', toolCallId: 'last' }]} />)
  await found(host, 'a')
  const addresses = [...host.querySelectorAll('a')].map(one => one.href)
  // What turns letters round is written out in an address.
  expect(addresses).toEqual(['https://evil.org/%E2%80%AEgro.doog', (issue.output as { html_url: string }).html_url])
})
