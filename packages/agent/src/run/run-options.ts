import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { Chunk, Diagnostic, ErrorCode, JsonSchema, Message } from '@argot/core'
import type { Resolver } from '@argot/core/chatmd'
import type { LogLine } from '@argot/core/stream'
import type { FinishReason } from '@argot/core/stream/internal'
import type { ApprovalAnswer, ApprovalPolicy, Ask, InterruptedMode } from '../approval/approval.ts'
import type { FindRelaxation } from '../approval/relaxation.ts'
import type { RuleTexts } from '../approval/rule.ts'
import type { EditorFiles } from '../files/editor-files.ts'
import type { ClientOutput, RunClientTool } from '../loop/calls/client-outputs.ts'
import type { PlanOptions } from '../loop/plan.ts'
import type { Model, Usage } from '../model/model.ts'
import type { Store } from '../store/store.ts'
import type { EditorTerminal } from '../tool/process/editor-terminal.ts'
import type { SandboxMode } from '../tool/sandbox/sandbox.ts'
import type { StandardSchema } from '../tool/schema/standard-schema.ts'
import type { Tool } from '../tool/tool.ts'
import type { TrustQuestion } from '../trust/trust-question.ts'
import type { TrustStore } from '../trust/trust-store.ts'

/** `always` marks a notice that changes what the run can do, so it is shown even in quiet mode. */
export type Notice = (text: string, options?: { always?: boolean | undefined }) => void

/** Options for a run that documents and agents in memory share. Everything but the model has a default. */
export interface SharedOptions extends PlanOptions {
  /** `ask` by default: calls that only read run, and `ask` is called for the others. */
  approve?: ApprovalPolicy | undefined
  /** Rules by argument, before the policy decides: `{ allow: ['read_file(docs/**)'], deny: ['git(push **)'] }`. */
  rules?: RuleTexts | undefined
  /**
   * Signs questions, for conversations that come back from a browser: an answer in a message applies only if its
   * question was signed with this key, for this call and this input. Without it, the caller of `run` vouches for them.
   */
  approvalKey?: string | Uint8Array | undefined
  /**
   * Asks a person. With `wait`, the answers come through `run.answer` or the store's inbox. Without it, a call that
   * would have to ask fails with a clear message.
   */
  ask?: Ask | 'wait' | undefined
  /**
   * Runs calls of client tools, such as `ask_user`. Without it, or if it returns `undefined`, the run parks at them, or
   * waits if `ask` is `wait`.
   */
  runClientTool?: RunClientTool | undefined
  /**
   * The final answer must be JSON that matches a Standard Schema (zod, valibot) or a JSON Schema. If it doesn't, the
   * model is asked again, once; then the run fails with `RUN_BAD_OUTPUT`. The result has the value as `output`.
   * Overrides a document's `<config output>`.
   */
  outputSchema?: StandardSchema | JsonSchema | undefined
  /** For an `outputSchema` that can't write itself as JSON Schema. It is sent to the model and validates nothing. */
  outputJsonSchema?: JsonSchema | undefined
  /** Writes the summaries of older turns; the run's own model by default. */
  summaryModel?: string | LanguageModelV3 | Model | undefined
  /** Something that a person should know: a repair, a retry, the demo model. */
  notice?: Notice | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  now?: (() => number) | undefined
}

/** How a document runs. Everything has a default; these options override the document. */
export interface RunOptions extends SharedOptions {
  /**
   * The run's name, unique within the document; generated if left out. A run that an earlier process left unfinished
   * continues under its own name.
   */
  id?: string | undefined
  /**
   * Where the document and its runs are stored; the path is then the document's path in it. `folderStore` for the
   * file's folder by default.
   */
  store?: Store | undefined
  /** A name (`openai:gpt-4o`), an AI SDK model, or a `Model`. */
  model?: string | LanguageModelV3 | Model | undefined
  syntax?: string | undefined
  /**
   * A user message to add before the run: a text, or `userMessage(text, files)`. A message whose id the document
   * already has isn't added again.
   */
  input?: string | Message | undefined
  /** Denies waiting questions with the input's text. Otherwise their calls end as not run. */
  inputDenies?: boolean | undefined
  /** The values of the document's declared parameters, by name; see `<config params>`. */
  params?: Readonly<Record<string, string>> | undefined
  /**
   * Asks a person for the value of a parameter that has none; undefined if they don't give one. Without it, a missing
   * value fails the run.
   */
  askParam?: ((name: string) => Promise<string | undefined>) | undefined
  /** Where to write the transcript; the document itself stays unchanged. */
  output?: string | undefined
  /** A policy that can only make the run stricter. */
  approveAtMost?: ApprovalPolicy | undefined
  /**
   * For a while, lets the document's own calls run that only the policy would ask about, as long as they stay inside a
   * folder. Rules, trust, projects, unconfined programs and calls of unknown origin still lead to a question.
   */
  relax?: FindRelaxation | undefined
  /** Tools in code. Only a `<tool name>` of the document that isn't a built-in can refer to them. */
  tools?: readonly Tool[] | undefined
  /**
   * Reads what the document and its agents refer to (`<doc>`, `<img>`, `<import>`, `<agent>`), instead of the disk and
   * the web (`createResolver` of `@argot/agent/workshop`). It then decides what may be read. Files that Argot wrote
   * beside the document are read as usual.
   */
  resolver?: Resolver | undefined
  /** More folders that tools and `<doc local>` may use. */
  allowPaths?: readonly string[] | undefined
  allowPrivateAddresses?: boolean | readonly string[] | undefined
  /**
   * The editor around the run. File tools read and write through it, after all checks; programs run in its terminal if
   * no sandbox confines them.
   */
  editor?: { files?: EditorFiles | undefined; terminal?: EditorTerminal | undefined } | undefined
  /** Offers the document's commands to the model without asking. */
  allowExec?: boolean | undefined
  /** Whether the programs of commands are confined. By default `auto`: if that works. */
  sandbox?: SandboxMode | undefined
  /**
   * Asks whether to offer one of this document's commands. A yes is remembered, `once` isn't. Without it, commands
   * aren't offered.
   */
  trust?: ((question: TrustQuestion) => Promise<boolean | 'once'>) | undefined
  /** Where a yes is remembered; `createTrustStore` (of `@argot/agent/workshop`) in the config folder by default. */
  trustStore?: TrustStore | undefined
  /**
   * Leaves out tools that need a question no one can answer, or that can't be reached, instead of failing. Off by
   * default, because a run without one of its tools is a different run.
   */
  skipUntrusted?: boolean | undefined
  /** JavaScript files whose tools are offered besides the document's. They need the user's trust like commands. */
  toolModules?: readonly string[] | undefined
  /** Variables, besides `ARGOT_MCP_…`, whose values may be sent to the document's MCP servers as tokens. */
  allowEnv?: readonly string[] | undefined
  /** Read everything again that answered turns bring in, instead of sending what was sent. */
  refresh?: boolean | undefined
  /** `false`: ask agents in the text again, even if they have answered before. */
  cache?: boolean | undefined
  /** How long an agent's answer stays valid, in milliseconds; 30 days by default. */
  cacheMs?: number | undefined
  /** Wait for another run on the same file instead of failing. */
  waitForLock?: boolean | undefined
  /** How many milliseconds to wait for it before the run fails with `RUN_LOCKED`; one hour by default. */
  lockWaitMs?: number | undefined
  /** Take the document from a process on another machine or container, without waiting until it falls silent. */
  takeOver?: boolean | undefined
  /**
   * How many runs of other processes led to this one, such as calls through `argot mcp serve`. Each is treated as an
   * outer agent.
   */
  depth?: number | undefined
  signal?: AbortSignal | undefined
  /**
   * What happens to a call that a crash interrupted while its tool was changing something: `ask` a person, or `tell`
   * the model that its effect is unknown. `tell` by default if `approve` is `all`, so that a run without a person
   * doesn't wait for one; else `ask`.
   */
  interrupted?: InterruptedMode | undefined
  /** Aborted when this process leaves the run unfinished, for the next process to continue. */
  leave?: AbortSignal | undefined
  /**
   * Called once, before anything starts, with the warnings that `checkDocument` gives. `sources` has the texts that
   * they point into, by file.
   */
  warn?: ((warnings: readonly Diagnostic[], sources: ReadonlyMap<string | undefined, string>) => void) | undefined
  /** Called once the model and the syntax are chosen, before the first chunk. */
  chosen?: ((about: { model: string; syntax: string }) => void) | undefined
  cwd?: string | undefined
  /**
   * False if documents aren't files and this process has no folder for them. Tools that need files or programs are then
   * refused.
   */
  hasFolder?: boolean | undefined
  /** The folder for the user's settings and trust; `~/.config/argot` by default. */
  configFolder?: string | undefined
  /** Waits before a retry. Ends early if the signal aborts. */
  pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/** A run: its chunks, which can be read once, and its result. */
export interface Run<Output = unknown> extends AsyncIterable<Chunk> {
  /** For a run that an earlier process left unfinished, its original id, known with the first chunk. */
  readonly id: string
  /** Settles when the run is over, even if its chunks aren't read to the end. Never rejects. */
  readonly result: Promise<RunResult<Output>>
  /**
   * The answer, for programs that need nothing else. Rejects with an `ArgotError` if there is none: the code and the
   * message of a failed run, `RUN_STOPPED`, or `RUN_PARKED`. With an `outputSchema`, it is the answer's text, and
   * `result` has the value. If no one awaits it, nothing happens.
   */
  readonly text: Promise<string>
  /** Ends the run and keeps its output so far. A second stop changes nothing. */
  stop(reason?: string): void
  /**
   * Answers one of this run's questions. False if the question doesn't wait, for a second answer, and for a malformed
   * one.
   */
  answer(approvalId: string, answer: ApprovalAnswer): boolean
  /**
   * Sends a message to the run while it works: a text, or `userMessage(text, files)`. It joins at the next step, and
   * the run's questions until then are denied with its text. Resolves with true once it is part of the conversation,
   * and with false if the run ended without it; then send it as the next input. `result.messages` includes it in its
   * place.
   */
  steer(input: string | Message): Promise<boolean>
  /** Provides the output of a client tool's call. False for a second output, and for a malformed one. */
  giveOutput(toolCallId: string, output: ClientOutput): boolean
  /**
   * The lines of the run's log from an offset on, including new ones, until the run has ended; a parked run hasn't. Any
   * number of readers may follow, and a reader that leaves stops nothing. Throws `RUN_NO_LOG` for a run without a log.
   */
  follow(from?: number, signal?: AbortSignal): AsyncIterable<LogLine>
}

export type RunResult<Output = unknown> = {
  /** The final answer as text. After a stop or a failure, the part that was written. */
  text: string
  /** Tokens of this run from its first step on, including agents inside its calls. Undefined if no model was called. */
  usage?: Usage
  /**
   * All messages of the run, including those from `steer`; `message` is the last of them. Undefined if the run ended
   * before it began. For a conversation in memory: append them to this run's messages for the next `run`.
   */
  messages?: readonly Message[]
  /** Undefined if no price is known. */
  cost?: number
  /** Model calls of this run from its first step on, including those of earlier processes. */
  steps?: number
  /** Why the model stopped: `stop` at the end of an answer, `length` and `content-filter` before it. */
  finishReason?: FinishReason
} /**
 * `message`: the assistant's message. Undefined if the run was stopped or failed before it began. `output`: the answer's
 * value, if there is an `outputSchema`.
 */ & (
  | { status: 'done'; message: Message; output?: Output }
  | { status: 'parked'; message: Message }
  | { status: 'stopped'; message?: Message }
  /**
   * The model failed or ended without a complete answer, a limit was reached, or the document can't run. Running the
   * document again continues it.
   */
  | { status: 'failed'; message?: Message; code: ErrorCode; error: string; diagnostics?: readonly Diagnostic[] }
)
