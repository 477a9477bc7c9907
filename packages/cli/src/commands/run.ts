import { text as readText } from 'node:stream/consumers'
import { type Run, type RunOptions, runDocument } from '@argot/agent'
import {
  compactDocument,
  type Price,
  type RunClientTool,
  realFile,
  type SandboxMode,
  sandboxModes,
} from '@argot/agent/internal'
import { type Preview, previewDocument } from '@argot/agent/workshop'
import { ArgotError } from '@argot/core'
import { parseChatMd } from '@argot/core/chatmd'
import { english } from '@argot/core/stream'
import { defined } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import { type CallLimit, callLimits } from '@argot/core/syntax/internal'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { toOutput } from '../ask/read-question.ts'
import { readSource, standardInput } from '../documents/read-source.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { report } from '../io/report.ts'
import { safeText } from '../io/safe-text.ts'
import { type ApproveFlags, createRuleReader, interruptedOption, parseApprove } from '../options/approve-option.ts'
import { addOutputSchemaOption, type OutputSchemaFlags, readOutputSchema } from '../options/output-schema-option.ts'
import { quoteWord, repeatFlags } from '../options/repeat-flags.ts'
import { addSyntaxOption, type SyntaxFlags } from '../options/syntax-option.ts'
import { describeSummary } from '../view/describe-summary.ts'
import { previewText } from '../view/preview-text.ts'
import { showRun } from './show-run.ts'

interface RunFlags extends SyntaxFlags, OutputSchemaFlags, ApproveFlags {
  model?: string
  param?: Readonly<Record<string, string>>
  input?: string
  answer?: string
  output?: string
  maxSteps?: number
  maxTokens?: number
  compact?: boolean
  context?: number
  summaryModel?: string
  price?: Price
  allowEnv?: string[]
  tools?: string[]
  skipUntrusted?: boolean
  refresh?: boolean
  cache?: boolean
  cacheDays?: number
  sandbox?: SandboxMode
  allowPrivate?: boolean
  limit?: CallLimit
  idleTimeout?: number
  replyTimeout?: number
  maxReply?: number
  maxTime?: number
  toolSearch?: boolean
  salvage?: boolean
  salvageDialect?: string
  wait?: boolean
  takeOver?: boolean
  json?: boolean
  dryRun?: boolean
  quiet?: boolean
}

export interface DocumentRunner {
  runDocument: (file: string, options?: RunOptions) => Run
  previewDocument: (file: string, options?: RunOptions) => Promise<Preview>
}

export function runCommand(
  command: Command,
  io: Io,
  done: (status: number) => void,
  runner: DocumentRunner = { runDocument, previewDocument },
): void {
  command.option('-m, --model <name>', 'the model, such as openai:gpt-4o, ollama:llama3 or demo', notEmpty)
  addOutputSchemaOption(addSyntaxOption(command))
    .option('-p, --param <name=value>', 'set a parameter of the document; may be repeated', parseParam)
    .option('-i, --input <text>', 'add this user message first; - reads it from standard input')
    .option('--answer <text>', 'answer to the first question the model asks with `ask_user`', notEmpty)
    .option('-o, --output <file>', 'write the transcript here and leave the document unchanged', notEmpty)
    .option('--max-steps <n>', 'stop after this many model calls', parseWholeNumber)
    .option(
      '--price <in/out>',
      'the price of a million tokens, in and out, such as 2.5/10; used for the cost at the end',
      parsePrice,
    )
    .option('--max-tokens <n>', 'make no more model calls after this many tokens, in and out', parseWholeNumber)
    .option('--compact', 'summarise older turns in the prompt first, even if it would still fit')
    .option(
      '--context <n>',
      "the size of the model's context window in tokens, if Argot doesn't know it",
      parseWholeNumber,
    )
    .option('--summary-model <name>', 'the model that writes summaries (default: the same model)', notEmpty)
    .option(
      '--approve <mode>',
      'which calls run without asking: ask (read-only calls), all, none, readonly (all others are refused), or a list such as ask,write_file=all',
      parseApprove,
    )
    .addOption(interruptedOption())
    .option(
      '--allow <rule>',
      'run matching calls without asking, such as write_file(docs/**); may be repeated',
      createRuleReader('allow'),
    )
    .option(
      '--deny <rule>',
      'never run matching calls, such as git(push **); may be repeated',
      createRuleReader('deny'),
    )
    .option(
      '--allow-path <dir>',
      'let the document and its tools also use files in this folder; may be repeated',
      (dir, all: string[] = []) => [...all, notEmpty(dir)],
    )
    .option(
      '--tools <file>',
      'also offer the tools that this JavaScript module exports; may be repeated',
      (file, all: string[] = []) => [...all, notEmpty(file)],
    )
    .option('--allow-exec', 'start the commands, servers and modules in the document without asking')
    .option(
      '--allow-env <name>',
      'let the document send this variable to MCP servers as a token; may be repeated',
      (name, all: string[] = []) => [...all, notEmpty(name)],
    )
    .option('--skip-untrusted', "if no one can answer, run without the tools you haven't allowed")
    .addOption(
      new Option(
        '--sandbox <mode>',
        'sandbox the programs that tools start: auto (if possible), require (never run a program outside a sandbox) or off',
      ).choices(sandboxModes),
    )
    .option('--allow-private', 'let the document and its tools use addresses on this machine and its network')
    .addOption(
      new Option(
        '--limit <calls>',
        'how many calls one message may contain: one, one-writer (any number of read-only calls, or one other call, which must come first) or none (no limit)',
      ).choices(callLimits),
    )
    .option('--idle-timeout <seconds>', 'abort a model call that is silent for this long (default: 120)', parseSeconds)
    .option('--reply-timeout <seconds>', 'abort a model call that takes longer than this (default: 1800)', parseSeconds)
    .option(
      '--max-reply <characters>',
      'stop reading a reply after this many characters (default: 8388608)',
      parseWholeNumber,
    )
    .option(
      '--max-time <seconds>',
      'stop after this much time, not counting waits for your answers (default: 86400)',
      parseSeconds,
    )
    .option('--no-tool-search', 'show the model all tools, even if there are more than 20')
    .option('--salvage', 'also read calls in the text of a model with native tool calling')
    .option('--salvage-dialect <name>', 'like --salvage, for calls in this syntax', notEmpty)
    .option('--refresh', 'reload the sources of answered turns instead of sending them as before')
    .option('--no-cache', 'ask the agents in the text again, even if an answer is cached')
    .option('--cache-days <n>', "how many days to cache an agent's answer (default: 30)", parseDays)
    .option('--wait', 'wait for another run of the same document instead of failing')
    .option(
      '--take-over',
      'take the document over from a run on another machine or in another container without waiting for it to time out',
    )
    .option('--dry-run', 'show what the model would see and exit')
    .option('--json', 'print each chunk as a line of JSON on stdout, and notices as JSON on stderr')
    .option('-q, --quiet', 'print only the answer and errors')
    .addHelpText(
      'after',
      '\nOn a terminal, you see the run live. In a pipe, stdout gets only the answer.\nCtrl-C stops cleanly, a second Ctrl-C immediately.\nExit status: 0 done, 1 failed or waiting for you, 130 stopped.',
    )
    .action(async (file: string, flags: RunFlags) => done(await run({ file, flags, io, runner, command })))
}

interface DocumentRunStart {
  file: string
  flags: RunFlags
  io: Io
  runner: DocumentRunner
  command: Command
}

async function run(start: DocumentRunStart): Promise<number> {
  const { file, flags, io, runner } = start
  if (file === standardInput) return runInput(start, await toOptions(flags, io))
  await realFile(file)
  const options = await toOptions(flags, io)
  if (flags.dryRun === true) return preview(file, flags, options, io, runner)
  if (flags.compact !== true) return runLive(start, options)
  return (await compact(start, options)) ? runLive(start, options) : 0
}

/** Compacts the document. True if there is something left to answer. */
async function compact({ file, flags, io }: DocumentRunStart, options: RunOptions): Promise<boolean> {
  if (flags.output !== undefined || flags.input !== undefined) {
    options.compact = 'now'
    return true
  }
  try {
    const { summary, isUnanswered, usage, cost } = await compactDocument(file, options)
    const spent = `${english.number(usage.totalTokens)} tokens${cost === undefined ? '' : `, ${cost}`}`
    const notice =
      summary === undefined
        ? 'There is nothing to summarise.'
        : `${describeSummary(summary.replaces)} The summary used ${spent}.`
    if (flags.quiet !== true) await tell(io, flags.json === true ? jsonLine({ notice: notice }) : `${notice}\n`)
    return isUnanswered
  } catch (error) {
    if (!(error instanceof ArgotError) || error.code !== 'RUN_PARKED') throw error
    options.compact = 'now'
    return true
  }
}

async function toOptions(flags: RunFlags, io: Io): Promise<RunOptions> {
  const base = { allowPaths: flags.allowPath ?? [], env: io.env, cwd: io.cwd() }
  const options: RunOptions = { ...base, ...toLimits(flags), ...(await readOutputSchema(flags)) }
  const toolSyntax = flags.toolSyntax ?? flags.syntax
  if (toolSyntax !== undefined) options.syntax = syntaxes.get(toolSyntax).name
  if (flags.param !== undefined) options.params = flags.param
  if (flags.input !== undefined) options.input = await readInput(flags.input, io)
  if (flags.model !== undefined) options.model = flags.model
  if (flags.output !== undefined) options.output = flags.output
  if (flags.price !== undefined) options.price = flags.price
  if (flags.approve !== undefined) options.approve = flags.approve
  if (flags.interrupted !== undefined) options.interrupted = flags.interrupted
  const { allow, deny } = flags
  if (allow !== undefined || deny !== undefined) options.rules = { allow, deny }
  if (flags.allowExec === true) options.allowExec = true
  if (flags.tools !== undefined) options.toolModules = flags.tools
  if (flags.allowEnv !== undefined) options.allowEnv = flags.allowEnv
  if (flags.skipUntrusted === true) options.skipUntrusted = true
  if (flags.refresh === true) options.refresh = true
  if (flags.cache === false) options.cache = false
  if (flags.cacheDays !== undefined) options.cacheMs = flags.cacheDays * 24 * 60 * 60 * 1000
  if (flags.sandbox !== undefined) options.sandbox = flags.sandbox
  if (flags.allowPrivate === true) options.allowPrivateAddresses = true
  if (flags.limit !== undefined) options.limit = flags.limit
  if (flags.toolSearch === false) options.toolSearch = false
  if (flags.salvage === true) options.salvage = true
  if (flags.salvageDialect !== undefined) options.salvage = syntaxes.get(flags.salvageDialect).name
  if (flags.wait === true) options.waitForLock = true
  if (flags.takeOver === true) options.takeOver = true
  if (flags.answer !== undefined) options.runClientTool = answerOnce(flags.answer)
  return options
}

function toLimits(flags: RunFlags): RunOptions {
  const toMs = (value: number | undefined): number | undefined => (value === undefined ? undefined : value * 1000)
  return defined({
    maxSteps: flags.maxSteps,
    tokenBudget: flags.maxTokens,
    context: flags.context,
    summaryModel: flags.summaryModel,
    idleMs: toMs(flags.idleTimeout),
    replyMs: toMs(flags.replyTimeout),
    replyLength: flags.maxReply,
    runMs: toMs(flags.maxTime),
  })
}

function answerOnce(answer: string): RunClientTool {
  let isUsed = false
  return async call => {
    if (isUsed) return undefined
    isUsed = true
    return toOutput(call, answer)
  }
}

async function readInput(input: string, io: Io): Promise<string> {
  const message = input === '-' ? await readText(io.stdin) : input
  if (message.trim() === '') throw new UsageError('The --input message is empty.')
  return message
}

async function runLive({ file, flags, io, runner, command }: DocumentRunStart, options: RunOptions): Promise<number> {
  const transcript = flags.output ?? file
  const again = `argot run ${quoteWord(transcript)}${repeatFlags(command)}`
  const start = (more: RunOptions) => runner.runDocument(file, more)
  return showRun({ options, start, flags, io, file: transcript, again, hasInput: flags.input !== undefined })
}

/** A document from standard input is only stored with `--output`. */
async function runInput({ flags, io, command }: DocumentRunStart, options: RunOptions): Promise<number> {
  if (flags.dryRun === true) throw new UsageError('--dry-run needs a document in a file.')
  if (flags.input === '-') throw new UsageError("Standard input can't be both the document and the message.")
  const { file, content } = await readSource(standardInput, io)
  if (!content.ok) throw new UsageError(content.problem.message)
  const { document, diagnostics } = parseChatMd(content.text)
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(one => ({ ...one, file }))
  if (errors.length > 0) {
    await report(errors, new Map([[file, content.text]]), flags.json === true, io)
    return 1
  }
  const { output } = flags
  const again = output === undefined ? undefined : `argot run ${quoteWord(output)}${repeatFlags(command)}`
  const start = (more: RunOptions) => runDocument(document, more)
  return showRun({ options, start, flags, io, file: output, again, hasInput: flags.input !== undefined })
}

async function preview(
  file: string,
  flags: RunFlags,
  options: RunOptions,
  io: Io,
  runner: DocumentRunner,
): Promise<number> {
  const documentPreview = await runner.previewDocument(file, options)
  const hasFailed = documentPreview.diagnostics.some(({ severity }) => severity === 'error')
  if (flags.json === true) {
    const { sources: _, ...data } = documentPreview
    await print(io, jsonLine(JSON.parse(JSON.stringify(data, bytesAsBase64))))
    return hasFailed ? 1 : 0
  }
  await report(documentPreview.diagnostics, documentPreview.sources, false, io)
  if (flags.quiet !== true)
    for (const notice of [...documentPreview.notices, ...(documentPreview.start ?? [])])
      await tell(io, `${safeText(notice)}\n`)
  if (!hasFailed || documentPreview.request !== undefined)
    await print(io, previewText(documentPreview, createPaint(wantsColours(io, io.stdout))))
  return hasFailed ? 1 : 0
}

/** Image bytes become base64 in JSON, as in a request. */
function bytesAsBase64(this: unknown, key: string, value: unknown): unknown {
  // `value` is already `toJSON` output, so read the buffer from its owner.
  const field = (this as Record<string, unknown>)[key]
  return field instanceof Uint8Array ? Buffer.from(field).toString('base64') : value
}

function notEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return value
}

function parseSeconds(value: string): number {
  return parseAmount(value, 'seconds')
}

function parseDays(value: string): number {
  return parseAmount(value, 'days')
}

function parseAmount(value: string, unit: string): number {
  const number = Number(value)
  if (!/^\d+(?:\.\d+)?$/.test(value) || number <= 0) throw new InvalidArgumentError(`It must be a number of ${unit}.`)
  return number
}

function parsePrice(value: string): Price {
  const [input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(value)?.slice(1).map(Number) ?? []
  if (input === undefined || output === undefined)
    throw new InvalidArgumentError('It must be two numbers such as 2.5/10: the price of a million tokens, in and out.')
  return { input, output }
}

function parseWholeNumber(value: string): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a whole number, 1 or more.')
  return number
}

/** Adds one `-p name=value` to the earlier ones. The value is everything after the first `=`. */
function parseParam(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=')
  const name = text.slice(0, at).trim()
  if (at === -1 || name === '') throw new InvalidArgumentError('Use the form name=value.')
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`\`${name}\` is given twice.`)
  return Object.fromEntries([...Object.entries(before), [name, text.slice(at + 1)]])
}
