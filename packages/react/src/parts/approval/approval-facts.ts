import type { JsonSchema, ToolInvocation } from '@argot/core'
import { type CallLocale, type ToolEffect, visibleText } from '@argot/core/stream'
import { type ApprovalChange, type CallDescription, visibleLine } from '@argot/core/stream/internal'
import type { ApprovalLocale, PartLocale } from '../../locale/chat-locale.ts'
import type { ToolPresentation } from '../../types/index.ts'
import { isWords } from './command-words.ts'

/** What is known about a question besides the call. */
export interface CardFacts {
  effect: keyof ApprovalLocale['effects'] | undefined
  /** Where a program runs and what it can reach, in a sentence. */
  boundary: string | undefined
  /** The call is in the document: no model of this run made it. */
  isForeign: boolean
  /** The words of the command line that the call would run. */
  command: readonly string[] | undefined
  /** Why the call needs a yes whatever the policy says. */
  mustAsk: string | undefined
  note: string | undefined
  rule: string | undefined
  /** What "always" would allow, in words. */
  always: string | undefined
  /** What the call would do to files, as a diff. */
  diff: string | undefined
  changes: readonly ApprovalChange[]
  /** When the run checked the call against the files, and why it would fail. */
  check: { at: number; problem: string | undefined } | undefined
  schema: JsonSchema | undefined
}

const effects: ReadonlySet<unknown> = new Set<ToolEffect>(['read', 'write', 'exec', 'net'])

/**
 * The facts of a question, from the run that asks. If the run gives no effect, the application's description of the
 * tool does, or else it is guessed from the call's name and input. Anything that a provider or a document says is
 * ignored here.
 */
export function approvalFacts(call: ToolInvocation, presentation: ToolPresentation | undefined): CardFacts {
  const facts = toFields(call.approval?.facts)
  const text = (key: string): string | undefined => {
    const value = facts[key]
    return typeof value === 'string' && value !== '' ? visibleText(value) : undefined
  }
  const effect = facts.effect ?? presentation?.effect
  const { command, diff, inputSchema: schema } = facts
  return {
    effect:
      facts.interrupted === true ? 'interrupted' : effects.has(effect) ? (effect as ToolEffect) : guessEffect(call),
    isForeign: facts.foreign === true,
    boundary: text('boundary'),
    command: isWords(command) && command.length > 0 ? command : undefined,
    mustAsk: text('mustAsk'),
    note: text('note'),
    rule: text('rule'),
    always: text('always'),
    diff: typeof diff === 'string' && diff !== '' ? diff : undefined,
    changes: readChanges(facts.changes),
    check: readCheck(facts.check),
    schema: typeof schema === 'object' && schema !== null ? (schema as JsonSchema) : undefined,
  }
}

function readCheck(value: unknown): CardFacts['check'] {
  const { at, problem } = toFields(value)
  if (typeof at !== 'number' || !Number.isFinite(at)) return undefined
  return { at, problem: typeof problem === 'string' ? visibleText(problem) : undefined }
}

const operations: ReadonlySet<unknown> = new Set<ApprovalChange['operation']>(['add', 'update', 'move', 'delete'])

/** Questions come over the network: entries that are not a change are left out. */
function readChanges(value: unknown): ApprovalChange[] {
  if (!Array.isArray(value)) return []
  return value
    .map(toFields)
    .filter(({ path, operation }) => typeof path === 'string' && operations.has(operation))
    .map(({ path, from, ...fields }) => {
      const names = { path: visibleLine(path as string), ...(typeof from === 'string' && { from: visibleLine(from) }) }
      return { ...fields, ...names } as unknown as ApprovalChange
    })
}

/** The effect that a call's words suggest, if nothing declares it. */
function guessEffect({ toolName, input }: ToolInvocation): ToolEffect | undefined {
  if (/(?:^|_)(?:write|edit|append|delete|move|create|replace|patch|remove|update)(?:_|$)/i.test(toolName))
    return 'write'
  if (/(?:^|_)(?:run|exec|shell|bash|command)(?:_|$)/i.test(toolName)) return 'exec'
  if (/(?:^|_)(?:fetch|http|request|download|upload|send)(?:_|$)/i.test(toolName)) return 'net'
  return typeof input === 'object' && input !== null && Object.hasOwn(input, 'command') ? 'exec' : undefined
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value))
}

/** The bare verb from the sentence that wants to: "Wants to delete files" gives "delete files". */
export function plainVerb({ verb, isName }: CallDescription, locale: CallLocale): string {
  if (isName) return verb
  const mark = '\u0000'
  const frame = locale.say('wants', { doing: mark, done: mark, base: mark, participle: mark }, '')
  const [before = '', after = ''] = frame.split(mark)
  return verb.startsWith(before) && verb.endsWith(after) ? verb.slice(before.length, verb.length - after.length) : verb
}

/** A longer command is cut in a title: the complete one is right below. */
const LONG_TITLE = 40

/** The question in the row's words: "Delete 2 files?", "Run npm run fixtures …?" */
export function formatQuestion(description: CallDescription, { call, approval }: PartLocale): string {
  const { isName, verb, subject } = description
  if (isName) return approval.question(`${call.verbs.run?.base ?? ''} ${verb}`.trim(), shorten(subject))
  const plain = plainVerb(description, call)
  const unit = /^[\d.,]+ (\S+)$/.exec(subject ?? '')?.[1]
  const sentence = unit !== undefined && plain.endsWith(` ${unit}`) ? plain.slice(0, -unit.length - 1) : plain
  return approval.question(sentence, shorten(subject))
}

/** A command is cut between its words; a path is shown in full. */
function shorten(subject: string | undefined): string | undefined {
  if (subject === undefined || subject.length <= LONG_TITLE || !subject.includes(' ')) return subject
  const options = subject.search(/ -/)
  const end = options > 0 && options <= LONG_TITLE ? options : subject.lastIndexOf(' ', LONG_TITLE)
  return `${subject.slice(0, end > 0 ? end : LONG_TITLE)} …`
}
