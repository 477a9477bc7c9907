import type { LanguageModelV3 } from '@ai-sdk/provider'
import { type JsonSchema, type Message, userMessage } from '@argot/core'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import type { CallLimit } from '@argot/core/syntax/internal'
import type { ApprovalPolicy, Ask } from '../approval/approval.ts'
import { ApprovalSigner } from '../approval/approval-signer.ts'
import type { RuleTexts } from '../approval/rule.ts'
import { RuleBook } from '../approval/rule-book.ts'
import { createAnswerFormat } from '../loop/answer/answer-format.ts'
import type { RunClientTool } from '../loop/calls/client-outputs.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import { collectRules } from '../settings/collect-rules.ts'
import { defaultSyntax } from '../settings/default-syntax.ts'
import type { OutputOf, StandardSchema } from '../tool/schema/standard-schema.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import { openToolbox } from '../tool/toolbox.ts'
import type { Price } from '../words/price.ts'
import { findContinuation } from './continuation.ts'
import { toModel } from './model-and-limit.ts'
import { openRun } from './open-run.ts'
import { readAnswers } from './read-answers.ts'
import type { Run } from './run-options.ts'
import { newRunId, startRun } from './start-run.ts'

/** This many are remembered; the oldest is forgotten first. */
const REMEMBERED = 100_000

export interface AgentOptions {
  /** A name (`openai:gpt-4o`, `demo`), a model of the AI SDK, or a `Model`. */
  model: string | LanguageModelV3 | Model
  /** What the model may call, as tools or as sources of them (`mcp`); nothing else is callable. */
  tools?: readonly (Tool | ToolSource)[] | undefined
  /** How calls are written: `native` where the model has calls of its own, else `xml`. */
  syntax?: string | Syntax | undefined
  /** How many calls one message may hold; as the syntax says where it is left out. */
  limit?: CallLimit | undefined
  system?: string | undefined
  /** `ask` by default: calls that only read run, about others `ask` is asked. */
  approve?: ApprovalPolicy | undefined
  /** Rules by argument, before the policy decides. */
  rules?: RuleTexts | undefined
  /**
   * Signs what is asked, for conversations that come back from a browser: an answer in a message counts only if its
   * question was signed with this key, for this call and this input. Without it whoever calls `run` vouches for them.
   */
  approvalKey?: string | Uint8Array | undefined
  /**
   * Called before a call runs that was approved in a message; true the first time for each id. This process remembers
   * them by default; several processes need a place that they share.
   */
  claimApproval?: ((id: string) => boolean | Promise<boolean>) | undefined
  /** Asks a person; with `wait` the answers come through `run.answer`. */
  ask?: Ask | 'wait' | undefined
  /** Runs calls of client tools; without it the run is parked at them, or waits where `ask` is `wait`. */
  runClientTool?: RunClientTool | undefined
  maxSteps?: number | undefined
  /** Tokens, in and out, after which no further step is started. */
  tokenBudget?: number | undefined
  /** How long a model may be silent before its call is given up, in milliseconds; two minutes by default. */
  idleMs?: number | undefined
  /** How long one reply of a model may take in all, in milliseconds; 30 minutes by default, `Infinity` for no limit. */
  replyMs?: number | undefined
  /** How many characters one reply of a model may have; 8,388,608 (8 MiB) by default. */
  replyLength?: number | undefined
  /** How long a run may work, in milliseconds; 24 hours by default. The time in which it waits for a person does not count. */
  runMs?: number | undefined
  settings?: ModelSettings | undefined
  /** Read calls that the model leaks into its text although it has calls of its own; a name says in which dialect. */
  salvage?: boolean | string | undefined
  /**
   * The final answer must be JSON that fits: a Standard Schema (zod, valibot) or a JSON Schema. One that does not is asked
   * for again, once; then the run has failed with `RUN_BAD_OUTPUT`. The result has the value as `output`.
   */
  outputSchema?: StandardSchema | JsonSchema | undefined
  /** For an `outputSchema` that cannot write itself as JSON Schema; it goes to the model and checks nothing. */
  outputJsonSchema?: JsonSchema | undefined
  price?: Price | undefined
  notice?: ((text: string) => void) | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  now?: (() => number) | undefined
}

export interface AgentRunOptions {
  signal?: AbortSignal | undefined
  ask?: Ask | 'wait' | undefined
}

/** A model with its tools, in memory. */
export interface Agent<Output = unknown> {
  /** Answers a text, or continues a conversation. The run starts at once, whether its chunks are read or not. */
  run(input: string | readonly Message[], options?: AgentRunOptions): Run<Output>
}

/** Makes an agent that keeps nothing: the caller has the messages. `runDocument` keeps them in a file. */
export function createAgent<Schema extends StandardSchema>(
  options: AgentOptions & { outputSchema: Schema },
): Agent<OutputOf<Schema>>
export function createAgent<Output = unknown>(options: AgentOptions): Agent<Output>
export function createAgent(options: AgentOptions): Agent {
  const { now = Date.now, env = process.env, system, approvalKey } = options
  const signer = approvalKey === undefined ? undefined : new ApprovalSigner(approvalKey)
  const used = new UsedApprovals()
  const { outputSchema, outputJsonSchema } = options
  const format = outputSchema && createAnswerFormat(outputSchema, outputJsonSchema)
  const claim = options.claimApproval ?? (one => used.claim(one))
  return {
    run(input, { signal, ask = options.ask } = {}) {
      const id = newRunId(now())
      return startRun(id, { signal, env }, async context => {
        context.opened('none')
        const model = await toModel(options.model, { env })
        if (model.notice !== undefined) options.notice?.(model.notice)
        const named = options.syntax ?? defaultSyntax(model.nativeTools)
        const messages = typeof input === 'string' ? [userMessage(input)] : input
        const where = findContinuation(messages.map(message => ({ message, sent: true })))
        const { history, continued } = where ?? { history: [...messages] }
        // Not the signal of the caller: clients of servers never take their listeners off.
        const { signal: own } = context
        const toolbox = await openToolbox(options.tools ?? [], {
          env,
          notice: options.notice ?? (() => {}),
          signal: own,
        })
        const setup = {
          model,
          syntax: typeof named === 'string' ? syntaxes.get(named) : named,
          toolbox,
          policy: options.approve ?? 'ask',
          rules: new RuleBook({
            policy: options.approve ?? 'ask',
            path: env.PATH,
            ...collectRules({ flag: options.rules }),
          }),
          settings: options.settings ?? {},
          maxSteps: options.maxSteps ?? 50,
          history: system === undefined ? history : [systemMessage(system), ...history],
          continued: continued && (await readAnswers(continued, { signer, claim })),
          messageId: continued?.id ?? `msg-${id}`,
          format,
        }
        try {
          return await openRun(setup, { ...options, ask }, context)
        } finally {
          await toolbox.close()
        }
      })
    },
  }
}

function systemMessage(text: string): Message {
  return {
    id: 'system',
    role: 'system',
    status: 'sent',
    parts: [{ type: 'text', id: 'system:0', text, state: 'done' }],
  }
}

/** Remembers, in this process, which answers have been used: each is good for one run of its call. */
class UsedApprovals {
  readonly #used: Set<string> = new Set()

  /** True the first time. */
  claim(id: string): boolean {
    if (this.#used.has(id)) return false
    this.#used.add(id)
    if (this.#used.size > REMEMBERED) this.#used.delete(this.#used.values().next().value!)
    return true
  }
}
