import { defined } from '../source/defined.ts'
import { isTime } from './is-time.ts'

/** What a person decides about a call. */
export interface ApprovalDecision {
  approved: boolean
  /** Why; the model reads it if the call is denied. */
  reason?: string
  /** The input to run the tool with instead. */
  input?: unknown
  /** A yes adds the rule `always` of the request for this run; a no holds for every later call of this tool. */
  always?: boolean
}

/** What the process that takes a decision notes about it. Clients can't set it. */
export interface AnswerNotes {
  /** Who answered: a name, an address, or `local` for a person at the server's own machine. */
  by?: string
  /** When, in milliseconds since 1970. */
  at?: number
}

/** The answer to the question about a call. */
export interface ApprovalAnswer extends ApprovalDecision, AnswerNotes {}

/** What a call keeps of its answer: all but the input, which becomes the call's own. */
export type KeptAnswer = Omit<ApprovalAnswer, 'input'>

const types = { yesNo: 'boolean', text: 'string', time: 'number', flag: 'boolean' } as const

interface AnswerField {
  name: keyof KeptAnswer
  /** A flag is true or missing. */
  kind: keyof typeof types
  /** As `typeof` and JSON Schema call it. */
  type: (typeof types)[keyof typeof types]
  attribute: string
  isNote?: true
}

/** Every field that a call keeps, with its ChatMD attribute, in the order in which ChatMD writes them. */
const table: Readonly<Record<keyof KeptAnswer, Omit<AnswerField, 'name' | 'type'>>> = {
  approved: { kind: 'yesNo', attribute: 'approved' },
  by: { kind: 'text', attribute: 'approved_by', isNote: true },
  at: { kind: 'time', attribute: 'approved_at', isNote: true },
  reason: { kind: 'text', attribute: 'approval_reason' },
  always: { kind: 'flag', attribute: 'approval_always' },
}

export const answerFields: readonly AnswerField[] = Object.entries(table).map(
  ([name, row]): AnswerField => ({ name: name as keyof KeptAnswer, type: types[row.kind], ...row }),
)

/** The fields of a record that are what they should be. */
function pick(record: object, isWanted: (field: AnswerField) => boolean = () => true): Partial<KeptAnswer> {
  const picked: Record<string, unknown> = {}
  for (const field of answerFields.filter(isWanted)) {
    const value: unknown = record[field.name as never]
    if (field.kind === 'time' ? isTime(value) : typeof value === field.type) picked[field.name] = value
  }
  return picked
}

/** The decision in a record that may have other fields. Fields of another type are left out, here and below. */
export function pickDecision(record: ApprovalDecision): ApprovalDecision
export function pickDecision(record: object): Partial<ApprovalDecision>
export function pickDecision(record: { input?: unknown }): Partial<ApprovalDecision> {
  return { ...pick(record, ({ isNote }) => isNote !== true), ...defined({ input: record.input }) }
}

/** What a record notes about a decision. */
export function pickNotes(record: object): AnswerNotes {
  return pick(record, ({ isNote }) => isNote === true)
}

/** What a call keeps of the answer in a record. An input is never among it: messages come over the network too. */
export function keptAnswer(answer: ApprovalAnswer): KeptAnswer
export function keptAnswer(record: object): Partial<KeptAnswer>
export function keptAnswer(record: object): Partial<KeptAnswer> {
  return pick(record)
}

/**
 * Reads an answer as a person or a program gives it. Undefined if any field has another type: an answer that is unclear
 * approves nothing. An input applies only with a yes, and may be `null`.
 */
export function readAnswer(value: unknown): ApprovalAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { approved, ...answer } = { ...pick(value), ...pickDecision(value) }
  const isClear = answerFields.every(({ name, type }) => ['undefined', type].includes(typeof value[name as never]))
  if (approved === undefined || !isClear) return undefined
  if (!approved) delete answer.input
  return { approved, ...answer }
}
