import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { realFile } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import type { ParserOptions } from '@argot/core/syntax/internal'
import { type Command, Option } from 'commander'
import { type Io, jsonLine, print, tell } from '../io/io.ts'
import { readTools } from '../options/read-tools.ts'
import { addSyntaxOption, findSyntax, type SyntaxFlags } from '../options/syntax-option.ts'
import { explain } from './explain.ts'

interface ParseFlags extends SyntaxFlags {
  tools?: string
  limit: 'none' | 'one' | 'one-writer'
  reasoning: 'text' | 'parts'
  trace?: boolean
  explain?: boolean
}

export function parseCommand(command: Command, io: Io, done: (status: number) => void): void {
  addSyntaxOption(command)
    .option('-t, --tools <file>', 'a JSON file with tools, for typed values')
    .addOption(
      new Option('--limit <limit>', 'how many calls a message may contain')
        .choices(['none', 'one', 'one-writer'])
        .default('none'),
    )
    .addOption(
      new Option('--reasoning <as>', 'turn <think> blocks into text or reasoning parts')
        .choices(['text', 'parts'])
        .default('text'),
    )
    .option('--trace', 'print every step of the parser on stderr')
    .option('--explain', 'explain the dialect, the calls, the repairs and the problems')
    .addHelpText('after', "\nExample:\n  printf '^^^read_file\\npath: a.md\\n^^^\\n' | argot parse --syntax caret")
    .action(async (file: string | undefined, flags: ParseFlags) => done(await parse(file ?? '-', flags, io)))
}

async function parse(file: string, flags: ParseFlags, io: Io): Promise<number> {
  if (flags.explain === true) return explainText(file, flags, io)
  const syntax = await findSyntax(flags, io)
  const steps: string[] = []
  const options: ParserOptions = { limit: flags.limit, reasoning: flags.reasoning }
  if (flags.tools !== undefined) options.tools = await readTools(flags.tools)
  if (flags.trace === true) {
    options.trace = ({ offset, state, decision }) =>
      steps.push(`${String(offset).padStart(6)}  ${state.padEnd(18)} ${decision}\n`)
  }
  const parser = syntax.parser(options)
  const errors: string[] = []

  async function show(chunks: readonly Chunk[]): Promise<void> {
    await tell(io, steps.splice(0).join(''))
    await print(io, chunks.map(chunk => jsonLine(chunk)).join(''))
    for (const chunk of chunks)
      if (chunk.type === 'tool-input-error') errors.push(`${chunk.toolName}: ${chunk.errorText}`)
  }

  const source = await openText(file, io)
  for await (const piece of source) await show(parser.push(piece as string))
  await show(parser.end())
  for (const error of errors) await tell(io, `argot: A call couldn't be read. ${error}\n`)
  return errors.length > 0 ? 1 : 0
}

async function explainText(file: string, flags: ParseFlags, io: Io): Promise<number> {
  const source = await openText(file, io)
  let text = ''
  for await (const piece of source) text += piece as string
  const tools = flags.tools === undefined ? undefined : await readTools(flags.tools)
  const syntaxName = flags.toolSyntax ?? flags.syntax
  const syntax = syntaxName === undefined ? undefined : await findSyntax(flags, io)
  await print(io, `${explain(text, { tools, syntax })}\n`)
  return 0
}

async function openText(file: string, io: Io): Promise<Readable> {
  const source: Readable = file === '-' ? io.stdin : createReadStream(await realFile(file))
  source.setEncoding('utf8')
  return source
}
