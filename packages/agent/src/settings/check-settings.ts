import { ArgotError } from '@argot/core'
import { isRecord, nearestNames } from '@argot/core/stream/internal'
import { type CallLimit, callLimits } from '@argot/core/syntax/internal'
import type { ApprovalMode, ApprovalPolicy } from '../approval/approval.ts'
import { approvalModes, isApprovalMode } from '../approval/decide.ts'
import { parseRule, RULES_IN_A_LIST, type RuleKind } from '../approval/rule.ts'
import { didYouMean } from '../words/did-you-mean.ts'
import { durationForm, parseDuration } from '../words/parse-duration.ts'
import type { Price } from '../words/price.ts'
import { quoted } from '../words/quoted.ts'
import type { FileSettings, TitleSource } from './settings.ts'

/** How many steps a run may take: limits for a file, and for the caller that starts the run. */
export const STEPS = { min: 1, max: 1000, maxForCaller: 1_000_000, default: 50 } as const

const KEYS = [
  ...['toolSyntax', 'model', 'approve', 'allow', 'ask', 'deny', 'maxSteps', 'limit', 'toolSearch', 'retention'],
  ...['prices', 'compact', 'summaryModel', 'context', 'titles'],
]

/** More than any model or syntax name has. */
const NAME_CHARACTERS = 200
/** No spaces around it, and no control characters in it. */
const NAME = /^(?!\s)[^\x00-\x1f\x7f-\x9f]+(?<!\s)$/

/** Throws `SETTINGS_UNKNOWN_KEY` or `SETTINGS_BAD_VALUE`, which name the file and the key. */
export function checkSettings(value: unknown, file: string): FileSettings {
  if (!isRecord(value)) throw badValue(file, 'The file', 'an object: `{ … }`', value)
  const settings: FileSettings = {}
  for (const [key, entry] of Object.entries(value)) {
    switch (key) {
      case '$schema':
        if (typeof entry !== 'string') throw badValue(file, '`$schema`', 'a string', entry)
        break
      case 'toolSyntax':
      case 'model':
      case 'summaryModel':
        settings[key] = checkName(entry, key, file)
        break
      case 'maxSteps':
        if (!isStepCount(entry)) throw badValue(file, '`maxSteps`', stepRange(), entry)
        settings.maxSteps = entry
        break
      case 'limit':
        settings.limit = checkLimit(entry, file)
        break
      case 'toolSearch':
        if (typeof entry !== 'boolean') throw badValue(file, '`toolSearch`', '`true` or `false`', entry)
        settings.toolSearch = entry
        break
      case 'retention':
        settings.retention = checkRetention(entry, file)
        break
      case 'prices':
        settings.prices = checkPrices(entry, file)
        break
      case 'compact':
        settings.compact = checkCompact(entry, file)
        break
      case 'titles':
        settings.titles = checkTitles(entry, file)
        break
      case 'context':
        settings.context = checkContext(entry, file)
        break
      case 'approve':
        settings.approve = checkPolicy(entry, file)
        break
      case 'allow':
      case 'ask':
      case 'deny':
        settings.rules = { ...settings.rules, [key]: checkRules(key, entry, file) }
        break
      default:
        throw unknownKey(key, file)
    }
  }
  return settings
}

export function isStepCount(value: unknown, max: number = STEPS.max): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= STEPS.min && value <= max
}

export function stepRange(max: number = STEPS.max): string {
  return `a whole number from ${STEPS.min} to ${max}`
}

function checkName(value: unknown, key: string, file: string): string {
  if (typeof value === 'string' && value.length <= NAME_CHARACTERS && NAME.test(value)) return value
  const expected = `a name of at most ${NAME_CHARACTERS} characters, without spaces around it`
  throw badValue(file, `\`${key}\``, expected, value)
}

function checkLimit(value: unknown, file: string): CallLimit {
  const limit = callLimits.find(one => one === value)
  if (limit !== undefined) return limit
  throw badValue(file, '`limit`', `one of ${callLimits.map(one => `\`${one}\``).join(', ')}`, value, callLimits)
}

/** At least an hour, so that no one loses a log that they are looking at. */
function checkRetention(value: unknown, file: string): number {
  const milliseconds = typeof value === 'string' ? parseDuration(value) : undefined
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds
  throw badValue(file, '`retention`', durationForm, value)
}

function checkCompact(value: unknown, file: string): 'auto' | 'never' | number {
  if (value === 'auto' || value === 'never' || isTokenCount(value)) return value
  throw badValue(file, '`compact`', '`auto`, `never`, or a number of tokens', value)
}

function checkTitles(value: unknown, file: string): TitleSource {
  if (value === 'first-message' || value === 'model') return value
  throw badValue(file, '`titles`', '`first-message` or `model`', value, ['first-message', 'model'])
}

function checkContext(value: unknown, file: string): Map<string, number> {
  const expected = 'an object such as `{ "ollama:llama3": 8192 }`'
  if (!isRecord(value)) throw badValue(file, '`context`', expected, value)
  const windows = new Map<string, number>()
  for (const [model, tokens] of Object.entries(value)) {
    if (!isTokenCount(tokens)) throw badValue(file, `\`context\` of ${quoted(model)}`, 'a number of tokens', tokens)
    windows.set(model, tokens)
  }
  return windows
}

function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

function checkPrices(value: unknown, file: string): Map<string, Price> {
  const expected = 'an object such as `{ "openai:gpt-4o": { "input": 2.5, "output": 10 } }`'
  if (!isRecord(value)) throw badValue(file, '`prices`', expected, value)
  const prices = new Map<string, Price>()
  for (const [model, price] of Object.entries(value)) {
    if (!isPrice(price))
      throw badValue(
        file,
        `${quoted(model)} in \`prices\``,
        'the cost of a million tokens: `{ "input": 2.5, "output": 10 }`',
        price,
      )
    prices.set(model, { input: price.input, output: price.output })
  }
  return prices
}

function isPrice(value: unknown): value is Price {
  if (!isRecord(value)) return false
  const { input, output, ...rest } = value as Record<string, unknown>
  const isAmount = (one: unknown): boolean => typeof one === 'number' && Number.isFinite(one) && one >= 0
  return isAmount(input) && isAmount(output) && Object.keys(rest).length === 0
}

/** Tool names aren't trusted: `__proto__` is an ordinary one. */
function checkPolicy(value: unknown, file: string): ApprovalPolicy {
  if (isApprovalMode(value)) return value
  const modes = approvalModes.map(mode => `\`${mode}\``).join(', ')
  if (!isRecord(value))
    throw badValue(
      file,
      '`approve`',
      `one of ${modes}, or an object with one of them for each tool`,
      value,
      approvalModes,
    )
  const policy = Object.create(null) as Record<string, ApprovalMode>
  for (const [tool, mode] of Object.entries(value)) {
    if (!isApprovalMode(mode))
      throw badValue(file, `${quoted(tool)} in \`approve\``, `one of ${modes}`, mode, approvalModes)
    policy[tool] = mode
  }
  return policy
}

function checkRules(kind: RuleKind, value: unknown, file: string): string[] {
  const expected = `a list of at most ${RULES_IN_A_LIST} rules such as \`read_file(docs/**)\``
  if (!Array.isArray(value) || value.length > RULES_IN_A_LIST) throw badValue(file, `\`${kind}\``, expected, value)
  return value.map((text: unknown) => {
    if (typeof text !== 'string') throw badValue(file, `Each rule in \`${kind}\``, 'a string', text)
    return parseRule(kind, text, `\`${kind}\` of ${quoted(file)}`).text
  })
}

function badValue(
  file: string,
  what: string,
  expected: string,
  value: unknown,
  names: readonly string[] = [],
): ArgotError {
  const message = `${what} must be ${expected}, not ${describeValue(value)} (in ${quoted(file)}).${didYouMean(value, names)}`
  return new ArgotError('SETTINGS_BAD_VALUE', message)
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : quoted(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : `\`${String(value)}\``
}

function unknownKey(key: string, file: string): ArgotError {
  const nearest = nearestNames(key, KEYS)[0]
  const cure =
    nearest === undefined
      ? `The known keys are ${KEYS.map(name => `\`${name}\``).join(', ')}.`
      : `Did you mean \`${nearest}\`?`
  return new ArgotError('SETTINGS_UNKNOWN_KEY', `${quoted(file)} has an unknown key ${quoted(key)}. ${cure}`)
}
