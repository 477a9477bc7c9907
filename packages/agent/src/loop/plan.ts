import type { Message } from '@argot/core'
import { auto, createAuto, type Syntax, syntaxes } from '@argot/core/syntax'
import type { CallLimit } from '@argot/core/syntax/internal'
import type { InterruptedMode } from '../approval/approval.ts'
import type { ApprovalSigner } from '../approval/approval-signer.ts'
import type { Approvals } from '../approval/approvals.ts'
import type { RuleBook } from '../approval/rule-book.ts'
import type { KeepFiles, PlannedWrite } from '../files/keep-files.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { FetchFile } from '../resolver/fetch-file.ts'
import type { FileRecord } from '../store/file-records.ts'
import type { PricedUsage } from '../store/logged-spending.ts'
import type { InnerRun } from '../tool/tool.ts'
import type { Toolbox } from '../tool/toolbox.ts'
import type { ReplayedRun } from '../transcript/replay-run.ts'
import type { Price } from '../words/price.ts'
import type { AnswerFormat } from './answer/answer-format.ts'
import type { ClientOutputs } from './calls/client-outputs.ts'
import type { Summariser } from './compact/summariser.ts'
import type { OpenMessage } from './open-message.ts'
import type { Steering } from './steering.ts'

/** How a run talks to its model, and how far it may go: the options that documents, agents and servers have alike. */
export interface PlanOptions {
  /** How many calls one message may hold; as the syntax says where it is left out. */
  limit?: CallLimit | undefined
  /** Read calls that a model leaks into its text although it has calls of its own; a name says in which dialect. */
  salvage?: boolean | string | undefined
  /** How long a model may be silent before its call is given up, in milliseconds; two minutes by default. */
  idleMs?: number | undefined
  /** How long one reply of a model may take in all, in milliseconds; 30 minutes by default, `Infinity` for no limit. */
  replyMs?: number | undefined
  /** How many characters one reply of a model may have; 8,388,608 (8 MiB) by default. */
  replyLength?: number | undefined
  /** `false`: a model is shown all tools, also if they are more than 20; by default `tool_search` stands in for most of them. */
  toolSearch?: boolean | undefined
  /**
   * When older turns are replaced by a summary in the prompt: `auto` (the default) when it would not fit the model's
   * window, `now` before the first step as well, `never`, or when it has more than this many tokens.
   */
  compact?: 'auto' | 'now' | 'never' | number | undefined
  /** How many tokens the model's context window holds, if Argot doesn't know or should take it as smaller. */
  context?: number | undefined
  /** What the model costs, for `usage.cost`; for a document, else as `prices` of the settings says. */
  price?: Price | undefined
  /** Model calls that the run may make, over all processes that continue it; 50 by default. */
  maxSteps?: number | undefined
  /** Tokens, in and out, after which no further step is started; counted over all processes that continue the run. */
  tokenBudget?: number | undefined
  /** How long a run may work, in milliseconds; 24 hours by default. The time in which it waits for a person does not count. */
  runMs?: number | undefined
}

/** How a run talks to its model: everything is chosen. */
export interface Talk {
  model: Model
  syntax: Syntax
  settings: ModelSettings
  limit: CallLimit
  /** The syntax in which calls are looked for that leak into the text of a native reply. */
  salvage: Syntax | undefined
  idleMs: number
  replyMs: number
  replyLength: number
  price: Price | undefined
  toolSearch: boolean
  compact: 'auto' | 'now' | 'never' | number
  context: number | undefined
  summariser: Summariser
}

/** How far a run may go. */
export interface Budget {
  maxSteps: number
  tokenBudget: number | undefined
  runMs: number
}

/** What a run does, before it begins: everything is read, checked and chosen. */
export interface Plan {
  /** What was said before, without the message that the run continues. */
  messages: readonly Message[]
  /** The message of the assistant that the run continues; a new one where it is left out. */
  continued?: OpenMessage | undefined
  messageId: string
  /** The highest number that a call ever had in the document; no other gets it. */
  lastCall?: number | undefined
  /** What an earlier process of the same run did: its limits and its end count the whole run. */
  resumed?: ReplayedRun | undefined
  tools: Toolbox
  talk: Talk
  /** What becomes of a call: the policy together with the rules by argument. */
  rules: RuleBook
  budget: Budget
  /** What the agents in the document used before the run began. */
  agentUsage?: readonly PricedUsage[] | undefined
  /** The form that the final answer must have. */
  answer?: AnswerFormat | undefined
  fetchFile?: FetchFile | undefined
  /** How many forks the run is inside of; 0 where it is left out. */
  forks?: number | undefined
}

/** Who answers the questions of a run, and how. */
export interface People {
  approvals: Approvals
  /** What others give for calls of client tools. */
  outputs: ClientOutputs
  /** What users say to the run while it works. */
  steering: Steering
  /** Signs what is asked, where the conversation is kept by a client. */
  signer: ApprovalSigner | undefined
  /** What happens to a call whose tool an earlier process had started. */
  interrupted: InterruptedMode
  /** No log of the run says which ids were used, so each question gets an id that no other process would choose. */
  hasUniqueIds: boolean
}

/** What a run has from outside. */
export interface LoopIo {
  /** Ends the run. */
  signal: AbortSignal
  now: () => number
  /** Waits before a retry; ends early when the signal is aborted. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  notice: (text: string) => void
  /** Takes the keys of the environment out of what tools and providers say. */
  redact: (value: unknown) => unknown
  people: People
  /** The runs inside this one, by the call that each answers. */
  inner?: Map<string, InnerRun> | undefined
  /** Keeps what files have before a tool changes them, and says what to log. */
  keepVersions?: ((writes: readonly PlannedWrite[]) => Promise<readonly FileRecord[]>) | undefined
  /** Of a run inside another one: the outer run keeps and logs it. */
  keepOutside?: KeepFiles | undefined
}

/** What is chosen for a talk before its options are. */
export type ChosenTalk = Pick<Talk, 'model' | 'syntax' | 'settings'> & {
  answer: AnswerFormat | undefined
  /** Another model that writes summaries. */
  summariser?: Summariser | undefined
}

/** The one place where the options of a talk get their defaults. */
export function planTalk({ model, syntax, settings, answer, summariser }: ChosenTalk, options: PlanOptions): Talk {
  // An answer that is JSON must not be taken for a call without a mark of its own.
  const marked = (one: Syntax): Syntax => (answer !== undefined && one === auto ? createAuto({ bare: false }) : one)
  const own = marked(syntax)
  const salvage = toSalvage(options.salvage)
  const read = own.kind === 'native' ? (salvage ?? own) : own
  return {
    model,
    syntax: own,
    settings,
    salvage: salvage && marked(salvage),
    limit: options.limit ?? read.limit ?? 'none',
    idleMs: options.idleMs ?? 120_000,
    replyMs: options.replyMs ?? 30 * 60_000,
    replyLength: options.replyLength ?? 8 * 1024 * 1024,
    price: options.price,
    toolSearch: options.toolSearch ?? true,
    compact: options.compact ?? 'auto',
    context: options.context,
    summariser: summariser ?? { model, price: options.price },
  }
}

/** The one place where the options of a budget get their defaults. */
export function planBudget({ maxSteps = 50, tokenBudget, runMs = 24 * 60 * 60_000 }: PlanOptions): Budget {
  return { maxSteps, tokenBudget, runMs }
}

/** The syntax in which leaked calls are looked for; `true` means all dialects at once. */
function toSalvage(salvage: boolean | string | undefined): Syntax | undefined {
  if (salvage === undefined || salvage === false) return undefined
  return syntaxes.get(salvage === true ? 'auto' : salvage)
}
