import { readFile, stat } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { type RunOptions, runDocument } from '@argot/agent'
import { builtinNames } from '@argot/agent/internal'
import { parseChatMd, writeChatMd } from '@argot/core/chatmd'
import { defined, nearestNames } from '@argot/core/stream/internal'
import { type Command, InvalidArgumentError } from 'commander'
import { type Io, UsageError } from '../io/io.ts'
import { parseApprove } from '../options/approve-option.ts'
import { addOutputSchemaOption, type OutputSchemaFlags, readOutputSchema } from '../options/output-schema-option.ts'
import { quoteWord, repeatFlags } from '../options/repeat-flags.ts'
import { addSyntaxOption, type SyntaxFlags } from '../options/syntax-option.ts'
import { showRun } from './show-run.ts'

interface AskFlags extends SyntaxFlags, OutputSchemaFlags {
  model?: string
  tools?: string
  file?: string[]
  system?: string
  output?: string
  approve?: RunOptions['approve']
  allowExec?: boolean
  json?: boolean
  quiet?: boolean
}

/** Nothing is stored unless `--output` names a file. */
export function askCommand(command: Command, io: Io, done: (status: number) => void): void {
  command.option('-m, --model <name>', 'the model, such as openai:gpt-4o, ollama:llama3 or demo', notEmpty)
  addOutputSchemaOption(addSyntaxOption(command))
    .option(
      '-t, --tools <names>',
      'tools for the model: built-in ones such as read_file,grep, and modules such as ./tools.js',
      notEmpty,
    )
    .option(
      '-f, --file <path>',
      'attach this text or image, or - for standard input; may be repeated',
      (path, all: string[] = []) => [...all, notEmpty(path)],
    )
    .option('--system <text>', 'system message for the model', notEmpty)
    .option('-o, --output <file>', 'save the question and the answer in this document', notEmpty)
    .option('--approve <mode>', 'which calls run without asking: ask, all, none or readonly', parseApprove)
    .option('--allow-exec', 'load tool modules without asking')
    .option('--json', 'print each chunk as a line of JSON on stdout, and notices as JSON on stderr')
    .option('-q, --quiet', 'print only the answer and errors')
    .addHelpText('after', '\nIf the question is -, it is read from standard input.')
    .action(async (question: string, flags: AskFlags) => done(await ask(question, flags, io, command)))
}

async function ask(question: string, flags: AskFlags, io: Io, command: Command): Promise<number> {
  const text = question === '-' ? await readText(io.stdin) : question
  if (text.trim() === '') throw new UsageError('The question is empty.')
  const source = await writeDocument(text, flags, io)
  const { document } = parseChatMd(source)
  const { output } = flags
  const options: RunOptions = {
    env: io.env,
    cwd: io.cwd(),
    toolModules: toolNames(flags).filter(isModule),
    ...(await readOutputSchema(flags)),
    ...(flags.allowExec === true && { allowExec: true }),
    ...defined({ model: flags.model, syntax: flags.toolSyntax ?? flags.syntax, approve: flags.approve }),
  }
  if (output === undefined) {
    const start = (more: RunOptions) => runDocument(document, more)
    return showRun({ options, start, flags, io, file: undefined, again: undefined, hasInput: false })
  }
  // Already in the document: built-in tools, files and the system message.
  const modules = toolNames(flags).filter(isModule)
  const tools = modules.map(name => ` --tools ${quoteWord(name)}`).join('')
  const again = `argot run ${quoteWord(output)}${repeatFlags(command, ['tools', 'file', 'system'])}${tools}`
  const start = (more: RunOptions) => runDocument(document, { ...more, output })
  return showRun({ options, start, flags, io, file: output, again, hasInput: false })
}

async function writeDocument(question: string, flags: AskFlags, io: Io): Promise<string> {
  const names = toolNames(flags).filter(name => !isModule(name))
  for (const name of names) {
    if (!builtinNames.includes(name)) throw unknownTool(name)
  }
  const tools = names.map(name => `<tool name="${name}"/>\n`).join('')
  const messages = []
  if (flags.system !== undefined) messages.push(message('system', [textPart(flags.system)]))
  const files = []
  for (const path of flags.file ?? []) files.push(await filePart(path, io))
  messages.push(message('user', [textPart(question), ...files]))
  const records = messages.map(one => ({ type: 'message', message: one }) as const)
  return tools + writeChatMd(records, { payloads: 'inline', after: tools, bookkeeping: 'apart' }).append
}

function unknownTool(name: string): UsageError {
  const [nearest] = nearestNames(name, builtinNames, 1)
  const cure = nearest === undefined ? `Built-in tools: ${builtinNames.join(', ')}.` : `Did you mean \`${nearest}\`?`
  return new UsageError(`--tools: there is no built-in tool "${name}". ${cure} A module's name ends in .js or .ts.`)
}

function toolNames({ tools = '' }: AskFlags): string[] {
  return tools
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}

function isModule(name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name)
}

function message<Part>(role: 'system' | 'user', parts: Part[]) {
  return { id: `${role}-1`, role, status: 'sent' as const, parts }
}

function textPart(text: string) {
  return { type: 'text' as const, id: 'text', text, state: 'done' as const }
}

const images: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
])

async function filePart(path: string, io: Io) {
  if (path === '-') return textPart(`\n\n${await readText(io.stdin)}`)
  if ((await stat(path)).isDirectory()) throw new UsageError(`${path} is a folder, not a file.`)
  const mediaType = images.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
  const bytes = await readFile(path)
  if (mediaType !== undefined) {
    return { type: 'file' as const, mediaType, url: `data:${mediaType};base64,${bytes.toString('base64')}` }
  }
  if (bytes.includes(0)) throw new UsageError(`${path} is neither text nor an image.`)
  return textPart(`\n\n${path}:\n\n${bytes.toString('utf8')}`)
}

function notEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return value
}
