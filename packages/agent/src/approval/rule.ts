import { ArgotError } from '@argot/core'
import { quoted } from '../words/quoted.ts'

export type RuleKind = 'deny' | 'ask' | 'allow'

/** A rule by argument: `read_file(docs/**)`, `git(status*)`, `write_file(!src/**)`, or only a tool's name. */
export interface Rule {
  kind: RuleKind
  text: string
  /** In words: `--deny`, the path of a settings file, or the run in which a person said "always". */
  from: string
  /** A tool's name, or a program's for programs; `*` means any. */
  tool: string
  /** The text in parentheses, without `!`. Undefined for a rule about every call. */
  pattern?: string
  /** The rule applies to everything that the pattern doesn't match. */
  negated: boolean
}

export interface RuleTexts {
  allow?: readonly string[] | undefined
  ask?: readonly string[] | undefined
  deny?: readonly string[] | undefined
}

/** Every kind, in order of precedence. */
export const ruleKinds: readonly RuleKind[] = ['deny', 'ask', 'allow']

/** More than anyone writes. Matching takes time in proportion to a rule's length. */
export const RULE_CHARACTERS = 500
export const RULES_IN_A_LIST = 200

/** Throws `SETTINGS_BAD_VALUE`, which names the rule and its place. */
export function parseRules(texts: RuleTexts, from: (kind: RuleKind) => string): Rule[] {
  return ruleKinds.flatMap(kind => (texts[kind] ?? []).map(text => parseRule(kind, text, from(kind))))
}

/** Throws `SETTINGS_BAD_VALUE`. */
export function parseRule(kind: RuleKind, text: string, from: string): Rule {
  const problem = findRuleProblem(kind, text)
  if (problem !== undefined) throw new ArgotError('SETTINGS_BAD_VALUE', `${problem} (in ${from}).`)
  const open = text.indexOf('(')
  if (open === -1) return { kind, text, from, tool: text, negated: false }
  const inner = text.slice(open + 1, -1)
  const negated = inner.startsWith('!')
  return { kind, text, from, tool: text.slice(0, open), pattern: negated ? inner.slice(1) : inner, negated }
}

export function findRuleProblem(kind: RuleKind, text: string): string | undefined {
  const wrong = (why: string): string => `${quoted(text)} is not a rule: ${why}`
  if (text.length > RULE_CHARACTERS) return wrong(`it has more than ${RULE_CHARACTERS} characters`)
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return wrong('it contains an invisible character')
  const [, tool = '', inner] = /^([^()\s]+)(?:\((.*)\))?$/u.exec(text) ?? []
  if (tool === '') return wrong('write a tool name, or `tool(pattern)` such as `read_file(docs/**)`')
  if (tool === '*' && kind === 'allow') return wrong('only `deny` and `ask` accept `*` for any tool')
  if (tool !== '*' && tool.includes('*'))
    return wrong("a tool name can't contain wildcards; `*` alone matches any tool")
  const pattern = inner?.replace(/^!/, '')
  if (pattern === undefined) return undefined
  if (pattern.trim() !== pattern) return wrong('the pattern has spaces around it')
  if (/(?:^|\/)\.\.(?:\/|$)/.test(pattern))
    return wrong("a pattern can't contain `..`; patterns are relative to the roots")
  if (/^~(?:\/|$)/.test(pattern)) return wrong('`~` is not expanded; write the full path')
  return undefined
}
