import type { LanguageModelV3 } from '@ai-sdk/provider'
import { type Message, userMessage } from '@argot/core'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import type { Ask } from '../approval/approval.ts'
import { ApprovalSigner } from '../approval/approval-signer.ts'
import { RuleBook } from '../approval/rule-book.ts'
import { createAnswerFormat } from '../loop/answer/answer-format.ts'
import { OpenMessage } from '../loop/open-message.ts'
import { planBudget, planTalk } from '../loop/plan.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import { collectRules } from '../settings/collect-rules.ts'
import { defaultSyntax } from '../settings/default-syntax.ts'
import type { SchemaOutput, StandardSchema } from '../tool/schema/standard-schema.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import { openToolbox } from '../tool/toolbox.ts'
import { findContinuation } from './continuation.ts'
import { openRun } from './open-run.ts'
import { readAnswers } from './read-answers.ts'
import type { Run, SharedOptions } from './run-options.ts'
import { newRunId, startRun } from './start-run.ts'
import { toModel } from './to-model.ts'

/** This many are remembered; the oldest is forgotten first. */
const REMEMBERED = 100_000

export interface AgentOptions extends SharedOptions {
  /** A name (`openai:gpt-4o`, `demo`), a model of the AI SDK, or a `Model`. */
  model: string | LanguageModelV3 | Model
  /** What the model may call, as tools or as sources of them (`mcp`); nothing else is callable. */
  tools?: readonly (Tool | ToolSource)[] | undefined
  /** How calls are written: `native` where the model has calls of its own, else `xml`. */
  syntax?: string | Syntax | undefined
  system?: string | undefined
  /**
   * Called before a call runs that was approved in a message; true the first time for each id. This process remembers
   * them by default; several processes need a place that they share.
   */
  claimApproval?: ((id: string) => boolean | Promise<boolean>) | undefined
  settings?: ModelSettings | undefined
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
): Agent<SchemaOutput<Schema>>
export function createAgent<Output = unknown>(options: AgentOptions): Agent<Output>
export function createAgent(options: AgentOptions): Agent {
  const { now = Date.now, env = process.env, system, approvalKey } = options
  const signer = approvalKey === undefined ? undefined : new ApprovalSigner(approvalKey)
  const used = new UsedApprovals()
  const { outputSchema, outputJsonSchema } = options
  const answer = outputSchema && createAnswerFormat(outputSchema, outputJsonSchema)
  const claim = options.claimApproval ?? (one => used.claim(one))
  return {
    run(input, { signal, ask = options.ask } = {}) {
      const id = newRunId(now())
      return startRun(id, { signal, env }, async context => {
        context.opened('none')
        const model = await toModel(options.model, { env })
        if (model.notice !== undefined) options.notice?.(model.notice)
        const { summaryModel } = options
        const summariser =
          summaryModel === undefined ? undefined : { model: await toModel(summaryModel, { env }), price: undefined }
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
        const policy = options.approve ?? 'ask'
        const syntax = typeof named === 'string' ? syntaxes.get(named) : named
        const open = continued && (await readAnswers(continued, { signer, claim }))
        const plan = {
          messages: system === undefined ? history : [systemMessage(system), ...history],
          continued: open && new OpenMessage(open.message, open.origin),
          messageId: continued?.id ?? `msg-${id}`,
          tools: toolbox,
          talk: planTalk({ model, syntax, settings: options.settings ?? {}, answer, summariser }, options),
          rules: new RuleBook({ policy, path: env.PATH, ...collectRules({ flag: options.rules }) }),
          budget: planBudget(options),
          answer,
        }
        try {
          return await openRun(plan, undefined, { ...options, ask }, context)
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
