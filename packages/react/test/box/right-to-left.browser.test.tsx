import { arabic } from '@argot/react/locales/ar'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { asks, call, mountBox, text } from './mount.tsx'

const before = 'const from = 1\nconst to = 2\n'
const after = 'const from = 0\nconst to = 2\n'

test('a chat in Arabic runs from right to left; paths, commands, code and diffs stay from left to right', async () => {
  const { host, adapter, store, find } = await mountBox({
    locale: arabic,
    slotProps: { messageContent: { partProps: { tool: { defaultExpanded: { edit_file: true } } } } },
  })
  host.dir = 'rtl'
  host.lang = 'ar'
  store.submit({ text: 'لماذا يفشل الاختبار؟' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...text('t', 'أنظر في الملف `reader.ts`.'),
    ...call('c1', 'read_file', { path: 'packages/log/src/reader.ts' }, 'one\ntwo\nthree'),
    ...call('c2', 'edit_file', { path: 'src/reader.ts', old_string: before, new_string: after }, 'ok'),
    ...asks('c3', 'run_command', { command: 'npm test -- --run reader' }),
  )
  await find('.argot-approval')
  await find('[data-argot-call="a/c2"] .argot-diff, [data-argot-call="a/c2"] table, [data-argot-call="a/c2"] pre')
  const row = (key: string) => host.querySelector<HTMLElement>(`[data-argot-call="${key}"] .argot-row`)!
  expect(row('a/c1').getAttribute('aria-label')).toMatch(/^تمت قراءة packages\/log\/src\/reader\.ts, 3 أسطر/)
  expect(host.textContent).not.toMatch(/Needs you|Approve|Wants to|lines|Write a message/)
  const verb = row('a/c1').querySelector('.argot-verb')!.getBoundingClientRect()
  const subject = row('a/c1').querySelector('.argot-subject')!.getBoundingClientRect()
  expect(subject.right).toBeLessThan(verb.left)
  const directions = [
    '.argot-subject',
    '[data-argot-call="a/c2"] .argot-body pre, [data-argot-call="a/c2"] .argot-diff',
  ].map(selector => getComputedStyle(host.querySelector(selector)!).direction)
  expect(directions).toEqual(['ltr', 'ltr'])
  const command = [...host.querySelectorAll('.argot-approval *')].find(
    one => one.textContent === 'npm test -- --run reader',
  )
  expect(getComputedStyle(command!).direction).toBe('ltr')
  expect(getComputedStyle(row('a/c1').querySelector('.argot-chevron')!).scale).toBe('-1 1')
  expect(host.querySelector('.argot-log')!.scrollWidth).toBeLessThanOrEqual(
    host.querySelector('.argot-log')!.clientWidth,
  )
  expect(getComputedStyle(host.querySelector('textarea')!).direction).toBe('rtl')
  const [key, rest] = [hintPlace(host, 1, 6), hintPlace(host, 8, 12)]
  expect(key.left).toBeGreaterThan(rest.left)
  const { violations } = await axe.run(host, { resultTypes: ['violations'] })
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
})

/** Where some characters of the composer's hint are. */
function hintPlace(host: Element, from: number, to: number): DOMRect {
  const [text] = host.querySelector('.argot-hint')!.childNodes
  const range = document.createRange()
  range.setStart(text!, from)
  range.setEnd(text!, to)
  return range.getBoundingClientRect()
}
