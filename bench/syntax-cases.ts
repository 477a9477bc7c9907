import type { ToolDefinition } from '@argot/core'
import type { Syntax } from '@argot/core/syntax'

/** A stream of numbers from 0 to `below - 1` that is the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state % below
  }
}

/** A text as a model sends it: in pieces of 4 to 20 characters. */
export function pieces(text: string, seed = 1): string[] {
  const next = numbers(seed)
  const list: string[] = []
  for (let at = 0; at < text.length; ) {
    const length = 4 + next(17)
    list.push(text.slice(at, at + length))
    at += length
  }
  // A flat string of its own each, as if it came from the network.
  return JSON.parse(JSON.stringify(list)) as string[]
}

const codeLines = [
  "import { readFile } from 'node:fs/promises'",
  '',
  '/** Reads "one" file and gives its lines. */',
  'export async function lines(path: string): Promise<string[]> {',
  "  const text = await readFile(path, 'utf8')",
  '  if (text.length < 1 || text === "\\n") return []',
  "  return text.split(/\\r?\\n/).map(line => line + '\\t')",
  '}',
  '',
  'for (let i = 0; i < list.length && list[i] > 0; i++) {',
  "\tconsole.log('%s <b>%d</b>', list[i], i) // it's a \"quote\"",
  '}',
]

/** Source code with quotes, backslashes, tags and line breaks. */
export function sourceCode(length: number): string {
  const next = numbers(2)
  let text = ''
  while (text.length < length) text += `${codeLines[next(codeLines.length)]}\n`
  return text.slice(0, length)
}

const sentences = [
  'The file says what it does, and it does it well.',
  'If a < b then `max(a, b)` is b; otherwise it is a.',
  'I looked at the tests (all of them) and found nothing that fails.',
  'See [the docs](https://example.org/docs) for "more".',
  'It takes 3 steps: read, change, write.',
]

/** Prose with some Markdown in it, and no calls. */
export function prose(length: number): string {
  const next = numbers(3)
  let text = ''
  while (text.length < length) text += `${sentences[next(sentences.length)]}${next(6) === 0 ? '\n\n' : ' '}`
  return text.slice(0, length)
}

const marked = [
  'Of `Map<string, List<number[]>>` and Vec<[u8]> see [1], [2] and [the list][3].',
  'If a<b and x[i]<y[j], then <b>swap</b> [i, j]; <i>else</i> keep <br> them.',
  'A <div class="x"> has [x] and [ ] and <template> and <table>, <t> and [TODO].',
]

/** Prose full of the characters that calls begin with, and no calls. */
export function markedProse(length: number): string {
  const next = numbers(4)
  let text = ''
  while (text.length < length) text += `${marked[next(marked.length)]}${next(6) === 0 ? '\n\n' : ' '}`
  return text.slice(0, length)
}

export const writeFile: ToolDefinition = {
  name: 'write_file',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
}

const readFiles: ToolDefinition = {
  name: 'read_files',
  inputSchema: {
    type: 'object',
    properties: { paths: { type: 'array', items: { type: 'string' } } },
    required: ['paths'],
  },
}

const readFile: ToolDefinition = {
  name: 'read_file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

/** One call with so many characters in its long argument. */
export function longCall(syntax: Syntax, length: number): string {
  const input = { path: 'src/lines.ts', content: sourceCode(length) }
  return `I write the file.\n${syntax.format({ toolCallId: 'call_1', toolName: 'write_file', input }, writeFile)}\n`
}

/** So many small calls, with a sentence before each. */
export function smallCalls(syntax: Syntax, count: number): string {
  const call = (i: number) =>
    syntax.format({ toolCallId: `call_${i}`, toolName: 'read_file', input: { path: `src/${i}.ts` } }, readFile)
  return Array.from({ length: count }, (_, i) => `Now file ${i}.\n${call(i)}\n`).join('')
}

/** The calls whose cost in tokens is told: what it is, the call, and its values as plain text. */
export const tokenCases = [
  { name: 'small call', tool: readFile, input: { path: 'src/main.rs' }, values: ['src/main.rs'] },
  {
    name: 'three-element array',
    tool: readFiles,
    input: { paths: ['src/main.rs', 'Cargo.toml', 'README.md'] },
    values: ['src/main.rs', 'Cargo.toml', 'README.md'],
  },
  {
    name: '120-line file',
    tool: writeFile,
    input: { path: 'src/lines.ts', content: codeLines.join('\n').concat('\n').repeat(10) },
    values: ['src/lines.ts', codeLines.join('\n').concat('\n').repeat(10)],
  },
]
