import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { Chunk } from '../../stream/chunk.ts'
import type { SyntaxDiagnostic } from '../syntax.ts'

const MAX_DIAGNOSTICS = 8

/**
 * Finds what looks like a known tool's call in a reply without calls: examples, which are calls in `chunks` (the same
 * text, read as if nothing hid calls), or a name where a call would have it.
 */
export function findMissed(
  text: string,
  chunks: readonly Chunk[],
  tools: ReadonlyMap<string, ToolDefinition>,
): SyntaxDiagnostic[] {
  const examples = findExamples(text, chunks, 0, name => tools.has(name))
  return examples.length > 0 ? examples : findNearMisses(text, tools)
}

/**
 * The calls, of any tool, in HTML that was never closed. `chunks` is its content, read as if nothing hid calls, and
 * `offset` is where that content begins.
 */
export function findUnclosed(text: string, chunks: readonly Chunk[], offset: number): SyntaxDiagnostic[] {
  const cure = 'Close the comment with `-->`, or the element with its closing tag. Then make the call after it.'
  return findExamples(text, chunks, offset, () => true).map(example => ({
    ...example,
    message: `A call to \`${example.toolName}\` is in an HTML comment or element that is never closed, so it was not run.`,
    cure,
  }))
}

function findExamples(
  text: string,
  chunks: readonly Chunk[],
  offset: number,
  isWanted: (toolName: string) => boolean,
): SyntaxDiagnostic[] {
  const examples: SyntaxDiagnostic[] = []
  let at = 0
  for (const chunk of chunks) {
    if (chunk.type === 'text-delta') at = Math.max(at, text.indexOf(chunk.delta, at)) + chunk.delta.length
    if (chunk.type !== 'tool-input-available' && chunk.type !== 'tool-input-error') continue
    const { toolName = '' } = chunk
    if (!isWanted(toolName)) continue
    examples.push({
      code: 'SYNTAX_EXAMPLE',
      severity: 'info',
      message: `A call to \`${toolName}\` is only shown, so it was not run.`,
      cure: 'To make the call, write it in the reply itself, outside code, quotes, lists, comments and reasoning.',
      toolName,
      offset: offset + at,
      final: isLast(chunks, chunk),
      ...(isFenced(text, at) ? { fenced: true } : {}),
      ...(chunk.type === 'tool-input-available' ? { input: chunk.input } : {}),
    })
    if (examples.length === MAX_DIAGNOSTICS) break
  }
  return examples
}

function isFenced(text: string, at: number): boolean {
  let open = ''
  for (const [, run = '', info = ''] of text.slice(0, at).matchAll(/^[ \t>]*(`{3,}|~{3,})(.*)$/gm)) {
    if (open === '') open = run
    else if (run.startsWith(open) && info.trim() === '') open = ''
  }
  return open !== ''
}

/** True if nothing follows except what closes the call's surroundings. */
function isLast(chunks: readonly Chunk[], call: Chunk): boolean {
  const rest = chunks.slice(chunks.indexOf(call) + 1)
  const text = rest.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
  return text.length < 200 && /^(?:[\s`~>|*-]|<\/?[\w:|-]+>)*$/.test(text)
}

/** Looks where calls have names: in quotes after a key, after an equals sign, in a tag, after a mark or a word. */
function findNearMisses(text: string, tools: ReadonlyMap<string, ToolDefinition>): SyntaxDiagnostic[] {
  const diagnostics: SyntaxDiagnostic[] = []
  const hasMarks = /[{}<>^]/.test(text)
  const places =
    /(?:"(?:name|tool_name|tool|function)"\s*:\s*"|[<:/=]["']?|\^\^\^|\]|\[!tool |\[|tool[ \t]+|(?:\n|^)(?:[ \t>]*tool[ \t]+)?)([\w./-]{1,128})|(?<![\w.-])([\w.-]{1,128})(?=\(\s*\w+\s*=)/gi
  for (const match of text.matchAll(places)) {
    const [opening, quotedName, bareName = ''] = match
    const toolName = quotedName ?? bareName
    const offset = match.index + opening.length - toolName.length
    const after = text.slice(offset + toolName.length, offset + toolName.length + 40)
    if (diagnostics.length >= MAX_DIAGNOSTICS || !tools.has(toolName) || !looksLikeCall(hasMarks, opening, after))
      continue
    diagnostics.push(createNearMiss(toolName, offset, text))
  }
  return diagnostics.length > 0 ? diagnostics : findNamesAtMarks(text, tools)
}

function createNearMiss(toolName: string, offset: number, text: string): SyntaxDiagnostic {
  return {
    code: 'SYNTAX_NEAR_MISS',
    severity: 'warning',
    message: `Something here looks like a call to \`${toolName}\`, but is not one.`,
    cure: 'Write the call again, in the form that was taught.',
    toolName,
    offset,
    final: text.length - offset < 4000,
  }
}

/**
 * Never in prose, but around calls: tags, tokens and marks of the dialects, also with a missing or misplaced character.
 */
const callMarks =
  /<[/=]?(?:tool|function|param|invoke|arg_|seed:|steptml|minimax|longcat|dots_|atem)|<\/?[|｜]{0,2}DSML|[<[][|｜][^|｜>]{0,30}(?:tool|call|python|action|func|sep|open|arg|message|channel)|to=functions|\[(?=[\w.-]+=)|TOOL_CALL|\[ARGS|ARGS\]|^\^{2,4}|["'](?:arguments|parameters|tool_name)["']/gim
const MAX_NAME_DISTANCE = 160
const MAX_CHECKED_MARKS = 64

const MAX_GLUED_DISTANCE = 48
const MIN_GLUED_LENGTH = 4

/** The first known name next to a mark. Whatever is broken there, a call was meant. */
function findNamesAtMarks(text: string, tools: ReadonlyMap<string, ToolDefinition>): SyntaxDiagnostic[] {
  let checkedMarks = 0
  for (const { index } of text.matchAll(callMarks)) {
    if (++checkedMarks > MAX_CHECKED_MARKS) break
    const start = Math.max(0, index - MAX_NAME_DISTANCE)
    for (const word of text.slice(start, index + MAX_NAME_DISTANCE).matchAll(/[\w./-]+/g)) {
      const [candidate] = word
      const offset = start + word.index
      if (tools.has(candidate)) return [createNearMiss(candidate, offset, text)]
      const glued = Math.abs(offset - index) <= MAX_GLUED_DISTANCE ? findGluedName(candidate, tools) : undefined
      if (glued !== undefined) return [createNearMiss(glued, offset + candidate.indexOf(glued), text)]
    }
  }
  return []
}

/** The tool whose name is glued to the words around it: `functionread_file`, `read_filepath`. */
function findGluedName(word: string, tools: ReadonlyMap<string, ToolDefinition>): string | undefined {
  const [, rest] = /^(?:tool_calls?|tool|functions?[.=]?|call|invoke|name)?(.+?)(?:ARGS|CALL_ID)?$/i.exec(word) ?? []
  if (rest !== undefined && tools.has(rest)) return rest
  const part = word.split('/').find(each => tools.has(each))
  if (part !== undefined) return part
  let longest: string | undefined
  for (const name of tools.keys()) {
    if (name.length >= Math.max(MIN_GLUED_LENGTH, (longest?.length ?? 0) + 1) && word.includes(name)) longest = name
  }
  return longest
}

function looksLikeCall(hasMarks: boolean, opening: string, after: string): boolean {
  if (opening.startsWith('[') && !opening.startsWith('[!')) return /^\s*\(/.test(after)
  if (/^"|^[<:/=^\]]/.test(opening)) return /^["']?\s*(?:[>,({[\]}]|\n|$)/.test(after) && hasMarks
  return /^\s*[({]/.test(after) || /^[^\n]*\n[ \t>]*(?:input:|\w+:)/.test(after)
}
