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

/** Tells a person something. What is said `always` changes what the run can do, so nobody is spared it. */
export type Notice = (text: string, options?: { always?: boolean | undefined }) => void

/** How a run is made: what documents and agents in memory have alike. Everything but the model has a default. */
export interface SharedOptions extends PlanOptions {
  /** `ask` by default: calls that only read run, about others `ask` is asked. */
  approve?: ApprovalPolicy | undefined
  /** Rules by argument, before the policy decides: `{ allow: ['read_file(docs/**)'], deny: ['git(push **)'] }`. */
  rules?: RuleTexts | undefined
  /**
   * Signs what is asked, for conversations that come back from a browser: an answer in a message counts only if its
   * question was signed with this key, for this call and this input. Without it whoever calls `run` vouches for them.
   */
  approvalKey?: string | Uint8Array | undefined
  /**
   * Asks a person; with `wait` the answers come through `run.answer` or the inbox of the store. Without it a call that
   * would have to ask fails with a clear message.
   */
  ask?: Ask | 'wait' | undefined
  /**
   * Runs calls of client tools, such as `ask_user`; without it, or with its `undefined`, the run is parked at them, or waits
   * where `ask` is `wait`.
   */
  runClientTool?: RunClientTool | undefined
  /**
   * The final answer must be JSON that fits: a Standard Schema (zod, valibot) or a JSON Schema. One that does not is asked
   * for again, once; then the run has failed with `RUN_BAD_OUTPUT`. The result has the value as `output`. Beats
   * `<config output>` of a document.
   */
  outputSchema?: StandardSchema | JsonSchema | undefined
  /** For an `outputSchema` that cannot write itself as JSON Schema; it goes to the model and checks nothing. */
  outputJsonSchema?: JsonSchema | undefined
  /** Writes the summaries of older turns; the model itself by default. */
  summaryModel?: string | LanguageModelV3 | Model | undefined
  /** Something that a person should know: a repair, a retry, the demo model. */
  notice?: Notice | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  now?: (() => number) | undefined
}

/** How a document is run. Everything has a default; what is given here beats what the document says. */
export interface RunOptions extends SharedOptions {
  /**
   * The name of the run, unique among those of the document; made up where it is left out. A run that an earlier process
   * left unfinished is continued under its own.
   */
  id?: string | undefined
  /**
   * Where the document and its runs are kept; the path is then that of the document in it. `folderStore` of the file's folder
   * by default.
   */
  store?: Store | undefined
  /** A name (`openai:gpt-4o`), a model of the AI SDK, or a `Model`. */
  model?: string | LanguageModelV3 | Model | undefined
  syntax?: string | undefined
  /**
   * A message of the user to be added before the run: a text, or `userMessage(text, files)`. One with an id that the document
   * has already is not added again.
   */
  input?: string | Message | undefined
  /** Questions that wait when the input comes are denied with its words; otherwise their calls are ended as not run. */
  inputDenies?: boolean | undefined
  /** The values of the parameters that the document declares, by name; see `<config params>`. */
  params?: Readonly<Record<string, string>> | undefined
  /**
   * Asks a person for the value of a parameter that has none; undefined where they do not say. Without it a missing value
   * fails the run.
   */
  askParam?: ((name: string) => Promise<string | undefined>) | undefined
  /** The transcript goes here; the document itself stays as it is. */
  output?: string | undefined
  /** A policy that can only make the run stricter than it would be. */
  approveAtMost?: ApprovalPolicy | undefined
  /**
   * Lets calls of the document itself run for a while that only the policy would ask about, as long as they stay inside a folder.
   * Rules, trust, projects, unconfined programs and calls of unknown origin are asked about as always.
   */
  relax?: FindRelaxation | undefined
  /** Tools in code: a `<tool name>` of the document that no built-in has, and nothing else, may name them. */
  tools?: readonly Tool[] | undefined
  /**
   * Reads what the document and its agents name (`<doc>`, `<img>`, `<import>`, `<agent>`), in place of the disk and the web
   * (`createResolver` of `@argot/agent/workshop`); what it may read is then for it to say. Files that Argot wrote beside the
   * document are read as always.
   */
  resolver?: Resolver | undefined
  /** More folders that tools and `<doc local>` may use. */
  allowPaths?: readonly string[] | undefined
  allowPrivateAddresses?: boolean | readonly string[] | undefined
  /**
   * The editor around the run. File tools read and write through it, after all checks; programs run in its terminal if no
   * sandbox confines them.
   */
  editor?: { files?: EditorFiles | undefined; terminal?: EditorTerminal | undefined } | undefined
  /** Commands of the document may be offered to the model without asking. */
  allowExec?: boolean | undefined
  /** Whether the programs of commands are confined; `auto` where it is left out: where that works. */
  sandbox?: SandboxMode | undefined
  /** Asks whether a command of this document may be offered. A yes is remembered, `once` is not. Without it they are not. */
  trust?: ((question: TrustQuestion) => Promise<boolean | 'once'>) | undefined
  /** Where a yes is remembered; `createTrustStore` (of `@argot/agent/workshop`) in the config folder by default. */
  trustStore?: TrustStore | undefined
  /**
   * Leave out tools that nobody can be asked about, or that cannot be reached, instead of failing: a run without one of
   * its tools is another run.
   */
  skipUntrusted?: boolean | undefined
  /** Files of JavaScript whose tools are offered besides those of the document; the user is asked about them as about commands. */
  toolModules?: readonly string[] | undefined
  /** Variables, besides `ARGOT_MCP_…`, whose values the document may have sent to MCP servers as tokens. */
  allowEnv?: readonly string[] | undefined
  /** Read everything that answered turns bring in again, instead of sending what was sent. */
  refresh?: boolean | undefined
  /** `false`: agents in the text are asked again, whatever they answered before. */
  cache?: boolean | undefined
  /** How long an answer of an agent counts, in milliseconds; 30 days by default. */
  cacheMs?: number | undefined
  /** Wait for another run on the same file instead of failing. */
  waitForLock?: boolean | undefined
  /** How many milliseconds to wait for it before the run fails with `RUN_LOCKED`; one hour by default. */
  lockWaitMs?: number | undefined
  /** Take the document from a process on another machine or in another container without waiting for it to fall silent. */
  takeOver?: boolean | undefined
  /** How many runs of other processes led to this one, such as calls through `argot mcp serve`. They count as agents around it. */
  depth?: number | undefined
  signal?: AbortSignal | undefined
  /**
   * What happens to a call that a crash interrupted while its tool was changing something: `ask` a person, or `tell` the
   * model that its effect is unknown. `tell` by default if `approve` is `all`, so that a run without a person does not
   * wait for one; else `ask`.
   */
  interrupted?: InterruptedMode | undefined
  /** Aborted when this process leaves the run as it is: it is not over, and the next process continues it. */
  leave?: AbortSignal | undefined
  /**
   * Called once, before anything is started, with what is doubtful about the document: what `checkDocument` warns about.
   * `sources` has the texts that the places are in, by file.
   */
  warn?: ((warnings: readonly Diagnostic[], sources: ReadonlyMap<string | undefined, string>) => void) | undefined
  /** Called once the model and the syntax are chosen, before the first chunk. */
  chosen?: ((about: { model: string; syntax: string }) => void) | undefined
  cwd?: string | undefined
  /**
   * False where documents are not files and this process has no folder for them: tools that need files or programs are then
   * refused.
   */
  hasFolder?: boolean | undefined
  /** The folder for what the user trusts and sets; `~/.config/argot` by default. */
  configFolder?: string | undefined
  /** Waits before a retry; ends early when the signal is aborted. */
  pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/** A run: its chunks, once, and how it ended. */
export interface Run<Output = unknown> extends AsyncIterable<Chunk> {
  /** Of a run that an earlier process left unfinished, the id that it has had since then: known with the first chunk. */
  readonly id: string
  /** Settles when the run is over, even when nobody reads the chunks to the end. Never rejects. */
  readonly result: Promise<RunResult<Output>>
  /**
   * The answer, for programs that need nothing else. Rejects with an `ArgotError` if there is none: the code and the message
   * of a failed run, `RUN_STOPPED`, or `RUN_PARKED`. With an `outputSchema` it is the answer's text, and `result` has the value.
   * If no one awaits it, nothing happens.
   */
  readonly text: Promise<string>
  /** Ends the run; what was said so far is kept. A second stop changes nothing. */
  stop(reason?: string): void
  /**
   * Answers a question of this run. False for one that does not wait, for a second answer, and for what is not an answer.
   */
  answer(approvalId: string, answer: ApprovalAnswer): boolean
  /**
   * Sends a message to the run while it works: a text, or `userMessage(text, files)`. It joins at the next step, and what the
   * run asks meanwhile is denied with its text. Resolves with true once it is part of the conversation, and with false if the
   * run ended without it: send it as the next input then. `result.messages` has it at its place.
   */
  steer(input: string | Message): Promise<boolean>
  /** Gives the output of a call of a client tool. False for a second one, and for what is not one. */
  giveOutput(toolCallId: string, output: ClientOutput): boolean
  /**
   * The lines of the run's log from an offset on, and those to come, until the run has ended; a parked run has not. Any
   * number of readers may follow, and one that leaves stops nothing. Throws `RUN_NO_LOG` for a run that keeps none.
   */
  follow(from?: number, signal?: AbortSignal): AsyncIterable<LogLine>
}

/** How a run ended. */
export type RunResult<Output = unknown> = {
  /** The final answer as text; after a stop or a failure what there is of it. */
  text: string
  /** Tokens of this run from its first step on, agents inside its calls included; nothing where no model was asked. */
  usage?: Usage
  /**
   * Everything that the run has said, with the messages of `steer` in between; `message` is the last of them. None if the run
   * ended before it began. For a conversation in memory: the next `run` gets them after those of this one.
   */
  messages?: readonly Message[]
  /** What it cost, where a price is known. */
  cost?: number
  /** Model calls of this run from its first step on, also those of earlier processes. */
  steps?: number
  /** Why the model stopped: `stop` at the end of an answer, `length` and `content-filter` before it. */
  finishReason?: FinishReason
} /**
 * `message`: what the assistant said; none where a run was stopped or failed before it began. `output`: what the answer
 * holds, where an `outputSchema` was given.
 */ & (
  | { status: 'done'; message: Message; output?: Output }
  | { status: 'parked'; message: Message }
  | { status: 'stopped'; message?: Message }
  /**
   * The model failed, or ended without a complete answer; a limit was reached; or the document cannot be run. Running
   * the document again continues it.
   */
  | { status: 'failed'; message?: Message; code: ErrorCode; error: string; diagnostics?: readonly Diagnostic[] }
)
