import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { Message } from 'argot'
import { type Syntax, syntaxes } from 'argot/syntax'
import type { ApprovalPolicy, Ask } from '../approval/approval.ts'
import { createApprovals } from '../approval/approvals.ts'
import { Loop } from '../loop/loop.ts'
import { OpenMessage } from '../loop/open-message.ts'
import type { Price } from '../loop/spending.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import { createRedactor } from '../tool/redact.ts'
import type { Tool } from '../tool/tool.ts'
import { callLimit, salvageSyntaxes, toModel } from './choose.ts'
import { whereToGoOn } from './go-on.ts'
import type { Run } from './run-options.ts'
import { newRunId, startRun, toRunResult, wait } from './start-run.ts'

export interface AgentOptions {
  /** A name (`openai:gpt-4o`, `demo`), a model of the AI SDK, or a `Model`. */
  model: string | LanguageModelV3 | Model
  /** What the model may call; nothing else is callable. */
  tools?: readonly Tool[]
  /** How calls are written: `native` where the model has calls of its own, else `xml`. */
  syntax?: string | Syntax
  system?: string
  /** `ask` by default: calls that only read run, about others `ask` is asked. */
  approve?: ApprovalPolicy
  ask?: Ask
  maxSteps?: number
  /** Tokens, in and out, after which no further step is started. */
  maxTokens?: number
  settings?: ModelSettings
  salvage?: boolean | readonly string[]
  price?: Price
  notice?: (text: string) => void
  env?: Readonly<Record<string, string | undefined>>
  now?: () => number
}

export interface AgentRunOptions {
  signal?: AbortSignal
  ask?: Ask
}

/** A model with its tools, in memory. */
export interface Agent {
  /** Answers a text, or goes on with a conversation. The run starts at once, whether its chunks are read or not. */
  run(input: string | readonly Message[], options?: AgentRunOptions): Run
}

/** Makes an agent that keeps nothing: the caller has the messages. `runDocument` keeps them in a file. */
export function createAgent(options: AgentOptions): Agent {
  const { now = Date.now, env = process.env } = options
  return {
    run(input, { signal: outer, ask = options.ask } = {}) {
      const id = newRunId(now())
      return startRun(id, outer, async ({ chunks, signal }) => {
        const model = await toModel(options.model, { env })
        if (model.notice !== undefined) options.notice?.(model.notice)
        const named = options.syntax ?? (model.nativeTools ? 'native' : 'xml')
        const syntax = typeof named === 'string' ? syntaxes.get(named) : named
        const messages = typeof input === 'string' ? [userMessage(`user-${id}`, input)] : input
        const where = whereToGoOn(messages.map(message => ({ message, pieces: [], sent: true })))
        const { history, continued } = where ?? { history: [...messages] }
        const salvage = salvageSyntaxes(options.salvage)
        const loop = new Loop({
          ...{ model, syntax, chunks, signal, now, wait },
          limit: callLimit(syntax),
          tools: new Map(options.tools?.map(tool => [tool.name, tool])),
          messages: options.system === undefined ? history : [systemMessage(options.system), ...history],
          messageId: continued?.id ?? `msg-${id}`,
          settings: options.settings ?? {},
          maxSteps: options.maxSteps ?? 50,
          approvals: createApprovals({ policy: options.approve ?? 'ask', ...(ask === undefined ? {} : { ask }) }),
          redact: createRedactor(env),
          notice: options.notice ?? (() => {}),
          ...(options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens }),
          ...(options.price === undefined ? {} : { price: options.price }),
          ...(salvage === undefined ? {} : { salvage }),
          ...(continued === undefined ? {} : { continued: new OpenMessage(continued, undefined) }),
        })
        return toRunResult(await loop.run())
      })
    },
  }
}

export function userMessage(id: string, text: string, createdAt?: string): Message {
  const created = createdAt === undefined ? {} : { createdAt }
  return { id, role: 'user', status: 'sent', parts: [{ type: 'text', id: `${id}:0`, text, state: 'done' }], ...created }
}

function systemMessage(text: string): Message {
  return {
    id: 'system',
    role: 'system',
    status: 'sent',
    parts: [{ type: 'text', id: 'system:0', text, state: 'done' }],
  }
}
