import type { LanguageModelV3FunctionTool, LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { Message, MessagePart } from '../message/message.ts'
import type { ToolDefinition } from '../message/tool-definition.ts'
import { defined } from '../source/defined.ts'
import { native } from '../syntax/native.ts'
import type { Syntax } from '../syntax/syntax.ts'
import { createLesson } from './lesson.ts'
import { isAnswer, isBrokenOff, isCutShort, stepsOf } from './message-steps.ts'
import { NativeHistory } from './native-history.ts'
import { type PromptFileOptions, promptFile } from './prompt-file.ts'
import { providerOptions } from './provider-options.ts'
import { TextHistory } from './text-history.ts'

export interface PromptOptions extends PromptFileOptions {
  syntax: Syntax
  tools: readonly ToolDefinition[]
  /** The last message is an answer that reached the token limit: the model is asked for the rest of it. */
  isCut?: boolean | undefined
}

/** What is sent to a model. */
export interface Prompt {
  prompt: LanguageModelV3Prompt
  /** The tools for a provider with native calls; a text syntax teaches them in the prompt. */
  tools?: LanguageModelV3FunctionTool[]
  /** The system message about tools that no document wrote; it is the first one. */
  added: string | undefined
}

type UserContent = Extract<LanguageModelV3Message, { role: 'user' }>['content']

/**
 * The conversation as a model is sent it. Every call has a result; what a model wrote past the limit is left out, and so
 * is a step that broke off without a call and was made again, or will be.
 *
 * `{{tools}}` and `{{syntax}}` in system and developer messages are filled for a text syntax; without them the tools are
 * described in a message of their own. With native calls, or without tools, there is nothing to say in their place and
 * they are removed. In any other message they are text. A system message after others stays there for providers that
 * take it there, and goes to the front for the rest.
 */
export async function buildPrompt(messages: readonly Message[], options: PromptOptions): Promise<Prompt> {
  const { syntax, tools } = options
  const isNative = syntax === native
  const { added, fill } = createLesson(syntax, tools, messages.filter(isSystem).map(textOf))
  const history = isNative
    ? new NativeHistory(new Set(tools.map(tool => tool.name)), options)
    : new TextHistory(syntax, tools, options)

  const prompt: LanguageModelV3Prompt = added === undefined ? [] : [{ role: 'system', content: added }]
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      const steps = stepsOf(message.parts).filter((step, at, all) => at === all.length - 1 || !isCutShort(step))
      const isLast = index === messages.length - 1
      const isContinued = isLast && options.isCut === true && isAnswer(steps.at(-1))
      if (isLast && !isContinued && isBrokenOff(message, steps.at(-1))) steps.pop()
      for (const [at, step] of steps.entries()) {
        prompt.push(...(await history.step(step)))
        // Only an answer that was cut has a step after it.
        if (at < steps.length - 1 ? isAnswer(step) : isContinued) prompt.push(goOn)
      }
      continue
    }
    let { parts } = message
    if (isSystem(message)) {
      const filled = fill(textOf(message))
      if (filled.trim() !== '') prompt.push({ role: 'system', content: filled })
      // A system message is text alone.
      parts = parts.filter(part => part.type === 'file')
    }
    const content = await userContent(parts, options)
    if (content.length > 0) prompt.push({ role: 'user', content })
  }
  return {
    prompt: needsSystemFirst(options) ? systemFirst(prompt) : prompt,
    added,
    ...defined({ tools: isNative && tools.length > 0 ? tools.map(toFunctionTool) : undefined }),
  }
}

/** Asks for the rest of an answer that reached the token limit. */
const goOn: LanguageModelV3Message = {
  role: 'user',
  content: [
    {
      type: 'text',
      text: 'Your answer reached the token limit and was cut. Continue exactly where it ends. Repeat nothing of it, and do not comment on this.',
    },
  ],
}

function toFunctionTool({ name, description, inputSchema }: ToolDefinition): LanguageModelV3FunctionTool {
  const schema = inputSchema as unknown as LanguageModelV3FunctionTool['inputSchema']
  return { type: 'function', name, inputSchema: schema, ...defined({ description }) }
}

function isSystem({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

function textOf({ parts }: Message): string {
  let text = ''
  for (const part of parts) if (part.type === 'text') text += part.text
  return text
}

async function userContent(parts: readonly MessagePart[], options: PromptOptions): Promise<UserContent> {
  const content: UserContent = []
  for (const part of parts) {
    if (part.type === 'file') content.push(await promptFile(part, options))
    else if (part.type === 'text' && part.text.trim() !== '') {
      content.push({ type: 'text', text: part.text, ...providerOptions(part.providerMetadata) })
    }
  }
  return content
}

/** OpenAI takes a system message at its place. Others, and the templates of many open models, take it first or not at all. */
function needsSystemFirst({ language }: PromptOptions): boolean {
  return !/^(?:openai|azure)[.-](?!compatible)/.test(language.provider)
}

function systemFirst(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const system = prompt.filter(message => message.role === 'system')
  return [...system, ...prompt.filter(message => message.role !== 'system')]
}
