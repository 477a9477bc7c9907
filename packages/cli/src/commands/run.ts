import { access } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import {
  type ApprovalPolicy,
  type Preview,
  previewDocument,
  type Run,
  type RunOptions,
  type RunResult,
  readDocumentText,
  runDocument,
  type SandboxMode,
  sandboxModes,
} from '@argot/agent'
import type { Diagnostic } from 'argot'
import { syntaxes } from 'argot/syntax'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { findPromptTerminal } from '../ask/prompt-terminal.ts'
import { Questions } from '../ask/questions.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { report } from '../io/report.ts'
import { safeText } from '../io/safe-text.ts'
import { type Stop, watchStop } from '../io/stop.ts'
import { parseApprove, ruleOf } from '../options/approve-option.ts'
import { addSyntaxOption, type SyntaxFlags } from '../options/syntax-option.ts'
import { createView, isLive } from '../view/create-view.ts'
import { previewText } from '../view/preview-text.ts'
import { Tally } from '../view/tally.ts'

interface RunFlags extends SyntaxFlags {
  model?: string
  input?: string
  output?: string
  maxSteps?: number
  maxTokens?: number
  approve?: ApprovalPolicy
  allow?: string[]
  deny?: string[]
  allowPath?: string[]
  allowExec?: boolean
  allowEnv?: string[]
  tools?: string[]
  skipUntrusted?: boolean
  refresh?: boolean
  cache?: boolean
  sandbox?: SandboxMode
  allowPrivate?: boolean
  salvage?: boolean
  wait?: boolean
  json?: boolean
  dryRun?: boolean
  quiet?: boolean
}

/** What runs and previews documents; `@argot/agent` does. */
export interface Runner {
  runDocument: (file: string, options?: RunOptions) => Run
  previewDocument: (file: string, options?: RunOptions) => Promise<Preview>
}

/** `argot run`: runs a document, shows it live, and appends what happened to the document. */
export function runCommand(
  command: Command,
  io: Io,
  done: (status: number) => void,
  runner: Runner = { runDocument, previewDocument },
): void {
  command.option('-m, --model <name>', 'the model, such as openai:gpt-4o, ollama:llama3 or demo', notEmpty)
  addSyntaxOption(command)
    .option('-i, --input <text>', 'add this message of yours first; - reads it from standard input')
    .option('-o, --output <file>', 'write the transcript here and leave the document as it is', notEmpty)
    .option('--max-steps <n>', 'stop after so many model calls', wholeNumber)
    .option('--max-tokens <n>', 'start no model call after so many tokens, in and out', wholeNumber)
    .option(
      '--approve <mode>',
      'which calls run without a question: ask (those that only read), all, none, readonly (the others are refused), or a list such as ask,write_file=all',
      parseApprove,
    )
    .option(
      '--allow <rule>',
      'run calls like this without a question, such as write_file(docs/**); may be repeated',
      ruleOf('allow'),
    )
    .option('--deny <rule>', 'never run calls like this, such as git(push **); may be repeated', ruleOf('deny'))
    .option(
      '--allow-path <dir>',
      'let the document and its tools use files in this folder too; may be repeated',
      (dir, all: string[] = []) => [...all, notEmpty(dir)],
    )
    .option(
      '--tools <file>',
      'offer the tools that this JavaScript module exports, too; may be repeated',
      (file, all: string[] = []) => [...all, notEmpty(file)],
    )
    .option('--allow-exec', 'offer the commands of the document to the model without asking')
    .option(
      '--allow-env <name>',
      'let the document send this variable to MCP servers as a token; may be repeated',
      (name, all: string[] = []) => [...all, notEmpty(name)],
    )
    .option('--skip-untrusted', 'where nobody can be asked, run without the tools that you have not allowed')
    .addOption(
      new Option(
        '--sandbox <mode>',
        'confine the programs that tools start: auto (where that works), require (start none unconfined) or off',
      ).choices(sandboxModes),
    )
    .option('--allow-private', 'let the document and its tools use addresses of this machine and its network')
    .option('--salvage', 'read calls that the model writes into its text although it has calls of its own')
    .option('--refresh', 'read what answered turns bring in anew, instead of sending what was sent')
    .option('--no-cache', 'ask the agents in the text again, whatever they answered before')
    .option('--wait', 'wait for another run of the same document instead of failing')
    .option('--dry-run', 'show what the model would see, and start nothing')
    .option('--json', 'print each chunk as one JSON a line on stdout, and notices as JSON on stderr')
    .option('-q, --quiet', 'print the answer and errors only')
    .addHelpText(
      'after',
      '\nOn a terminal you see the run live; in a pipe stdout gets the answer and nothing else.\nCtrl-C stops cleanly, a second one at once. Exit status: 0 done; 1 failed, or waiting for an approval; 130 stopped.',
    )
    .action(async (file: string, flags: RunFlags) => done(await run(file, flags, io, runner)))
}

async function run(file: string, flags: RunFlags, io: Io, runner: Runner): Promise<number> {
  await access(file)
  const options = await toOptions(flags, io)
  return flags.dryRun === true ? preview(file, flags, options, io, runner) : start(file, flags, options, io, runner)
}

async function toOptions(flags: RunFlags, io: Io): Promise<RunOptions> {
  const options: RunOptions = { allowPaths: flags.allowPath ?? [], env: io.env, cwd: io.cwd() }
  const toolSyntax = flags.toolSyntax ?? flags.syntax
  if (toolSyntax !== undefined) options.toolSyntax = syntaxes.get(toolSyntax).name
  if (flags.input !== undefined) options.input = await readInput(flags.input, io)
  if (flags.model !== undefined) options.model = flags.model
  if (flags.output !== undefined) options.output = flags.output
  if (flags.maxSteps !== undefined) options.maxSteps = flags.maxSteps
  if (flags.maxTokens !== undefined) options.maxTokens = flags.maxTokens
  if (flags.approve !== undefined) options.approve = flags.approve
  const { allow, deny } = flags
  if (allow !== undefined || deny !== undefined) options.rules = { allow, deny }
  if (flags.allowExec === true) options.allowExec = true
  if (flags.tools !== undefined) options.toolModules = flags.tools
  if (flags.allowEnv !== undefined) options.allowEnv = flags.allowEnv
  if (flags.skipUntrusted === true) options.skipUntrusted = true
  if (flags.refresh === true) options.refresh = true
  if (flags.cache === false) options.cache = false
  if (flags.sandbox !== undefined) options.sandbox = flags.sandbox
  if (flags.allowPrivate === true) options.allowPrivateAddresses = true
  if (flags.salvage === true) options.salvage = true
  if (flags.wait === true) options.wait = true
  return options
}

async function readInput(input: string, io: Io): Promise<string> {
  const message = input === '-' ? await readText(io.stdin) : input
  if (message.trim() === '') throw new UsageError('The message of --input is empty.')
  return message
}

async function start(file: string, flags: RunFlags, options: RunOptions, io: Io, runner: Runner): Promise<number> {
  let model: string | undefined
  const view = createView(io, flags, { model: () => model })
  const stop = watchStop(io, () => view.notice('Stopping. Press Ctrl-C again to leave at once.'))
  const terminal = findPromptTerminal(io, flags)
  const { signal } = stop
  const questions =
    terminal &&
    new Questions({ terminal, view, signal, interrupt: stop.interrupt, colours: wantsColours(io, terminal.output) })
  const startedAt = Date.now()
  const tally = new Tally()
  const running = runner.runDocument(file, {
    ...options,
    signal,
    notice: (text, { always } = {}) => view.notice(text, always),
    chosen: about => {
      model = about.model
    },
    ...(questions !== undefined && { ask: questions.approve, trust: questions.trust }),
  })
  try {
    for await (const chunk of running) {
      tally.push(chunk)
      const slow = view.push(chunk)
      if (slow !== undefined) await slow
      if (chunk.type === 'tool-approval-request') questions?.saw(chunk.approvalId ?? chunk.toolCallId)
    }
  } finally {
    await view.end()
    stop.release()
  }
  const summary = tally.describe(Date.now() - startedAt)
  return conclude(await running.result, { file: flags.output ?? file, summary, stop, flags, io })
}

interface Ending {
  /** The transcript. */
  file: string
  summary: string
  stop: Stop
  flags: RunFlags
  io: Io
}

/** Says how the run ended, prints the answer where it was not seen yet, and gives the exit status. */
async function conclude(result: RunResult, { file, summary, stop, flags, io }: Ending): Promise<number> {
  const live = isLive(io, flags)
  if (flags.json === true) await tellJson(result, io)
  else if (result.status === 'failed') {
    const { code, error, diagnostics = [] } = result
    await report(diagnostics, await readSources(diagnostics), false, io)
    await tell(io, `argot: ${safeText(error)} (${code})\n`)
  } else if (result.status === 'done' && !live && result.text !== '') {
    await print(io, `${result.text}\n`)
  }
  if (flags.json !== true && flags.quiet !== true) {
    await tellEnding(result.status, live, file, summary, io)
    // The same command once more would add the message once more.
    if (result.status === 'failed' && result.message !== undefined && flags.input !== undefined) {
      const where = safeText(file)
      await tell(io, `Your message is in ${where}. To try again: argot run ${where}\n`)
    }
  }
  return stop.status ?? (result.status === 'done' ? 0 : 1)
}

async function tellEnding(
  status: RunResult['status'],
  live: boolean,
  file: string,
  summary: string,
  io: Io,
): Promise<void> {
  const paint = createPaint(wantsColours(io, io.stderr))
  const where = safeText(file)
  if (live) await tell(io, `\n${paint(`${summary}. Transcript: ${where}`, 'dim')}\n`)
  const again = `Run it again to go on: argot run ${where}`
  if (status === 'parked') await tell(io, `A call waits for your approval. ${again}\n`)
  if (status === 'stopped') await tell(io, `Stopped. What was said so far is in ${where}. ${again}\n`)
}

async function tellJson(result: RunResult, io: Io): Promise<void> {
  const { status } = result
  const failure = status === 'failed' ? { code: result.code, error: result.error } : {}
  const diagnostics = (status === 'failed' && result.diagnostics) || []
  const lines = [...diagnostics.map(diagnostic => ({ diagnostic })), { result: { status, ...failure } }]
  await tell(io, lines.map(line => jsonLine(line)).join(''))
}

/** The texts that the diagnostics point into, as far as they are files that can be read. */
async function readSources(diagnostics: readonly Diagnostic[]): Promise<Map<string | undefined, string>> {
  const sources = new Map<string | undefined, string>()
  for (const { file } of diagnostics) {
    if (file === undefined || sources.has(file)) continue
    const read = await readDocumentText(file).catch(() => undefined)
    sources.set(file, read?.ok === true ? read.text : '')
  }
  return sources
}

async function preview(file: string, flags: RunFlags, options: RunOptions, io: Io, runner: Runner): Promise<number> {
  const seen = await runner.previewDocument(file, options)
  const failed = seen.diagnostics.some(({ severity }) => severity === 'error')
  if (flags.json === true) {
    const { sources: _, ...data } = seen
    await print(io, jsonLine(data))
    return failed ? 1 : 0
  }
  await report(seen.diagnostics, seen.sources, false, io)
  if (flags.quiet !== true) for (const notice of seen.notices) await tell(io, `${safeText(notice)}\n`)
  if (!failed) await print(io, previewText(seen, createPaint(wantsColours(io, io.stdout))))
  return failed ? 1 : 0
}

function notEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return value
}

function wholeNumber(value: string): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return number
}
