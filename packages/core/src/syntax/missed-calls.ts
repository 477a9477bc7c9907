import type { ToolDefinition } from '../message/tool-definition.ts'
import type { Chunk } from '../stream/chunk.ts'
import type { SyntaxDiagnostic } from './syntax.ts'

/** The most that is said of one reply. */
const MOST = 8

/**
 * What a reply without calls has that looks like one of a known tool: calls that are only shown, which `chunks` has (the
 * same text, read as if nothing hid calls), or a name where a call has it.
 */
export function findMissed(
  text: string,
  chunks: readonly Chunk[],
  tools: ReadonlyMap<string, ToolDefinition>,
): SyntaxDiagnostic[] {
  const found: SyntaxDiagnostic[] = []
  let at = 0
  for (const chunk of chunks) {
    if (chunk.type === 'text-delta') at = Math.max(at, text.indexOf(chunk.delta, at)) + chunk.delta.length
    if (chunk.type !== 'tool-input-available' && chunk.type !== 'tool-input-error') continue
    const { toolName = '' } = chunk
    if (found.length < MOST && tools.has(toolName)) {
      found.push({
        code: 'SYNTAX_EXAMPLE',
        severity: 'info',
        message: `A call of \`${toolName}\` is only shown, so it was not run.`,
        cure: 'To make the call, write it as a part of the reply, outside of code, quotes, lists and reasoning.',
        toolName,
        offset: at,
        final: isLast(chunks, chunk),
      })
    }
  }
  return found.length > 0 ? found : nearMisses(text, tools)
}

/** True when nothing follows but what closes the place that the call is in. */
function isLast(chunks: readonly Chunk[], call: Chunk): boolean {
  const rest = chunks.slice(chunks.indexOf(call) + 1)
  const text = rest.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
  return text.length < 200 && /^(?:[\s`~>|*-]|<\/?[\w:|-]+>)*$/.test(text)
}

/** Where names of calls are: in quotes behind a key, behind an equals sign, in a tag, behind a mark or a word. */
function nearMisses(text: string, tools: ReadonlyMap<string, ToolDefinition>): SyntaxDiagnostic[] {
  const found: SyntaxDiagnostic[] = []
  const places =
    /(?:"(?:name|tool_name|tool|function)"\s*:\s*"|[<:/=]["']?|\^\^\^|\]|\[!tool |tool[ \t]+|\n)([\w./-]{1,128})/gi
  for (const match of text.matchAll(places)) {
    const [whole, toolName = ''] = match
    const offset = match.index + whole.length - toolName.length
    const behind = text.slice(offset + toolName.length, offset + toolName.length + 40)
    if (found.length >= MOST || !tools.has(toolName) || !looksLikeCall(text, whole, behind)) continue
    found.push({
      code: 'SYNTAX_NEAR_MISS',
      severity: 'warning',
      message: `Something here looks like a call of \`${toolName}\`, but is none.`,
      cure: 'Write the call again, in the form that was taught.',
      toolName,
      offset,
      final: text.length - offset < 4000,
    })
  }
  return found
}

function looksLikeCall(text: string, whole: string, behind: string): boolean {
  if (/^"|^[<:/=^\]]/.test(whole)) return /^["']?\s*(?:[>,({[\]}]|\n|$)/.test(behind) && /[{}<>^]/.test(text)
  return /^\s*[({]/.test(behind) || /^[^\n]*\n(?:input:|\w+:)/.test(behind)
}
