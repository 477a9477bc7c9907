import { randomBytes } from 'node:crypto'
import { listen } from '@argot/server'
import { createProxy } from '@argot/server/proxy'
import type { Command } from 'commander'
import { findPage } from '../io/find-page.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { watchStop } from '../io/stop.ts'
import { hostNames, isLoopback, readPort } from '../options/address-options.ts'
import { addSyntaxOption, type SyntaxFlags } from '../options/syntax-option.ts'

interface ProxyFlags extends SyntaxFlags {
  upstream: string
  teach?: boolean
  retries?: string
  reasoningCalls?: boolean
  port?: string
  host?: string
  name?: string[]
  token?: string
  json?: boolean
  quiet?: boolean
}

const FIRST_PORT = 4177

export function proxyCommand(command: Command, io: Io, done: (status: number) => void): void {
  addSyntaxOption(command)
    .requiredOption('--upstream <url>', 'the model server, such as http://localhost:11434/v1')
    .option('--teach', 'describe the tools to every model as text (default: only to models whose server refuses tools)')
    .option(
      '--retries <number>',
      'how many times to send a broken call back to the model; 0 streams arguments (default: 1)',
    )
    .option('--reasoning-calls', 'also read calls at the end of unclosed reasoning')
    .option('--port <number>', 'the port; 0 picks any free port (default: the first free port from 4177)')
    .option('--host <address>', 'the address to listen on; anything but loopback needs a token (default: 127.0.0.1)')
    .option('--name <name...>', 'additional host names of this proxy; they need a token')
    .option(
      '--token <token>',
      'the token that every request must carry in `x-argot-token`; generated and printed if needed',
    )
    .option('--json', 'print the address as one line of JSON')
    .option('-q, --quiet', 'print only the address')
    .addHelpText(
      'after',
      `
The first line on stdout is the address. Each request is logged to stderr.
Point your client at ADDRESS/v1 (OpenAI) or ADDRESS (Anthropic). ADDRESS/debug
shows what the model wrote and how the proxy read it. ADDRESS/playground parses
text that you paste.`,
    )
    .action(async (flags: ProxyFlags) => done(await proxy(flags, io)))
}

async function proxy(flags: ProxyFlags, io: Io): Promise<number> {
  const host = flags.host ?? '127.0.0.1'
  const isLocal = isLoopback(host)
  const names = (flags.name ?? []).map(name => name.toLowerCase())
  const isOpen = !isLocal || names.length > 0
  const token = flags.token ?? (isOpen ? randomBytes(24).toString('base64url') : undefined)
  if (token !== undefined && token.length < 8) throw new UsageError('A token must have at least 8 characters.')
  const port = readPort(flags.port)
  const handler = createProxy({
    upstream: flags.upstream,
    syntax: flags.toolSyntax ?? flags.syntax,
    teach: flags.teach,
    retries: readRetries(flags.retries),
    reasoningCalls: flags.reasoningCalls,
    token,
    page: findPage(),
    hosts: [...names, ...(isLocal ? [] : hostNames(host))],
    log: line => void (flags.quiet === true ? undefined : tell(io, `${line}\n`)),
  })
  const stop = watchStop(io, () => {})
  const listening = await listen(handler, { host, port, firstPort: FIRST_PORT }).catch((error: unknown) => {
    stop.release()
    throw error
  })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}/`
  if (flags.json === true) await print(io, jsonLine({ url, token }))
  else await print(io, `Argot is at ${url}\n`)
  if (flags.quiet !== true) {
    await tell(io, `OpenAI clients: ${url}v1, Anthropic clients: ${url}\n`)
    const debug = token === undefined ? '' : `#token=${token}`
    await tell(io, `Watch the requests at ${url}debug${debug}\n`)
    if (token !== undefined) await tell(io, `Every request needs this header: x-argot-token: ${token}\n`)
  }
  if (!stop.signal.aborted) {
    await new Promise<void>(end => stop.signal.addEventListener('abort', () => end(), { once: true }))
  }
  await listening.close()
  handler.close()
  stop.release()
  return 0
}

function readRetries(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d$/.test(text)) return Number(text)
  throw new UsageError(`--retries must be a number from 0 to 9, not "${text}".`)
}
