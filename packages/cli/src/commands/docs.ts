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
    .option('-t, --tools <file>', 'a JSON file with tools', notEmpty)
    .option('--cost', 'estimate the tokens each syntax costs with these tools: per call, the lesson, the prompt')
    .option('--json', 'with --cost: print the estimate as one line of JSON')
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
    throw new UsageError('Use a document or --tools FILE, not both. A document lists its own tools.')
  if (flags.tools !== undefined) return { tools: await readTools(flags.tools), messages: [] }
  if (file === undefined) throw new UsageError('Choose a document, or a file with tools with --tools FILE.')
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
  const all = withPrompt ? '; prompt: everything that is sent, except images and files' : ''
  await print(io, costTable(costs, withPrompt))
  await tell(
    io,
    `Estimated tokens for ${what}. wrapper: what a call adds to its values, on average; lesson: the text that teaches the tools${all}.
Actual counts depend on the model's tokenizer. It often encodes a mark of its own dialect as one token.\n`,
  )
}

/** `wrapper` is missing if the syntax can't write any of the calls. */
function toJsonValue({ syntax, wrapper, lesson, prompt }: SyntaxCost): object {
  return defined({ syntax, wrapper, lesson, prompt })
}

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must be a file name.')
  return value
}
