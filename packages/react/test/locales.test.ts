import { describeCall } from '@argot/core'
import { english } from '@argot/core/stream'
import { type ChatLocale, englishChat } from '@argot/react'
import { arabic } from '@argot/react/locales/ar'
import { german } from '@argot/react/locales/de'
import { japanese } from '@argot/react/locales/ja'
import { describe, expect, test } from 'vitest'

const tenses = ['doing', 'done', 'will', 'wants', 'failed', 'denied', 'stopped', 'was'] as const

/** Every text of a locale by its path, with functions called as their English twin is. */
function texts(locale: object, path: string, counts: readonly number[]): Map<string, string> {
  const all = new Map<string, string>()
  for (const [key, value] of Object.entries(locale) as [string, unknown][]) {
    const name = path === '' ? key : `${path}.${key}`
    if (name === 'call.verbs' || name === 'call.say') continue
    if (typeof value === 'string') all.set(name, value)
    else if (typeof value === 'function') {
      for (const count of counts) {
        const given = Array.from({ length: 4 }, () => count)
        all.set(`${name}(${count})`, String((value as (...all: unknown[]) => unknown)(...argumentsFor(name, given))))
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [inner, text] of texts(value, name, counts)) all.set(inner, text)
    }
  }
  return all
}

/** Numbers are good for nearly all of them: in templates they are texts, too. */
function argumentsFor(name: string, counts: number[]): unknown[] {
  if (name === 'call.count') return [counts[0], 'line']
  if (/\.(?:role|question|editQueued|sendNow|removeQueued|fails)$/.test(name)) return ['abc', 'def']
  if (name === 'approval.fileChange') return ['move', 'a']
  return name === 'approval.change' ? ['move', 'a', 'b', counts[0]] : counts
}

const counts = [0, 1, 2, 3, 11, 1234]

describe.each<[string, ChatLocale]>([
  ['German', german],
  ['Japanese', japanese],
  ['Arabic', arabic],
])('%s', (_name, locale) => {
  test('has every text of English, none of them empty, and nearly none of them English', () => {
    const translated = texts(locale, '', counts)
    const original = texts(englishChat, '', counts)
    expect([...translated.keys()]).toEqual(expect.arrayContaining([...original.keys()]))
    expect([...original.keys()]).toEqual(expect.arrayContaining([...translated.keys()]))
    const empty = [...translated].filter(([, text]) => text.trim() === '' || /undefined|NaN|\[object/.test(text))
    expect(empty.filter(([name]) => !/clock|timeOfDay/.test(name))).toEqual([])
    const same = [...translated].filter(([name, text]) => /[a-z]{4}/.test(text) && original.get(name) === text)
    expect(same.map(([name]) => name).filter(name => !/staleReason|sendKey|drawing|body\.code/.test(name))).toEqual([])
  })

  test('says every verb that English says by itself, in every tense', () => {
    expect(Object.keys(locale.call.verbs)).toEqual(expect.arrayContaining(Object.keys(english.verbs)))
    for (const forms of Object.values(locale.call.verbs)) {
      const phrases = tenses.map(tense => locale.call.say(tense, forms, 'x'))
      expect(new Set(phrases).size).toBe(tenses.length)
      for (const phrase of phrases) expect(phrase).toContain('x')
    }
  })
})

test('a row is in the language of its locale', () => {
  const call = {
    ...{ key: 'c', toolCallId: 'c', toolName: 'read_file', state: 'output-available' as const },
    ...{ input: { path: 'a.ts' }, output: 'one\ntwo\nthree\n', startedAt: 0, endedAt: 8400 },
  }
  const say = (locale: ChatLocale): string => describeCall(call, { locale: locale.call }).sentence
  expect(say(german)).toBe('Las a.ts, 3 Zeilen, 8,4 Sek., fertig')
  expect(say(japanese)).toBe('読み取り完了 a.ts, 3 行, 8.4 秒')
  expect(say(arabic)).toBe('تمت قراءة a.ts, 3 أسطر, 8.4 ث, انتهى')
})
