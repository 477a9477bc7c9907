import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from '@ai-sdk/provider'
import type { ToolDefinition } from '../message/tool-definition.ts'
import { defined } from '../source/defined.ts'
import { auto, createAuto } from '../syntax/auto.ts'
import { syntaxes } from '../syntax/registry.ts'
import type { Syntax } from '../syntax/syntax.ts'
import { toTextPrompt } from './prompt/text-prompt.ts'
import { contentParts, replyContent } from './reply/reply-content.ts'
import { TextReply } from './reply/text-reply.ts'

export interface TextSyntaxOptions {
  /** Makes ids for calls that have none in the syntax; random by default. */
  nextId?: ((toolName: string) => string) | undefined
}

/**
 * A middleware for any AI SDK version: `LanguageModelMiddleware` in `ai` 6 and `ai` 7. The parameters and results are
 * those of the wrapped model.
 */
export interface TextSyntaxMiddleware {
  readonly specificationVersion: 'v3'
  wrapGenerate<Params extends object, Result extends object>(options: {
    params: Params
    model: { doGenerate(params: Params): PromiseLike<Result> }
  }): Promise<Result>
  wrapStream<Params extends object, Result extends object>(options: {
    params: Params
    model: { doStream(params: Params): PromiseLike<Result> }
  }): Promise<Result>
}

interface TextCall {
  params: LanguageModelV3CallOptions
  reply: TextReply | undefined
}

/**
 * For the AI SDK's `wrapLanguageModel`: adds tool calls to a model that has none, in a syntax by name or your own. The
 * system prompt teaches the model its tools, and its text is read for calls and reasoning. If a call is wrong, the
 * model gets an error in the syntax's words. `native` changes nothing. Throws `SYNTAX_UNKNOWN` for an unknown name.
 */
export function textSyntaxMiddleware(
  syntax: string | Syntax,
  { nextId = randomId }: TextSyntaxOptions = {},
): TextSyntaxMiddleware {
  const resolvedSyntax = typeof syntax === 'string' ? syntaxes.get(syntax) : syntax
  return {
    specificationVersion: 'v3',
    async wrapGenerate({ params, model }) {
      if (resolvedSyntax.kind === 'native') return model.doGenerate(params)
      const { params: textParams, reply } = textCall(params as LanguageModelV3CallOptions, resolvedSyntax, nextId)
      const result = await model.doGenerate(textParams as typeof params)
      return reply === undefined ? result : { ...result, ...readResult(result as LanguageModelV3GenerateResult, reply) }
    },
    async wrapStream({ params, model }) {
      if (resolvedSyntax.kind === 'native') return model.doStream(params)
      const { params: textParams, reply } = textCall(params as LanguageModelV3CallOptions, resolvedSyntax, nextId)
      const result = await model.doStream(textParams as typeof params)
      if (reply === undefined) return result
      const { stream } = result as LanguageModelV3StreamResult
      return { ...result, stream: stream.pipeThrough(createReplyTransform(reply)) }
    },
  }
}

function readResult(
  { content, finishReason, usage }: LanguageModelV3GenerateResult,
  reply: TextReply,
): Pick<LanguageModelV3GenerateResult, 'content' | 'finishReason'> {
  const parts = [...contentParts(content)].flatMap(part => reply.push(part))
  const last = reply.push({ type: 'finish', finishReason, usage })
  const finish = last.find(part => part.type === 'finish')
  return { content: replyContent([...parts, ...last]), finishReason: finish?.finishReason ?? finishReason }
}

function textCall(
  params: LanguageModelV3CallOptions,
  baseSyntax: Syntax,
  nextId: (toolName: string) => string,
): TextCall {
  const { toolChoice, ...rest } = params
  // A JSON answer must not be mistaken for a call that has no mark.
  const syntax =
    baseSyntax === auto && params.responseFormat?.type === 'json' ? createAuto({ bare: false }) : baseSyntax
  const all = params.tools ?? []
  const tools = all.filter(tool => tool.type === 'function').map(toDefinition)
  const others = all.filter(tool => tool.type !== 'function')
  const teach = tools.length > 0 && toolChoice?.type !== 'none'
  const isOther = toolChoice?.type === 'tool' && others.some(tool => tool.name === toolChoice.toolName)
  const demand = teach && !isOther ? toDemand(toolChoice) : undefined
  const textParams: LanguageModelV3CallOptions = {
    ...rest,
    prompt: toTextPrompt(params.prompt, { syntax, tools, teach, demand }),
    ...defined({
      toolChoice: isOther ? toolChoice : undefined,
      stopSequences: teach ? joinStops(params.stopSequences, syntax) : params.stopSequences,
    }),
  }
  if (others.length > 0) textParams.tools = others
  else delete textParams.tools
  return { params: textParams, reply: teach ? new TextReply({ syntax, tools, step: 0, nextId }) : undefined }
}

/** Makes the server stop where the model would start to write results itself. Most servers accept four stop texts. */
function joinStops(own: string[] = [], { stop = [] }: Syntax): string[] | undefined {
  const stops = [...new Set([...own, ...stop])].slice(0, Math.max(4, own.length))
  return stops.length === 0 ? undefined : stops
}

function toDefinition({ name, description, inputSchema }: LanguageModelV3FunctionTool): ToolDefinition {
  return { name, inputSchema: inputSchema as unknown as ToolDefinition['inputSchema'], ...defined({ description }) }
}

/** Asks the model for what a provider would enforce. */
function toDemand(choice: LanguageModelV3CallOptions['toolChoice']): string | undefined {
  if (choice?.type === 'required') return 'Your next message must contain a tool call.'
  if (choice?.type === 'tool') return `Your next message must contain a call of the tool \`${choice.toolName}\`.`
  return undefined
}

function createReplyTransform(reply: TextReply): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      for (const one of reply.push(part)) controller.enqueue(one)
    },
    flush(controller) {
      for (const one of reply.end()) controller.enqueue(one)
    },
  })
}

function randomId(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return `call_${Array.from({ length: 16 }, () => alphabet[Math.floor(Math.random() * alphabet.length)]).join('')}`
}
