import { checkChatMd } from '@argot/core/chatmd'
import { findFixes } from '@argot/core/chatmd/internal'
import { expect, test } from 'vitest'

/** The text with one of its problems repaired. */
function repair(text: string, index = 0): string {
  const { change } = findFixes(text)[index]!
  return text.slice(0, change.start) + change.text + text.slice(change.end)
}

test('each problem that can be repaired has a change of its own, which repairs it and nothing else', () => {
  const text = '<config model="demo" temprature="0.2" foo="x"/>\n<user>\nHi\n</user>\n'
  expect(repair(text)).toBe('<config model="demo" temperature="0.2" foo="x"/>\n<user>\nHi\n</user>\n')
  expect(repair(text, 1)).toBe('<config model="demo" temprature="0.2" />\n<user>\nHi\n</user>\n')
  expect(findFixes(text)).toHaveLength(2)
  expect(repair('<config show_tool_call="yes"/>\n')).toBe('<config show_tool_call/>\n')
})

test('tags with a wrong name are renamed from the first to the last', () => {
  expect(repair('<usr>\nHi <b>\n</usr>\n')).toBe('<user>\nHi <b>\n</user>\n')
  expect(repair('<User>\nHi\n</User>\n')).toBe('<user>\nHi\n</user>\n')
  expect(findFixes('Only text\n')).toEqual([])
  expect(repair('<user>\nHi\n</usr>\n')).toBe('<user>\nHi\n</user>\n')
  const next = '\n<assistant>\nYo.\n</assistant>\n'
  expect(repair(`<user>\nHi\n</usr>\n${next}`)).toBe(`<user>\nHi\n</user>\n${next}`)
  expect(repair('<user>\nHi </b>\n')).toBe('<user>\nHi </b>\n</user>\n')
})

test('a change is found at the place of its diagnostic', () => {
  const text = '<tool name="grep">\n<user>\nRAW|Hi\n</user>\n'
  const places = new Set(checkChatMd(text).map(({ code, range }) => `${code} ${range?.start.offset}`))
  const fixes = findFixes(text)
  expect(fixes.length).toBeGreaterThan(0)
  for (const { code, start } of fixes) expect(places).toContain(`${code} ${start}`)
})
