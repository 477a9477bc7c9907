import { defined } from '../source/defined.ts'
import { isTime } from './is-time.ts'

export interface ApprovalDecision {
  approved: boolean
  /** Why. If the call is denied, the model reads it. */
  reason?: string
  /** The input to run the tool with instead. */
  input?: unknown
  /**
   * If approved, adds the request's `always` rule for this run. If denied, applies to every later call of this tool.
   */
  always?: boolean
}

/** Set by the process that receives the decision. Clients can't set these fields. */
export interface AnswerNotes {
  /** Who answered: a name, an address, or `local` for a person at the server's machine. */
  by?: string
  /** When, in milliseconds since 1970. */
  at?: number
}

export interface ApprovalAnswer extends ApprovalDecision, AnswerNotes {}

/** Without the input, which becomes the call's own. */
export type StoredAnswer = Omit<ApprovalAnswer, 'input'>

const types = { yesNo: 'boolean', text: 'string', time: 'number', flag: 'boolean' } as const

interface AnswerField {
  name: keyof StoredAnswer
  /** A flag is true or missing. */
  kind: keyof typeof types
  /** Both `typeof` and JSON Schema use these names. */
  type: (typeof types)[keyof typeof types]
  attribute: string
  isNote?: true
}

/** In the order in which ChatMD writes the attributes. */
const table: Readonly<Record<keyof StoredAnswer, Omit<AnswerField, 'name' | 'type'>>> = {
  approved: { kind: 'yesNo', attribute: 'approved' },
  by: { kind: 'text', attribute: 'approved_by', isNote: true },
  at: { kind: 'time', attribute: 'approved_at', isNote: true },
  reason: { kind: 'text', attribute: 'approval_reason' },
  always: { kind: 'flag', attribute: 'approval_always' },
}

export const answerFields: readonly AnswerField[] = Object.entries(table).map(
  ([name, row]): AnswerField => ({ name: name as keyof StoredAnswer, type: types[row.kind], ...row }),
)

function pick(record: object, isWanted: (field: AnswerField) => boolean = () => true): Partial<StoredAnswer> {
  const picked: Record<string, unknown> = {}
  for (const field of answerFields.filter(isWanted)) {
    const value: unknown = record[field.name as never]
    if (field.kind === 'time' ? isTime(value) : typeof value === field.type) picked[field.name] = value
  }
  return picked
}

/** The record may have other fields. Fields with the wrong type are left out, here and below. */
export function pickDecision(record: ApprovalDecision): ApprovalDecision
export function pickDecision(record: object): Partial<ApprovalDecision>
export function pickDecision(record: { input?: unknown }): Partial<ApprovalDecision> {
  return { ...pick(record, ({ isNote }) => isNote !== true), ...defined({ input: record.input }) }
}

export function pickNotes(record: object): AnswerNotes {
  return pick(record, ({ isNote }) => isNote === true)
}

/** Never includes an input, because messages also come over the network. */
export function pickAnswer(answer: ApprovalAnswer): StoredAnswer
export function pickAnswer(record: object): Partial<StoredAnswer>
export function pickAnswer(record: object): Partial<StoredAnswer> {
  return pick(record)
}

/**
 * Reads an answer given by a person or a program. Undefined if any field has the wrong type: an unclear answer approves
 * nothing. An input applies only to an approval, and may be `null`.
 */
export function readAnswer(value: unknown): ApprovalAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { approved, ...answer } = { ...pick(value), ...pickDecision(value) }
  const isClear = answerFields.every(({ name, type }) => ['undefined', type].includes(typeof value[name as never]))
  if (approved === undefined || !isClear) return undefined
  if (!approved) delete answer.input
  return { approved, ...answer }
}
