import { OutputBody, ToolCard } from '@argot/react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import kinds from '../../../../fixtures/calls/kinds.json' with { type: 'json' }
import { button, found, mount } from '../parts/mount.tsx'

function card(id: string) {
  const { call } = kinds.find(one => one.id === id)!
  const part = { type: 'dynamic-tool' as const, toolInvocation: call }
  return <ToolCard part={part as never} defaultExpanded={{ '*': true }} />
}

/** What a press of "Copy" puts on the clipboard. */
function watchClipboard(): string[] {
  const copied: string[] = []
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  })
  return copied
}

test('test results: failures first, each opens its trace by keyboard, and "As text" has every character', async () => {
  const { host } = mount(card('tests'))
  await found(host, '.argot-tests')
  expect(host.querySelector('.argot-tests-counts')?.textContent).toBe('3 failed1 passed1 skipped155ms')
  const second = await button(host, /same 1$/)
  expect(second.getAttribute('aria-expanded')).toBe('false')
  expect((await button(host, /subtracts$/)).getAttribute('aria-expanded')).toBe('true')
  second.focus()
  await userEvent.keyboard('{Enter}')
  expect(second.getAttribute('aria-expanded')).toBe('true')
  expect(document.getElementById(second.getAttribute('aria-controls')!)?.textContent).toContain('expected 1 to be +0')
  const asText = await button(host, 'As text')
  asText.focus()
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement).toBe(asText)
  expect(asText.getAttribute('aria-pressed')).toBe('true')
  const all = await button(host, /^Show all/)
  all.click()
  const output = kinds.find(one => one.id === 'tests')!.call.output as string
  await expect
    .poll(() => host.querySelector('[data-section=output] pre')?.textContent)
    .toBe(output.replaceAll('\u001b', '\\u{1b}').replace(/\n$/, ''))
})

test('a trace folds frames of libraries, and shows them all on a press', async () => {
  const { host } = mount(card('trace'))
  await found(host, '.argot-trace')
  expect(host.querySelector('.argot-trace-own')?.textContent).toContain('reader.ts:41:22')
  expect(host.textContent).not.toContain('node_modules')
  const folded = await button(host, /3 library lines/)
  folded.click()
  await expect.poll(() => host.querySelector('.argot-trace')?.textContent).toContain('node_modules/citty')
  expect(host.querySelector('.argot-trace')?.textContent?.trim()).toBe(
    kinds.find(one => one.id === 'trace')!.call.errorText,
  )
})

test('a table is sorted by its columns and copied as CSV', async () => {
  const { host } = mount(card('table'))
  await found(host, '.argot-grid')
  const cells = (): string[] => [...host.querySelectorAll('td:first-child')].map(one => one.textContent ?? '')
  const lines = await button(host, 'lines')
  const header = lines.closest('th')!
  expect(header.getAttribute('aria-sort')).toBeNull()
  lines.focus()
  await userEvent.keyboard('{Enter}')
  expect(header.getAttribute('aria-sort')).toBe('ascending')
  expect(cells()).toEqual(['بيانات.log', 'audit.log', 'app.log', 'app.1.log', 'app.2.log'])
  await userEvent.keyboard('{Enter}')
  expect(header.getAttribute('aria-sort')).toBe('descending')
  expect(cells()[0]).toBe('app.1.log')
  const copied = watchClipboard()
  ;(await button(host, 'Copy as CSV')).click()
  await expect
    .poll(() => copied[0]?.split('\r\n').slice(0, 2))
    .toEqual(['name,lines,size,rotated,complete', 'app.1.log,50000,5300120,2025-11-15,true'])
})

test('sources are links that tell the page nothing', async () => {
  const { host } = mount(card('sources'))
  const link = await found<HTMLAnchorElement>(host, '.argot-found a')
  expect(link.href).toBe('https://man7.org/linux/man-pages/man8/logrotate.8.html')
  expect([link.rel, link.target]).toEqual(['noopener noreferrer', '_blank'])
  expect(host.querySelector('.argot-found-host')?.textContent).toBe('man7.org')
})

test('an HTTP exchange: headers folded, the body by its type', async () => {
  const { host } = mount(card('http'))
  const line = await found(host, '.argot-exchange-line')
  expect(line.textContent).toBe('POSThttp://localhost:8080/api/files?limit=2422 Unprocessable Content')
  expect(host.querySelector('.argot-exchange .argot-tree')?.textContent).toContain('limit must be at least 10')
  expect(host.textContent).not.toContain('content-length')
  ;(await button(host, '3 headers')).click()
  await expect.poll(() => host.textContent).toContain('content-length')
})

test('a terminal says how its program ended, and has what was drawn over in "As text"', async () => {
  const { host } = mount(card('terminal'))
  const head = await found(host, '[data-section=output] .argot-box-head')
  expect(head.textContent).toContain('exit 2')
  expect(host.querySelector('.argot-term pre')?.textContent).not.toContain('transforming (1)')
  ;(await button(host, 'As text')).click()
  await expect.poll(() => host.querySelector('.argot-term pre')?.textContent).toContain('transforming (1) src/main.ts')
  expect(host.querySelector('.argot-term pre')?.textContent).toContain('"exitCode": 2')
})

test('two pictures have a slider that keys move, and can be seen side by side', async () => {
  const { host } = mount(card('compare'))
  const slider = await found<HTMLInputElement>(host, 'input[type=range]')
  expect(slider.getAttribute('aria-label')).toBe('Compare before and after: at night')
  slider.focus()
  await userEvent.keyboard('{ArrowRight}{ArrowRight}')
  expect(slider.getAttribute('aria-valuetext')).toBe('52 % before, 48 % after')
  const before = host.querySelector('.argot-compare-before')!
  expect(getComputedStyle(before).clipPath).toMatch(/48%|calc\(48%|inset\(0px \d/)
  const apart = await button(host, 'Side by side')
  apart.focus()
  await userEvent.keyboard('{Enter}')
  await expect
    .poll(() => [...host.querySelectorAll('figcaption')].map(one => one.textContent))
    .toEqual(['Before', 'After'])
  expect(document.activeElement?.textContent).toBe('Side by side')
})

test('hostile outputs draw no markup, lead nowhere, and do not block', async () => {
  const attack = '<img src=x onerror="window.attacked = true"><script>window.attacked = true</script>'
  const values: unknown[] = [
    [
      { [attack]: attack, b: '\u202ereversed' },
      { [attack]: { nested: attack }, b: 1 },
    ],
    [{ title: attack, url: 'https://example.com/"onclick="window.attacked=true', snippet: attack }],
    { status: 200, statusText: attack, headers: { 'content-type': 'text/html', [attack]: attack }, body: attack },
    `Error: ${attack}\n    at ${attack} (/a.js:1:2)\n    at b (/b.js:1:2)`,
    `test result: FAILED. 0 passed; 1 failed\n---- ${attack} stdout ----\n${attack}`,
    Array.from({ length: 100_000 }, (_, a) => ({ a, b: 'x'.repeat(10) })),
    { stdout: '\u001b[31m'.repeat(20_000) + 'a\b'.repeat(20_000) + '\r'.repeat(20_000), exitCode: 0 },
    'x'.repeat(10_000_000),
  ]
  const { host } = mount(
    <div>
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed
        <OutputBody key={index} value={value} />
      ))}
    </div>,
  )
  await expect.poll(() => host.querySelectorAll('.argot-box').length).toBeGreaterThanOrEqual(values.length)
  await expect.poll(() => host.textContent?.includes('Loading…')).toBe(false)
  for (const one of host.querySelectorAll<HTMLElement>('[aria-expanded=false]')) one.click()
  await expect.poll(() => host.querySelectorAll('.argot-grid tr').length).toBeGreaterThan(4000)
  expect(host.querySelector('img, script, [onclick], [onerror]')).toBeNull()
  expect((window as { attacked?: boolean }).attacked).toBeUndefined()
  expect(host.textContent).toContain('\\u{202e}reversed')
})
