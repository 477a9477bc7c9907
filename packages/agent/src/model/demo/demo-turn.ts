import type { LanguageModelV3Message, LanguageModelV3Prompt, LanguageModelV3ToolResultOutput } from '@ai-sdk/provider'
import { parse, type Syntax } from '@argot/core/syntax'

export interface DemoTurn {
  request: string
  results: DemoResult[]
  /** How many model calls the conversation has had. */
  steps: number
  /** The conversation has no answer yet. */
  isFirst: boolean
}

export interface DemoResult {
  toolName: string
  status: 'success' | 'error' | 'denied'
  text: string
}

/** Reads the turn from a prompt. `syntax` is the text syntax of the calls; undefined if they are native. */
export function readTurn(prompt: LanguageModelV3Prompt, syntax: Syntax | undefined): DemoTurn {
  const results: DemoResult[] = []
  let index = prompt.length - 1
  let request = ''
  for (; index >= 0; index--) {
    const message = prompt[index]!
    if (message.role === 'tool') results.unshift(...nativeResults(message))
    if (message.role !== 'user') continue
    const calledTools = syntax === undefined ? [] : findCalls(prompt[index - 1], syntax)
    if (calledTools.length === 0) {
      request = joinText(message)
      break
    }
    results.unshift(...writtenResults(joinText(message), calledTools))
  }
  const isFirst = !prompt.slice(0, Math.max(0, index)).some(({ role }) => role === 'assistant')
  return { request, results, steps: prompt.filter(({ role }) => role === 'assistant').length, isFirst }
}

/** The names of the tools that an assistant called in its text. Results follow it directly, as the user's message. */
function findCalls(message: LanguageModelV3Message | undefined, syntax: Syntax): string[] {
  if (message?.role !== 'assistant') return []
  return parse(syntax, joinText(message)).flatMap(chunk => (chunk.type === 'tool-input-start' ? [chunk.toolName] : []))
}

function nativeResults({ content }: Extract<LanguageModelV3Message, { role: 'tool' }>): DemoResult[] {
  return content.flatMap(part => (part.type === 'tool-result' ? [nativeResult(part.toolName, part.output)] : []))
}

function nativeResult(toolName: string, output: LanguageModelV3ToolResultOutput): DemoResult {
  switch (output.type) {
    case 'text':
      return { toolName, status: 'success', text: output.value }
    case 'error-text':
      return { toolName, status: 'error', text: output.value }
    case 'execution-denied':
      return { toolName, status: 'denied', text: output.reason ?? '' }
    default:
      return {
        toolName,
        status: output.type === 'error-json' ? 'error' : 'success',
        text: JSON.stringify(output.value),
      }
  }
}

/** Results as the syntaxes quote them: in a fence whose line or the line before it has the status, or as JSON. */
function writtenResults(text: string, toolNames: readonly string[]): DemoResult[] {
  const quoted = [...text.matchAll(/^(?:([^\n`]*)\n)?(`{3,})([^\n`]*)\n(?:([\s\S]*?)\n)?\2$/gm)].map(match => ({
    status: findStatus(`${match[1] ?? ''} ${match[3]}`),
    text: match[4] ?? '',
  }))
  const results = quoted.length > 0 ? quoted : [...text.matchAll(/\{.*\}/g)].flatMap(match => jsonResult(match[0]))
  return toolNames.map((toolName, index) => ({ toolName, ...(results[index] ?? { status: 'success', text }) }))
}

function findStatus(label: string): DemoResult['status'] {
  const words = label.match(/\b(?:success|error|denied)\b/g)
  return (words?.at(-1) ?? 'success') as DemoResult['status']
}

function jsonResult(json: string): Pick<DemoResult, 'status' | 'text'>[] {
  try {
    const { status, content } = JSON.parse(json) as { status?: string; content?: unknown }
    const text = typeof content === 'string' ? content : JSON.stringify(content ?? null)
    return [{ status: findStatus(status ?? ''), text }]
  } catch {
    return []
  }
}

function joinText({ content }: LanguageModelV3Message): string {
  if (typeof content === 'string') return content
  return content.map(part => (part.type === 'text' ? part.text : '')).join('')
}
