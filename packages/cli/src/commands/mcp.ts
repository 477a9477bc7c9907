import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type ApprovalPolicy, folderStore, type RunOptions } from '@argot/agent'
import { checkModelName, findConfigFolder, type SandboxMode, sandboxModes } from '@argot/agent/internal'
import { syntaxes } from '@argot/core/syntax'
import { type Command, Option } from 'commander'
import { readFolder } from '../documents/folder-paths.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { type Stop, watchStop } from '../io/stop.ts'
import type { McpService } from '../mcp/mcp-service.ts'
import { mcpPath, serveOverHttp } from '../mcp/serve-http.ts'
import { serveOverStdio } from '../mcp/serve-stdio.ts'
import { ServedCalls } from '../mcp/served-calls.ts'
import { ServedFolder } from '../mcp/served-folder.ts'
import { hostNames, isLoopback, readPort } from '../options/address-options.ts'
import { parseApprove } from '../options/approve-option.ts'
import { addSyntaxOption, type SyntaxFlags } from '../options/syntax-option.ts'

interface McpFlags extends SyntaxFlags {
  http?: boolean
  port?: string
  host?: string
  name?: string[]
  token?: string
  model?: string
  approve?: ApprovalPolicy
  approveByClient?: boolean
  allowExec?: boolean
  sandbox?: SandboxMode
  allowPrivate?: boolean
  maxCalls?: string
  json?: boolean
  quiet?: boolean
}

const MAX_CALLS = 8
const EXIT_MS = 4000

export function mcpCommand(command: Command, io: Io, done: (status: number) => void): void {
  addSyntaxOption(command)
    .option('--http', 'serve over Streamable HTTP (default: standard input and output)')
    .option('--port <number>', 'with --http: the port; 0 picks any free port (default: the first free port from 4178)')
    .option(
      '--host <address>',
      'with --http: the address to listen on; anything but loopback needs a token (default: 127.0.0.1)',
    )
    .option('--name <name...>', 'with --http: additional host names of this server; they need a token')
    .option(
      '--token <token>',
      'with --http: the bearer token that every request must carry; generated and printed if needed',
    )
    .option('-m, --model <name>', 'use this model instead of the one a document names')
    .option(
      '--approve <policy>',
      'which calls run: ask (read-only calls; others are refused), all, readonly, none, or tool=mode',
      parseApprove,
    )
    .option(
      '--approve-by-client',
      'let the client approve calls if it can show forms; callers then approve their own calls',
    )
    .option('--allow-exec', 'start the commands, servers and modules in documents')
    .addOption(
      new Option('--sandbox <mode>', 'sandbox the programs that tools start: auto, require or off').choices(
        sandboxModes,
      ),
    )
    .option('--allow-private', 'let documents and their tools use addresses on this machine and its network')
    .option('--max-calls <n>', `run at most this many calls at the same time (default: ${MAX_CALLS})`)
    .option('--json', 'with --http: print the address as one line of JSON')
    .option('-q, --quiet', 'print no notices')
    .addHelpText(
      'after',
      `
A document is a tool if it has parameters, or if it has no answer yet. Each call
runs in a new document in chats/. With --http, the first line on stdout is the
address. Otherwise, stdout carries only the protocol. Notices go to stderr.`,
    )
    .action(async (action: string, folder: string | undefined, flags: McpFlags) => {
      if (action !== 'serve') throw new UsageError(`"${action}" is not an action. Use: argot mcp serve [FOLDER]`)
      done(await serveMcp(folder, flags, io))
    })
}

async function serveMcp(folder: string | undefined, flags: McpFlags, io: Io): Promise<number> {
  const syntax = flags.toolSyntax ?? flags.syntax
  if (syntax !== undefined) syntaxes.get(syntax)
  checkModelName(flags.model, { env: io.env })
  checkHttpFlags(flags)
  const root = await readFolder(resolve(io.cwd(), folder ?? '.'))
  const configFolder = findConfigFolder({ env: io.env })
  const notice = (text: string): void => void (flags.quiet === true ? undefined : tell(io, `${text}\n`))
  const run: RunOptions = {
    env: io.env,
    cwd: root,
    configFolder,
    model: flags.model,
    approve: flags.approve,
    syntax,
    allowExec: flags.allowExec,
    sandbox: flags.sandbox,
    allowPrivateAddresses: flags.allowPrivate,
  }
  const store = { ...folderStore(root, { configFolder, env: io.env }), root }
  const service: McpService = {
    folder: new ServedFolder(store, run, notice),
    calls: new ServedCalls({ maxCalls: readMaxCalls(flags.maxCalls) }),
    run,
    approvesCalls: flags.approveByClient === true,
    notice,
    version: '0.1.0',
  }
  const stop = watchStop(io, () => {})
  // A tool that doesn't stop can't delay the exit.
  let timer: NodeJS.Timeout | undefined
  const exitSoon = (): void => {
    timer ??= setTimeout(() => process.exit(0), EXIT_MS).unref()
  }
  stop.signal.addEventListener('abort', exitSoon, { once: true })
  try {
    if (flags.http === true) await serveHttp(service, flags, io, stop)
    else await serveOverStdio(service, io, stop.signal, exitSoon)
  } finally {
    clearTimeout(timer)
    stop.release()
  }
  return 0
}

async function serveHttp(service: McpService, flags: McpFlags, io: Io, { signal }: Stop): Promise<void> {
  const host = flags.host ?? '127.0.0.1'
  const isLocal = isLoopback(host)
  const names = (flags.name ?? []).map(name => name.toLowerCase())
  const isOpen = !isLocal || names.length > 0
  const token = flags.token ?? (isOpen ? randomBytes(24).toString('base64url') : undefined)
  const hosts = [...names, ...(isLocal ? [] : hostNames(host))]
  const listening = await serveOverHttp(service, { host, port: readPort(flags.port), hosts, token, signal })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}${mcpPath}`
  if (flags.json === true) await print(io, jsonLine({ url, token }))
  else await print(io, `Argot is at ${url}\n`)
  if (token !== undefined && flags.json !== true) {
    await tell(io, `Every request needs this header: Authorization: Bearer ${token}\n`)
  }
  if (!signal.aborted) {
    await new Promise<void>(end => signal.addEventListener('abort', () => end(), { once: true }))
  }
  await listening.close()
}

function checkHttpFlags(flags: McpFlags): void {
  if (flags.token !== undefined && flags.token.length < 8)
    throw new UsageError('A token must have at least 8 characters.')
  if (flags.http === true) return
  const needless = (['port', 'host', 'name', 'token', 'json'] as const).find(name => flags[name] !== undefined)
  if (needless !== undefined) throw new UsageError(`--${needless} needs --http.`)
}

function readMaxCalls(text: string | undefined): number {
  if (text === undefined) return MAX_CALLS
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new UsageError(`--max-calls must be a number from 1 to 9999, not "${text}".`)
}
