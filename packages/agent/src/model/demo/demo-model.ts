import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { ArgotError, type JsonSchema, type ToolDefinition } from '@argot/core'
import type { Syntax } from '@argot/core/syntax'
import type { Model, ModelContext } from '../model.ts'
import { callParts, createScriptedLanguage, textParts } from '../scripted-language.ts'
import { demoInput } from './demo-input.ts'
import { tourStep } from './demo-tour.ts'
import { type DemoTurn, readTurn } from './demo-turn.ts'

const realModel =
  'For a real model, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY and choose a model with `--model` (such as `--model openai:gpt-5.4-mini`), or start Ollama and use `--model ollama:NAME`.'

const introduction = "I'm Argot's demo model. I don't understand what you write; I only show how tool calls work."

/** Per user message. */
const MAX_CALLS = 5

/**
 * A built-in model that needs no key and no network. It understands nothing: it calls the tools that the user's message
 * names, else one or two that only read, once, and then reports their results. The same conversation gives the same
 * reply. It says what it is, and how to get a real model.
 *
 * With native calls, it uses the tools passed with the call. To have it write calls in a text syntax, pass syntax and
 * tools here, or use `model.for`.
 */
export function createDemoModel(options: Partial<ModelContext> = {}): Model {
  return {
    name: 'demo',
    language: createDemoLanguage(options),
    nativeTools: true,
    settings: () => ({}),
    for: createDemoLanguage,
  }
}

function createDemoLanguage({ syntax, tools = [], answerSchema }: Partial<ModelContext>): LanguageModelV3 {
  return createScriptedLanguage('argot', 'demo', call => {
    const nativeCallTools = nativeTools(call, tools)
    if (nativeCallTools.length > 0 || syntax === undefined || syntax.kind === 'native')
      return answer(call, nativeCallTools, undefined, answerSchema)
    return answer(call, tools, syntax, answerSchema)
  })
}

/** The call's tools, with details that only Argot knows. */
function nativeTools({ tools = [], toolChoice }: LanguageModelV3CallOptions, definitions: readonly ToolDefinition[]) {
  if (toolChoice?.type === 'none') return []
  return tools.flatMap((tool): ToolDefinition[] => {
    if (tool.type !== 'function') return []
    const { name, inputSchema } = tool
    return [definitions.find(one => one.name === name) ?? { name, inputSchema: inputSchema as unknown as JsonSchema }]
  })
}

function* answer(
  { prompt }: LanguageModelV3CallOptions,
  tools: readonly ToolDefinition[],
  syntax: Syntax | undefined,
  answerSchema: JsonSchema | undefined,
): Generator<LanguageModelV3StreamPart> {
  const turn = readTurn(prompt, syntax)
  const tour = syntax === undefined && answerSchema === undefined ? tourStep(tools, turn) : undefined
  if (tour !== undefined) {
    yield* textParts('text', 'tour', tour.text)
    for (const [index, { toolName, input }] of tour.calls.entries()) {
      yield* callParts({ toolCallId: createCallId(turn, index + 1), toolName, input: JSON.stringify(input) })
    }
    return
  }
  const plannedCalls = planTools(tools, turn.request).flatMap(tool => {
    const input = demoInput(tool, turn.request)
    const callText =
      syntax === undefined ? JSON.stringify(input) : writeCall(syntax, tool, input, createCallId(turn, 1))
    return callText === undefined ? [] : [{ tool, callText }]
  })
  // Native calls are made together. A text syntax may allow only one call per message.
  const next =
    syntax === undefined
      ? turn.results.length > 0
        ? []
        : plannedCalls
      : plannedCalls.slice(turn.results.length).slice(0, 1)
  if (next.length === 0) {
    const reply = turn.results.length > 0 ? summary(turn) : greeting(tools, turn)
    yield* textParts('text', 'answer', answerSchema === undefined ? reply : inventAnswer(answerSchema, turn))
    return
  }
  for (const [index, { tool, callText }] of next.entries()) {
    const why = isNamed(tool.name, turn.request) ? 'because your message names it' : 'which only reads'
    const lead = `I'll call \`${tool.name}\`, ${why}.`
    if (syntax === undefined) {
      yield* textParts('text', `lead-${index + 1}`, lead)
      yield* callParts({ toolCallId: createCallId(turn, index + 1), toolName: tool.name, input: callText })
    } else yield* textParts('text', 'lead', `${lead}\n\n${callText}\n`)
  }
}

function inventAnswer(schema: JsonSchema, { request }: DemoTurn): string {
  const inputSchema = { type: 'object', properties: { answer: schema }, required: ['answer'] } as const
  const { answer: example } = demoInput({ name: 'answer', inputSchema }, request)
  const isObject = schema.type === 'object' && schema.properties !== undefined
  return JSON.stringify(isObject ? demoInput({ name: 'answer', inputSchema: schema }, request) : example)
}

function createCallId({ steps }: DemoTurn, number: number): string {
  return `demo-${steps + 1}-${number}`
}

/** The call in that syntax. Undefined for an input that the syntax can't carry. */
function writeCall(syntax: Syntax, tool: ToolDefinition, input: unknown, toolCallId: string): string | undefined {
  try {
    return syntax.format({ toolCallId, toolName: tool.name, input }, tool)
  } catch (error) {
    if (error instanceof ArgotError && error.code === 'SYNTAX_CANNOT_WRITE') return undefined
    throw error
  }
}

function planTools(tools: readonly ToolDefinition[], request: string): ToolDefinition[] {
  const namedTools = tools.filter(tool => isNamed(tool.name, request))
  return namedTools.length > 0 ? namedTools.slice(0, MAX_CALLS) : tools.filter(onlyReads).slice(0, 2)
}

function onlyReads({ name, effect }: ToolDefinition): boolean {
  if (effect !== undefined) return effect === 'read'
  return /^(?:read|get|list|search|find|grep|glob|look|show|query|count|describe|check)/i.test(name)
}

/** Both `read_file` and `read file` name `read_file`, but `thread files` doesn't. */
function isNamed(name: string, request: string): boolean {
  const toolWords = spaced(name)
  return toolWords.trim() !== '' && spaced(request).includes(toolWords)
}

function spaced(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
}

function greeting(tools: readonly ToolDefinition[], { isFirst }: DemoTurn): string {
  const names = tools.map(({ name }) => `\`${name}\``).join(', ')
  const next =
    tools.length === 0
      ? 'This document declares no tools, so I have nothing to call.'
      : `Name one of these tools in your message and I'll call it: ${names}.`
  return isFirst ? `${introduction} ${next}\n\n${realModel}` : next
}

function summary({ results, isFirst }: DemoTurn): string {
  const lines = results.map(({ toolName, status, text }) => {
    const first = text.trim().split('\n', 1)[0] ?? ''
    const quotedLine = first === '' ? '' : `: ${quote(first)}`
    if (status === 'error') return `- \`${toolName}\` failed${quotedLine}`
    if (status === 'denied') return `- \`${toolName}\` was not allowed${quotedLine}`
    const lines = text.replace(/\n$/, '').split('\n').length
    const length =
      text === '' ? 'nothing' : `${text.length} characters in ${lines === 1 ? 'one line' : `${lines} lines`}`
    return `- \`${toolName}\` returned ${length}${quotedLine}`
  })
  const report = `Here is what the tools returned:\n\n${lines.join('\n')}`
  return isFirst ? `${report}\n\n${introduction} ${realModel}` : report
}

/** In a code span, where tool output can't be read as a call. */
function quote(line: string): string {
  const shortLine = line.length > 100 ? `${line.slice(0, 100).toWellFormed()}…` : line
  const longest = (shortLine.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const ticks = '`'.repeat(longest + 1)
  return longest === 0 ? `${ticks}${shortLine}${ticks}` : `${ticks} ${shortLine} ${ticks}`
}
