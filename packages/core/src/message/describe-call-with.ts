import { defined } from '../source/defined.ts'
import { isRecord } from '../source/is-record.ts'
import type { CallLocale, CallStage, CallTense, VerbForms } from './call-locale.ts'
import { type ExitStatus, formatAmount, formatResult, parseExitStatus, readExitStatus } from './call-result.ts'
import { type CallSubject, findSubject } from './call-subject.ts'
import { type CallVerb, findNameVerb, findTitleVerb } from './call-verb.ts'
import { english } from './english.ts'
import { getDeciderName } from './get-decider-name.ts'
import type { CallSources } from './more-values.ts'
import type { MoreWords } from './more-words.ts'
import { oneLine } from './one-line.ts'
import { joinKeepingSpace, plainLines } from './plain-lines.ts'
import type { ToolEffect } from './tool-definition.ts'
import type { ToolInvocation } from './tool-invocation.ts'
import { visibleLine } from './visible-text.ts'

export interface CallPresentation {
  /** Replaces the call's own title: "Get the weather" is conjugated, "Weather" is shown unchanged. */
  title?: string | undefined
  /** The verb, if the locale knows none in the title and the name. */
  verb?: VerbForms | undefined
  subject?: string | undefined
  effect?: ToolEffect | undefined
}

export interface DescribeCallOptions {
  /** English by default. */
  locale?: CallLocale | undefined
  presentation?: CallPresentation | undefined
  /** Milliseconds since 1970. If set, the description includes how long a call has been running. */
  now?: number | undefined
  /**
   * Whether the tool has begun, if known. Otherwise a call with complete input is treated as running, and an approved
   * call as waiting for its turn.
   */
  started?: boolean | undefined
}

/**
 * A call in words, for one row: verb, subject, result, time. Every text is short, and one line unless stated otherwise.
 */
export interface CallDescription {
  state: CallStage
  /** In the tense of the state: "Reading", "Read", "Could not read". The tool's name if no verb is known. */
  verb: string
  /** `verb` is the tool's name or title and doesn't show the state. */
  isName: boolean
  /** What it is about: a path, a command, a query. */
  subject?: string
  /** The outcome: "84 lines", "+12 −3", "22° · sunny", "#12 ↗", "failed · exit 1", "you denied it", "not approved". */
  result?: string
  /**
   * The target of a result's ↗, from a finished call's output. Begins with http: or https:, contains no user name, and
   * is ASCII. Models and tools choose it, so show its host.
   */
  link?: string
  sources?: CallSources
  /** The progress of an unfinished call: its newest preliminary output, or how much of its input has arrived. */
  progress?: string
  /** The fraction done, from 0 to 1, if the call reports it. */
  done?: number
  /** Why it failed or was denied, at most three lines. White space inside an error's lines stays. */
  reason?: string
  duration?: string
  /** The same in milliseconds, even if too short to mention. */
  milliseconds?: number
  /**
   * The whole description for a screen reader: "Read src/log/reader.ts, 84 lines, done", "Could not read a.ts, failed:
   * No such file."
   */
  sentence: string
}

/** Such calls are under way while their input streams: the model is writing their result. */
const writingVerbs: ReadonlySet<string> = new Set(['append', 'create', 'edit', 'send', 'update', 'write'])

/** Longer inputs show their length. */
const LONG_INPUT = 2048
const CLOCK_FROM_MS = 3000
const STILL_RUNNING_FROM_MS = 60_000
const SENTENCE_TIME_FROM_MS = 1000
const LONGEST_LINE = 200
const LONGEST_NAME = 64
/** An error says within this many characters whether the program started. */
const STARTED_LENGTH = 200
/** Only this many characters of a text are searched for its first or last lines. */
const SEARCHED_LENGTH = 4000

/** `describeCall`, with or without the words for tools that have no description. */
export function describeCallWith(
  more: MoreWords | undefined,
  call: ToolInvocation,
  options: DescribeCallOptions = {},
): CallDescription {
  const { locale = english, presentation = {}, started, now } = options
  const verbs = more !== undefined && locale.verbs === english.verbs ? more.verbs(english.verbs) : locale.verbs
  const status =
    call.state === 'output-error' ? parseExitStatus(getError(call)) : readExitStatus(call.output, call.details)
  const state = getStage(call, status, started)
  const name = getName(call, presentation)
  const subject = state === 'broken' ? { text: name, key: undefined } : findSubject(call, presentation.subject, more)
  const verbMatch = state === 'broken' ? undefined : findVerb(call, subject, presentation, locale, verbs, more)
  const didRun = state === 'failed' && (status !== undefined || (verbMatch?.key === 'run' && hasRun(call)))
  const phraseText =
    state === 'broken' ? `${locale.broken}:` : phrase(chooseTense(call, state, verbMatch, didRun), verbMatch, locale)
  const verb = shorten(phraseText ?? name)
  const failure = didRun ? [locale.states.failed, describeStatus(status, locale)] : []
  const outcome = state === 'done' ? formatResult(call, subject?.key, locale, more) : undefined
  const results = formatResults(call, state, outcome, failure, locale)
    .filter(result => result !== undefined)
    .filter(result => result !== subject?.text)
    .map(shorten)
  const reason = getReason(call, state)
  const milliseconds = getMilliseconds(call, state, now)
  const progress = formatProgress(call, state, milliseconds, locale)
  const duration = formatDuration(state, milliseconds, locale)
  const hasLinkMark = state === 'done' && results.at(-1)?.endsWith('↗') === true
  const time = milliseconds !== undefined && milliseconds >= SENTENCE_TIME_FROM_MS ? duration : undefined
  return {
    state,
    verb,
    isName: phraseText === undefined,
    ...defined({
      subject: subject?.text,
      result: results.length === 0 ? undefined : results.join(' · '),
      link: hasLinkMark ? more?.link(call) : undefined,
      sources: state === 'done' ? more?.sources(call) : undefined,
      progress,
      done: state === 'running' && call.preliminary === true ? more?.done(call, progress) : undefined,
      reason,
      duration,
      milliseconds,
    }),
    sentence: formatSentence(verb, subject?.text, [...results, progress, time], locale.states[state], reason),
  }
}

function getStage(call: ToolInvocation, status: ExitStatus | undefined, started: boolean | undefined): CallStage {
  switch (call.state) {
    case 'input-streaming':
      return 'writing'
    case 'input-available':
      return started === false ? 'queued' : 'running'
    case 'approval-requested':
      return 'asking'
    case 'approval-responded':
      if (call.approval?.approved === false) return 'denied'
      return started === true ? 'running' : 'approved'
    case 'output-available':
      if (call.preliminary === true) return 'running'
      return status === undefined || status === 0 ? 'done' : 'failed'
    case 'output-denied':
      return 'denied'
    default:
      return getErrorStage(call)
  }
}

function getErrorStage(call: ToolInvocation): CallStage {
  const { settledBy, input, rawInput, approval } = call
  if (errorCode(call) === 'TOOL_INTERRUPTED') return 'interrupted'
  if (isRefused(call)) return 'denied'
  if (settledBy === 'abort' || settledBy === 'error' || settledBy === 'end') return 'stopped'
  const isUnread = input === undefined && rawInput !== undefined && approval === undefined
  return isUnread && settledBy === undefined ? 'broken' : 'failed'
}

/** Stopped before it could begin: the question was unanswered, or the input was still being written. */
function neverRan({ approval, rawInput }: ToolInvocation, state: CallStage): boolean {
  if (state !== 'stopped') return false
  return approval === undefined ? typeof rawInput === 'string' : approval.approved !== true
}

/** A policy or a rule refused the call, or it needed an approval no one could give. */
function isRefused(call: ToolInvocation): boolean {
  const code = call.state === 'output-error' ? errorCode(call) : undefined
  return code === 'TOOL_NOT_ALLOWED' || code === 'TOOL_NEEDS_APPROVAL'
}

const neverBegan =
  /_(?:NOT|NO|BAD|UNKNOWN)_|_CHANGED|\bE(?:NOENT|ACCES)\b|\bspawn\b|\bnot (?:be )?(?:run|started|found)\b/

/** A failed program has run, unless the error says that it could not be started. */
function hasRun(call: ToolInvocation): boolean {
  return (
    call.settledBy === undefined && !neverBegan.test(`${errorCode(call)}_ ${getError(call).slice(0, STARTED_LENGTH)}`)
  )
}

function errorCode({ resultProviderMetadata: metadata }: ToolInvocation): unknown {
  const own: unknown = isRecord(metadata) && Object.hasOwn(metadata, 'argot') ? metadata.argot : undefined
  return isRecord(own) && Object.hasOwn(own, 'code') ? own.code : undefined
}

function findVerb(
  call: ToolInvocation,
  subject: CallSubject | undefined,
  { verb, title = call.title, effect }: CallPresentation,
  locale: CallLocale,
  verbs: CallLocale['verbs'],
  more: MoreWords | undefined,
): CallVerb | undefined {
  if (verb !== undefined) return { key: '', forms: verb, object: '' }
  if (typeof title === 'string' && title.trim() !== '') {
    return findTitleVerb(visibleLine(title), subject?.key, verbs, locale.verbs)
  }
  const match = findNameVerb(visibleLine(call.toolName), subject?.key, verbs, more?.findVerbIndex)
  if (match !== undefined || effect !== 'exec' || !Object.hasOwn(verbs, 'run')) return match
  return { key: 'run', forms: verbs.run!, object: getName(call, {}) }
}

function getName(call: ToolInvocation, { title = call.title }: CallPresentation): string {
  const name = oneLine(typeof title === 'string' ? title : '', LONGEST_NAME)
  return name || oneLine(call.toolName, LONGEST_NAME) || '?'
}

const tenses: Readonly<Record<Exclude<CallStage, 'broken'>, CallTense>> = {
  writing: 'will',
  queued: 'will',
  running: 'doing',
  asking: 'wants',
  approved: 'will',
  done: 'done',
  failed: 'failed',
  denied: 'denied',
  stopped: 'stopped',
  interrupted: 'was',
}

function chooseTense(
  call: ToolInvocation,
  state: Exclude<CallStage, 'broken'>,
  verb: CallVerb | undefined,
  didRun: boolean,
): CallTense {
  if (didRun) return 'done'
  if (state === 'writing' && verb !== undefined && writingVerbs.has(verb.key)) return 'doing'
  return tenses[neverRan(call, state) ? 'denied' : state]
}

function phrase(tense: CallTense, verb: CallVerb | undefined, locale: CallLocale): string | undefined {
  return verb && locale.say(tense, verb.forms, verb.object)
}

function describeStatus(status: ExitStatus | undefined, locale: CallLocale): string | undefined {
  return typeof status === 'number' ? locale.exit(status) : status
}

function formatResults(
  call: ToolInvocation,
  state: CallStage,
  outcome: string | undefined,
  failure: readonly (string | undefined)[],
  locale: CallLocale,
): readonly (string | undefined)[] {
  switch (state) {
    case 'done':
      return [outcome]
    case 'failed':
      return failure
    case 'asking':
      return [locale.states.asking]
    case 'approved':
      return [locale.approvedBy(getDeciderName(call))]
    case 'denied':
      return [isRefused(call) ? locale.notApproved : locale.deniedBy(getDeciderName(call))]
    case 'interrupted':
      return [locale.interrupted]
    case 'stopped':
      return neverRan(call, state) ? [locale.states.stopped] : []
    default:
      return []
  }
}

function formatProgress(
  call: ToolInvocation,
  state: CallStage,
  milliseconds: number | undefined,
  locale: CallLocale,
): string | undefined {
  if (state === 'writing') {
    const length = getLength(call.input)
    return length > LONG_INPUT ? shorten(locale.count(length, 'character')) : undefined
  }
  if (state !== 'running') return undefined
  const progress = call.preliminary === true ? formatPreview(call.output, locale) : undefined
  const words =
    progress ?? (milliseconds !== undefined && milliseconds > STILL_RUNNING_FROM_MS ? locale.stillRunning : undefined)
  return words && shorten(words)
}

/** Only top-level strings, which grow while a model writes. Doesn't read their characters. */
function getLength(input: unknown): number {
  if (typeof input === 'string') return input.length
  if (!isRecord(input)) return 0
  return Object.values(input).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
}

function formatPreview(output: unknown, locale: CallLocale): string | undefined {
  if (typeof output === 'string') return lastLine(output)
  if (isRecord(output)) {
    for (const field of ['progress', 'message', 'status']) {
      const value = Object.hasOwn(output, field) ? output[field] : undefined
      const text = typeof value === 'string' ? lastLine(value) : undefined
      if (text !== undefined) return text
    }
  }
  return formatAmount(output, locale)
}

/** The first lines of an error or a denial, the last lines of a program's output. */
function getReason(call: ToolInvocation, state: CallStage): string | undefined {
  if (state === 'denied' && !isRefused(call)) {
    const { reason } = call.approval ?? {}
    return typeof reason === 'string' ? joinLines(plainLines(reason.slice(0, SEARCHED_LENGTH)).slice(0, 3)) : undefined
  }
  if (state === 'failed' && call.state === 'output-available')
    return typeof call.output === 'string'
      ? joinSpaced(plainLines(call.output.slice(-SEARCHED_LENGTH)).slice(-3))
      : undefined
  if (state !== 'failed' && state !== 'broken' && state !== 'denied') return undefined
  return joinSpaced(plainLines(getError(call).slice(0, SEARCHED_LENGTH)).slice(0, 3))
}

function getError({ errorText }: ToolInvocation): string {
  return typeof errorText === 'string' ? errorText : ''
}

function lastLine(text: string): string | undefined {
  return joinLines(plainLines(text.slice(-SEARCHED_LENGTH)).slice(-1))
}

function joinSpaced(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : joinKeepingSpace(lines, LONGEST_LINE)
}

function joinLines(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : lines.map(line => oneLine(line, LONGEST_LINE)).join('\n')
}

/** One line of limited length, whatever a tool or a locale returns. Non-breaking spaces stay unchanged. */
function shorten(text: string): string {
  return text.length > LONGEST_LINE || /[\n\r]/.test(text) ? oneLine(text, LONGEST_LINE) : text
}

function getMilliseconds(call: ToolInvocation, state: CallStage, now: number | undefined): number | undefined {
  switch (state) {
    case 'running':
      return between(call.startedAt, now)
    case 'done':
    case 'failed':
    case 'stopped':
    case 'interrupted':
      return neverRan(call, state) ? undefined : between(call.startedAt, call.endedAt)
    default:
      return undefined
  }
}

function between(start: number | undefined, end: number | undefined): number | undefined {
  if (start === undefined || end === undefined) return undefined
  const milliseconds = end - start
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined
}

function formatDuration(state: CallStage, milliseconds: number | undefined, locale: CallLocale): string | undefined {
  if (milliseconds === undefined || (state === 'running' && milliseconds < CLOCK_FROM_MS)) return undefined
  return shorten(locale.duration(milliseconds))
}

/** Adds the word for the state, unless one of the pieces already contains it. */
function formatSentence(
  verb: string,
  subject: string | undefined,
  pieces: readonly (string | undefined)[],
  word: string,
  reason: string | undefined,
): string {
  const words = pieces.filter(piece => piece !== undefined)
  const namesState = [verb, ...words].some(piece => piece.toLowerCase().includes(word.toLowerCase()))
  const head = subject === undefined ? verb : `${verb} ${subject}`
  const sentence = [head, ...words, ...(namesState ? [] : [word])].join(', ')
  const [why = ''] = reason?.split('\n') ?? []
  return why === '' ? sentence : `${sentence}: ${oneLine(why, LONGEST_LINE)}`
}
