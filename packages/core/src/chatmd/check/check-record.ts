import { answerFields } from '../../message/approval-answer.ts'
import { parseReplaced } from '../../message/summary.ts'
import { finishReasons } from '../../stream/chunk.ts'
import type { Problems } from '../problems.ts'
import { type Attribute, attributeValue } from '../reader/attribute.ts'
import type { TagName } from '../reader/tag.ts'
import type { ElementNode } from '../reader/tree.ts'
import { callStates, isJsonPart, messageStatuses, responseStates, settlers, textPhases, textStates } from '../record.ts'

/** Checks the attributes that runs write. Runs ignore a value that they can't read. */
export function checkRecord(problems: Problems, node: ElementNode): void {
  if (node.damaged === true) return
  for (const attribute of node.attributes) {
    if (typeof attribute.value !== 'string') continue
    const expected = findExpectation(node, attribute, attribute.value)
    if (expected === undefined) continue
    const message = `\`${attribute.name}\` must be ${expected}; its value is ignored.`
    problems.warn('CHATMD_BAD_VALUE', attribute.start, attribute.end, message, 'Correct the value, or remove it.')
  }
}

function findExpectation(node: ElementNode, { name }: Attribute, value: string): string | undefined {
  switch (name) {
    case 'state':
      return expectWord(getStates(node.name), value)
    case 'phase':
      return expectWord(textPhases, value)
    case 'finish':
      return expectWord(finishReasons, value)
    case 'settled_by':
      return expectWord(settlers, value)
    case 'status':
      return attributeValue(node.attributes, 'part') === 'end' ? expectWord(messageStatuses, value) : undefined
    case 'encoding':
      return expectWord(['json', 'text'], value)
    case 'part':
      return value === 'end' || value === 'step-start' || isJsonPart(value) ? undefined : 'a part that Argot knows'
    case 'replaces':
      return parseReplaced(value) === undefined ? 'a range from 1, such as `1-12`' : undefined
    case 'ms':
      return /^-?[0-9]+$/.test(value) ? undefined : 'a whole number of milliseconds'
    case 'offset':
      return /^[0-9]+$/.test(value) ? undefined : 'a whole number'
    case 'started':
      return expectTime(value)
    case 'meta':
    case 'argot':
      return value.startsWith('{') && value.endsWith('}') ? undefined : 'a JSON object'
    default: {
      const kind = answerFields.find(({ attribute }) => attribute === name)?.kind
      return kind === 'yesNo' ? expectWord(['yes', 'no'], value) : kind === 'time' ? expectTime(value) : undefined
    }
  }
}

function getStates(name: TagName): readonly string[] {
  if (name === 'tool_call') return [...callStates, ...responseStates, 'again']
  return name === 'tool_response' ? responseStates : textStates
}

function expectTime(value: string): string | undefined {
  return Number.isNaN(Date.parse(value)) ? 'a time such as 2026-01-02T03:04:05.678Z' : undefined
}

function expectWord(words: readonly string[], value: string): string | undefined {
  return words.includes(value) ? undefined : `one of ${words.map(word => `\`${word}\``).join(', ')}`
}
