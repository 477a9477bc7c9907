import { ArgotError } from '@argot/core'
import { quoted } from '../words/quoted.ts'

/** What a rule says about the calls that it is for. */
export type RuleKind = 'deny' | 'ask' | 'allow'

/** A rule by argument: `read_file(docs/**)`, `git(status*)`, `write_file(!src/**)`, or only the name of a tool. */
export interface Rule {
  kind: RuleKind
  /** As it was written. */
  text: string
  /** Where it was written, in words: `--deny`, the path of a settings file, or the run in which a person said "always". */
  from: string
  /** The name of a tool, for programs that of the program; `*` is any. */
  tool: string
  /** What is in the parentheses, without `!`; undefined for a rule about every call. */
  pattern?: string
  /** The rule is for everything that the pattern does not match. */
  negated: boolean
}

/** The rules of one source, as they are written. */
export interface RuleTexts {
  allow?: readonly string[] | undefined
  ask?: readonly string[] | undefined
  deny?: readonly string[] | undefined
}

/** Every kind, the one that counts first at the front. */
export const ruleKinds: readonly RuleKind[] = ['deny', 'ask', 'allow']

/** More than anybody writes; what matches them takes time in proportion to both. */
export const RULE_CHARACTERS = 500
export const RULES_IN_A_LIST = 200

/** Reads the rules of one source. Throws `SETTINGS_BAD_VALUE`, saying which rule is wrong and where it is. */
export function parseRules(texts: RuleTexts, from: (kind: RuleKind) => string): Rule[] {
  return ruleKinds.flatMap(kind => (texts[kind] ?? []).map(text => parseRule(kind, text, from(kind))))
}

/** Reads one rule. Throws `SETTINGS_BAD_VALUE`. */
export function parseRule(kind: RuleKind, text: string, from: string): Rule {
  const problem = problemOfRule(kind, text)
  if (problem !== undefined) throw new ArgotError('SETTINGS_BAD_VALUE', `${problem} (in ${from}).`)
  const open = text.indexOf('(')
  if (open === -1) return { kind, text, from, tool: text, negated: false }
  const inner = text.slice(open + 1, -1)
  const negated = inner.startsWith('!')
  return { kind, text, from, tool: text.slice(0, open), pattern: negated ? inner.slice(1) : inner, negated }
}

/** What is wrong with the text of a rule; undefined if nothing is. */
export function problemOfRule(kind: RuleKind, text: string): string | undefined {
  const wrong = (why: string): string => `${quoted(text)} is not a rule: ${why}`
  if (text.length > RULE_CHARACTERS) return wrong(`it has more than ${RULE_CHARACTERS} characters`)
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return wrong('it contains an invisible character')
  const [, tool = '', inner] = /^([^()\s]+)(?:\((.*)\))?$/u.exec(text) ?? []
  if (tool === '') return wrong('write the name of a tool, or `tool(pattern)` such as `read_file(docs/**)`')
  if (tool === '*' && kind === 'allow') return wrong('`*` for any tool is only for `deny` and `ask`')
  if (tool !== '*' && tool.includes('*')) return wrong('the name of a tool has no wildcards; `*` alone is any tool')
  const pattern = inner?.replace(/^!/, '')
  if (pattern === undefined) return undefined
  if (pattern.trim() !== pattern) return wrong('the pattern has blanks around it')
  if (/(?:^|\/)\.\.(?:\/|$)/.test(pattern)) return wrong('`..` is not part of a pattern; patterns start at the roots')
  if (/^~(?:\/|$)/.test(pattern)) return wrong('`~` is not expanded; write the full path')
  return undefined
}
