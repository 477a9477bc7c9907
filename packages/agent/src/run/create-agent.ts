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

/** The oldest are forgotten first. */
const REMEMBERED_APPROVALS = 100_000

export interface AgentOptions extends SharedOptions {
  /** A name (`openai:gpt-4o`, `demo`), an AI SDK model, or a `Model`. */
  model: string | LanguageModelV3 | Model
  /** What the model may call, as tools or as sources of tools (`mcp`). Nothing else is callable. */
  tools?: readonly (Tool | ToolSource)[] | undefined
  /** How calls are written: `native` by default if the model has native calls, else `xml`. */
  syntax?: string | Syntax | undefined
  system?: string | undefined
  /**
   * Called before a call runs that was approved in a message. Returns true the first time for each id. By default, this
   * process remembers the ids; several processes need shared storage.
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
  /** Answers a text, or continues a conversation. The run starts immediately, even if its chunks aren't read. */
  run(input: string | readonly Message[], options?: AgentRunOptions): Run<Output>
}

/** Creates an agent that stores nothing: the caller has the messages. `runDocument` stores them in a file. */
export function createAgent<Schema extends StandardSchema>(
  options: AgentOptions & { outputSchema: Schema },
): Agent<SchemaOutput<Schema>>
export function createAgent<Output = unknown>(options: AgentOptions): Agent<Output>
export function createAgent(options: AgentOptions): Agent {
  const { now = Date.now, env = process.env, system, approvalKey } = options
  const signer = approvalKey === undefined ? undefined : new ApprovalSigner(approvalKey)
  const usedApprovals = new UsedApprovals()
  const { outputSchema, outputJsonSchema } = options
  const answer = outputSchema && createAnswerFormat(outputSchema, outputJsonSchema)
  const claim = options.claimApproval ?? (one => usedApprovals.claim(one))
  return {
    run(input, { signal, ask = options.ask } = {}) {
      const id = newRunId(now())
      return startRun(id, { signal, env }, async context => {
        context.reportLog('none')
        const model = await toModel(options.model, { env })
        if (model.notice !== undefined) options.notice?.(model.notice)
        const { summaryModel } = options
        const summariser =
          summaryModel === undefined ? undefined : { model: await toModel(summaryModel, { env }), price: undefined }
        const syntaxName = options.syntax ?? defaultSyntax(model.nativeTools)
        const messages = typeof input === 'string' ? [userMessage(input)] : input
        const continuation = findContinuation(messages.map(message => ({ message, sent: true })))
        const { history, continued } = continuation ?? { history: [...messages] }
        // Not the caller's signal: HTTP clients never remove their listeners.
        const { signal: runSignal } = context
        const toolbox = await openToolbox(options.tools ?? [], {
          env,
          notice: options.notice ?? (() => {}),
          signal: runSignal,
        })
        const policy = options.approve ?? 'ask'
        const syntax = typeof syntaxName === 'string' ? syntaxes.get(syntaxName) : syntaxName
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

/** In this process only. Each approval is valid for one run of its call. */
class UsedApprovals {
  readonly #ids: Set<string> = new Set()

  /** True the first time. */
  claim(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    if (this.#ids.size > REMEMBERED_APPROVALS) this.#ids.delete(this.#ids.values().next().value!)
    return true
  }
}
