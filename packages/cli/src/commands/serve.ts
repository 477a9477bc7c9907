import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ApprovalPolicy, folderStore, type Store } from '@argot/agent'
import { findConfigFolder, type InterruptedMode, readLeaseMs } from '@argot/agent/internal'
import { loadSettings } from '@argot/agent/workshop'
import { parseChatMd } from '@argot/core/chatmd'
import { createServer, defaultLimits, listen, openQueue } from '@argot/server'
import type { Command } from 'commander'
import { readFolder, serverStateFolder } from '../documents/served-folder.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { watchStop } from '../io/stop.ts'
import { hostNames, isLoopback, readPort } from '../options/address-options.ts'
import { interruptedOption, parseApprove } from '../options/approve-option.ts'
import { addSyntaxOption, type SyntaxFlags } from '../options/syntax-option.ts'

interface ServeFlags extends SyntaxFlags {
  port?: string
  host?: string
  name?: string[]
  token?: string
  new?: string
  state?: string
  model?: string
  approve?: ApprovalPolicy
  interrupted?: InterruptedMode
  allowExec?: boolean
  takeOver?: boolean
  json?: boolean
  quiet?: boolean
}

/** How long a server may take to leave. */
const LEAVE_MS = 4000

/** `argot serve`: a folder of documents over HTTP. */
export function serveCommand(command: Command, io: Io, done: (status: number) => void): void {
  addSyntaxOption(command)
    .option('--port <number>', 'listen at this port; 0 takes any (default: the first free one from 4176 on)')
    .option('--host <address>', 'listen at this address; any but loopback needs a token (default: 127.0.0.1)')
    .option('--name <name...>', 'other names of this server, such as that of a proxy in front; they need a token')
    .option('--token <token>', 'what every request must carry; one is made up and printed where it is needed')
    .option('--new <file>', 'what a new conversation begins as')
    .option('--state <folder>', 'where the server keeps what it remembers')
    .option(
      '--take-over',
      'take over from a server on another machine or in another container without waiting until it has fallen silent',
    )
    .option('-m, --model <name>', 'the model for documents that name none')
    .option('--allow-exec', 'start the commands, servers and modules of documents without asking')
    .option('--json', 'print the address as one line of JSON')
    .option('-q, --quiet', 'say nothing but the address')
    .option(
      '--approve <policy>',
      'which calls run without a question: ask, all, readonly, none, or tool=mode',
      parseApprove,
    )
    .addOption(interruptedOption())
    .addHelpText(
      'after',
      `
The first line on stdout is the address. Everything else goes to stderr.
Calls that change something wait for an answer, as long as it takes. Ctrl-C leaves
runs as they are; the next start continues them.`,
    )
    .action(async (folder: string | undefined, flags: ServeFlags) => done(await serve(folder ?? '.', flags, io)))
}

async function serve(folder: string, flags: ServeFlags, io: Io): Promise<number> {
  const root = await readFolder(resolve(io.cwd(), folder))
  const host = flags.host ?? '127.0.0.1'
  const port = readPort(flags.port)
  const isLocal = isLoopback(host)
  const names = (flags.name ?? []).map(name => name.toLowerCase())
  const isOpen = !isLocal || names.length > 0
  const token = flags.token ?? (isOpen ? randomBytes(24).toString('base64url') : undefined)
  if (token !== undefined && token.length < 8) throw new UsageError('A token has at least 8 characters.')
  const configFolder = findConfigFolder({ env: io.env })
  const stateFolder = flags.state === undefined ? serverStateFolder(configFolder, root) : resolve(io.cwd(), flags.state)
  const { retention } = await loadSettings({ directory: root, configFolder })
  const store = folderStore(root, { configFolder, env: io.env })
  const template = flags.new === undefined ? undefined : resolve(io.cwd(), flags.new)
  if (template !== undefined) await readTemplate(template)
  const say = (text: string): void => void (flags.quiet === true ? undefined : tell(io, `${text}\n`))
  const stop = watchStop(io, () => {})
  const queue = await openQueue(stateFolder, {
    takeOver: flags.takeOver,
    notice: say,
    signal: stop.signal,
    leaseMs: readLeaseMs(io.env),
  }).catch((error: unknown) => {
    stop.release()
    if (stop.signal.aborted) return undefined
    throw error
  })
  if (queue === undefined) return stop.status ?? 1
  const server = createServer({
    store,
    queue,
    token,
    retentionMs: retention?.value,
    hosts: [...names, ...(isLocal ? [] : hostNames(host))],
    // Only a program of this machine can be the proxy: it says who its clients are.
    trustsProxy: isLocal && names.length > 0,
    notice: say,
    page: findPage(),
    template: () => (template === undefined ? onlyPrompt(store) : readTemplate(template)),
    run: {
      env: io.env,
      cwd: root,
      configFolder,
      model: flags.model,
      approve: flags.approve,
      interrupted: flags.interrupted,
      syntax: flags.toolSyntax ?? flags.syntax,
      allowExec: flags.allowExec,
    },
  })
  const listening = await listen(server, { host, port }).catch(async (error: unknown) => {
    await server.close()
    await queue.close()
    throw error
  })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}/`
  if (flags.json === true) await print(io, jsonLine({ url, token }))
  else await print(io, `Argot is at ${token === undefined ? url : `${url}#token=${token}`}\n`)
  const count = (await store.documents.list()).length
  say(
    `${count === 1 ? 'One document' : `${count} documents`} in ${root}. Ctrl-C stops the server; runs continue with the next start.`,
  )
  await new Promise<void>(end => {
    if (stop.signal.aborted) end()
    stop.signal.addEventListener('abort', () => end(), { once: true })
    server.lost.addEventListener('abort', () => end(), { once: true })
  })
  // A tool that does not let go does not hold up the end: what it left is continued as after a crash.
  setTimeout(() => process.exit(server.lost.aborted ? 1 : 0), LEAVE_MS).unref()
  const closing = server.close()
  await listening.close()
  await closing
  await queue.close()
  stop.release()
  return server.lost.aborted ? 1 : 0
}

/** Where the page is: beside the bundle, or where the build of the repository puts it. */
function findPage(): string | undefined {
  const places = ['./page', '../page', '../../../server/page'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return places.find(place => existsSync(join(place, 'index.html')))
}

async function readTemplate(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) throw new UsageError(`There is no document "${file}".`)
  return text
}

/** A new conversation begins as the only document of the folder that nobody has answered; else as an empty one. */
async function onlyPrompt(store: Store): Promise<string> {
  const paths = (await store.documents.list()).filter(path => !path.startsWith('chats/'))
  const prompts: string[] = []
  for (const path of paths.slice(0, 200)) {
    const text = await store.documents.read(path, { most: defaultLimits.documentBytes }).then(
      read => read.text,
      () => undefined,
    )
    // One that cannot be read begins nothing.
    if (text === undefined) continue
    const { document } = parseChatMd(text)
    const isAnswered = document.entries.some(entry => entry.type === 'message' && entry.role === 'assistant')
    if (!isAnswered) prompts.push(text)
  }
  return prompts.length === 1 ? prompts[0]! : ''
}
