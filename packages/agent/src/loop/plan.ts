import type { Message } from '@argot/core'
import { auto, createAuto, type Syntax, syntaxes } from '@argot/core/syntax'
import type { CallLimit } from '@argot/core/syntax/internal'
import type { InterruptedMode } from '../approval/approval.ts'
import type { ApprovalSigner } from '../approval/approval-signer.ts'
import type { Approvals } from '../approval/approvals.ts'
import type { RuleBook } from '../approval/rule-book.ts'
import type { KeepFiles, PlannedWrite } from '../files/keep-files.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { FetchFile } from '../resolver/create-file-fetcher.ts'
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

/** How a run talks to its model, and its limits: options that documents, agents and servers share. */
export interface PlanOptions {
  /** How many calls one message may contain. Defaults to the syntax's own limit. */
  limit?: CallLimit | undefined
  /** Read calls that leak into a model's text although it has native calls. A name sets the dialect. */
  salvage?: boolean | string | undefined
  /** How long a model may be silent before its call is given up, in milliseconds. Two minutes by default. */
  idleMs?: number | undefined
  /** How long one model reply may take in total, in milliseconds. 30 minutes by default, `Infinity` for no limit. */
  replyMs?: number | undefined
  /** How many characters one model reply may have. 8,388,608 (8 MiB) by default. */
  replyLength?: number | undefined
  /** By default, `tool_search` replaces most tools if there are more than 20. `false`: the model sees all of them. */
  toolSearch?: boolean | undefined
  /**
   * When a summary replaces older turns in the prompt: `auto` (the default) if the prompt wouldn't fit the model's
   * window, `now` also before the first step, `never`, or above this many tokens.
   */
  compact?: 'auto' | 'now' | 'never' | number | undefined
  /** The size of the model's context window in tokens, if Argot doesn't know it or should assume a smaller one. */
  context?: number | undefined
  /** The model's price, for `usage.cost`. For documents, the default is `prices` in the settings. */
  price?: Price | undefined
  /** Model calls that the run may make, across all processes that continue it. 50 by default. */
  maxSteps?: number | undefined
  /** Tokens, in and out, after which no further step starts. Counted across all processes that continue the run. */
  tokenBudget?: number | undefined
  /** How long a run may work, in milliseconds. 24 hours by default. Time spent waiting for a person isn't included. */
  runMs?: number | undefined
}

/** How a run talks to its model, with everything resolved. */
export interface Talk {
  model: Model
  syntax: Syntax
  settings: ModelSettings
  limit: CallLimit
  /** The syntax of calls that leak into the text of a native reply. */
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

export interface Budget {
  maxSteps: number
  tokenBudget: number | undefined
  runMs: number
}

/** What a run does, before it begins: everything is read, checked and chosen. */
export interface RunPlan {
  /** The earlier messages, without the one that the run continues. */
  messages: readonly Message[]
  /** The assistant message that the run continues; a new one if left out. */
  continued?: OpenMessage | undefined
  messageId: string
  /** The highest call number ever used in the document. New calls get higher ones. */
  lastCall?: number | undefined
  /** What an earlier process of the same run did. Limits and totals apply to the whole run. */
  resumed?: ReplayedRun | undefined
  tools: Toolbox
  talk: Talk
  rules: RuleBook
  budget: Budget
  agentUsage?: readonly PricedUsage[] | undefined
  answer?: AnswerFormat | undefined
  fetchFile?: FetchFile | undefined
  /** How many forks the run is nested in; 0 by default. */
  forks?: number | undefined
}

export interface People {
  approvals: Approvals
  outputs: ClientOutputs
  steering: Steering
  /** Signs questions if a client keeps the conversation. */
  signer: ApprovalSigner | undefined
  /** What happens to a call whose tool an earlier process had started. */
  interrupted: InterruptedMode
  /** Each question gets an id that no other process would choose, because all documents number their calls alike. */
  hasUniqueIds: boolean
}

export interface LoopIo {
  /** Ends the run. */
  signal: AbortSignal
  now: () => number
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  notice: (text: string) => void
  /** Removes the environment's keys from the output of tools and providers. */
  redact: (value: unknown) => unknown
  people: People
  inner?: Map<string, InnerRun> | undefined
  /** Saves the contents of files before a tool changes them, and returns what to log. */
  keepVersions?: ((writes: readonly PlannedWrite[]) => Promise<readonly FileRecord[]>) | undefined
  /** For a nested run: the outer run saves the contents and logs them. */
  keepOutside?: KeepFiles | undefined
}

export type TalkChoice = Pick<Talk, 'model' | 'syntax' | 'settings'> & {
  answer: AnswerFormat | undefined
  summariser?: Summariser | undefined
}

/** The only place where a talk's options get their defaults. */
export function planTalk({ model, syntax, settings, answer, summariser }: TalkChoice, options: PlanOptions): Talk {
  // An answer that is JSON must not be taken for a call without markers.
  const withMarkers = (one: Syntax): Syntax =>
    answer !== undefined && one === auto ? createAuto({ bare: false }) : one
  const ownSyntax = withMarkers(syntax)
  const salvage = toSalvage(options.salvage)
  const readSyntax = ownSyntax.kind === 'native' ? (salvage ?? ownSyntax) : ownSyntax
  return {
    model,
    syntax: ownSyntax,
    settings,
    salvage: salvage && withMarkers(salvage),
    limit: options.limit ?? readSyntax.limit ?? 'none',
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

/** The only place where a budget's options get their defaults. */
export function planBudget({ maxSteps = 50, tokenBudget, runMs = 24 * 60 * 60_000 }: PlanOptions): Budget {
  return { maxSteps, tokenBudget, runMs }
}

/** The syntax of leaked calls; `true` means all dialects together. */
function toSalvage(salvage: boolean | string | undefined): Syntax | undefined {
  if (salvage === undefined || salvage === false) return undefined
  return syntaxes.get(salvage === true ? 'auto' : salvage)
}
