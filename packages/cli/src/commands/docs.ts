import { realFile } from '@argot/agent/internal'
import { type Preview, previewDocument } from '@argot/agent/workshop'
import type { ToolDefinition } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import { type Command, InvalidArgumentError } from 'commander'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { report } from '../io/report.ts'
import { safeText } from '../io/safe-text.ts'
import { readTools } from '../options/read-tools.ts'
import { addSyntaxOption, findSyntax, type SyntaxFlags } from '../options/syntax-option.ts'
import { costTable, type SentMessage, type SyntaxCost, syntaxCosts } from './syntax-cost.ts'

interface DocsFlags extends SyntaxFlags {
  tools?: string
  cost?: boolean
  json?: boolean
}

export function docsCommand(command: Command, io: Io, done: (status: number) => void): void {
  addSyntaxOption(command)
    .option('-t, --tools <file>', 'a JSON file with the tools', notEmpty)
    .option('--cost', 'show about how many tokens each syntax costs with these tools: a call, the lesson, the prompt')
    .option('--json', 'with --cost: print it as one line of JSON')
    .addHelpText('after', '\nExamples:\n  argot docs --syntax xml --tools tools.json\n  argot docs --cost chat.chatmd')
    .action(async (file: string | undefined, flags: DocsFlags) => done(await docs(file, flags, io)))
}

/** The tools and the other messages. A number is the exit status for a document that can't be read. */
type DocsSource = { tools: readonly ToolDefinition[]; messages: readonly SentMessage[] } | number

async function docs(file: string | undefined, flags: DocsFlags, io: Io): Promise<number> {
  if (flags.json === true && flags.cost !== true) throw new UsageError('--json needs --cost.')
  const isAll = flags.cost === true && flags.toolSyntax === undefined && flags.syntax === undefined
  const syntax = isAll ? undefined : await findSyntax(flags, io)
  const source = await readDocsSource(file, flags, io)
  if (typeof source === 'number') return source
  if (flags.cost !== true) await print(io, `${syntax?.describe(source.tools).trimEnd()}\n`)
  else {
    const all = syntaxCosts(source.tools, source.messages)
    const costs = syntax === undefined ? all : all.filter(({ syntax: name }) => name === syntax.name)
    const names = source.tools.map(({ name }) => name)
    if (flags.json === true) await print(io, jsonLine({ estimated: true, tools: names, costs: costs.map(toJsonValue) }))
    else await showCosts(costs, names.length, file !== undefined, io)
  }
  return 0
}

async function readDocsSource(file: string | undefined, flags: DocsFlags, io: Io): Promise<DocsSource> {
  if (file !== undefined && flags.tools !== undefined)
    throw new UsageError('Name a document or --tools FILE, not both: the document says which tools it has.')
  if (flags.tools !== undefined) return { tools: await readTools(flags.tools), messages: [] }
  if (file === undefined) throw new UsageError('Name a document, or the tools with --tools FILE.')
  await realFile(file)
  const preview = await previewDocument(file, { env: io.env, cwd: io.cwd(), syntax: 'native', model: 'demo' })
  if (preview.diagnostics.some(({ severity }) => severity === 'error')) {
    await report(preview.diagnostics, preview.sources, flags.json === true, io)
    return 1
  }
  for (const notice of preview.notices) await tell(io, `${safeText(notice)}\n`)
  return { tools: preview.tools, messages: getMessages(preview) }
}

function getMessages({ request }: Preview): readonly SentMessage[] {
  return Array.isArray(request?.prompt) ? (request.prompt as SentMessage[]) : []
}

async function showCosts(costs: readonly SyntaxCost[], tools: number, withPrompt: boolean, io: Io): Promise<void> {
  const what = tools === 0 ? 'no tools' : tools === 1 ? 'one tool' : `${tools} tools`
  const all = withPrompt ? '; prompt: all that is sent, without images and files' : ''
  await print(io, costTable(costs, withPrompt))
  await tell(
    io,
    `Estimated tokens for ${what}. wrapper: what a call adds to its values, on average; lesson: what teaches the tools${all}.
A model counts by its own tokenizer, in which the marks of its own dialect are often one token.\n`,
  )
}

/** `wrapper` is missing if the syntax can't write any of the calls. */
function toJsonValue({ syntax, wrapper, lesson, prompt }: SyntaxCost): object {
  return defined({ syntax, wrapper, lesson, prompt })
}

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('Name a file.')
  return value
}
