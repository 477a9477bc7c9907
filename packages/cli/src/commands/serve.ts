import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { folderStore, type Store } from '@argot/agent'
import { checkModelName, createWhole, findConfigFolder, readLeaseMs } from '@argot/agent/internal'
import { loadSettings } from '@argot/agent/workshop'
import { parseChatMd } from '@argot/core/chatmd'
import { syntaxes } from '@argot/core/syntax'
import { createServer, defaultLimits, listen, openQueue, type Queue, type ServerOptions } from '@argot/server'
import type { Command } from 'commander'
import { addressFile, readFolder, serverStateFolder } from '../documents/folder-paths.ts'
import { openStore, sharedToken, storeAddress } from '../documents/store-address.ts'
import { findPage } from '../io/find-page.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { watchStop } from '../io/stop.ts'
import { hostNames, isLoopback, readPort } from '../options/address-options.ts'
import { addServedRunOptions, exitSoon, type ServedRunFlags, toServedRun } from '../options/served-run-options.ts'

interface ServeFlags extends ServedRunFlags {
  port?: string
  host?: string
  name?: string[]
  token?: string
  new?: string
  state?: string
  takeOver?: boolean
  allowRelax?: boolean
  json?: boolean
}

export function serveCommand(command: Command, io: Io, done: (status: number) => void): void {
  addServedRunOptions(command)
    .option('--port <number>', 'the port; 0 picks any free port (default: the first free port from 4176)')
    .option('--host <address>', 'the address to listen on; anything but loopback needs a token (default: 127.0.0.1)')
    .option(
      '--name <name...>',
      'additional host names of this server, such as that of a reverse proxy; they need a token',
    )
    .option('--token <token>', 'the token that every request must carry; generated and printed if needed')
    .option('--allow-relax', 'let the page allow all calls in a folder for an hour; not with --store')
    .option('--new <file>', 'initial text of new conversations')
    .option('--state <folder>', "the folder for the server's state")
    .option(
      '--store <address>',
      'serve the documents in this database, such as postgres://user@host/name; argot worker runs them (default: $ARGOT_STORE)',
    )
    .option('--root <folder>', "with --store: the workers' folder, for checks and previews")
    .option(
      '--take-over',
      'take over from a server on another machine or in another container without waiting for it to time out',
    )
    .option('--json', 'print the address as one line of JSON')
    .option('-q, --quiet', 'print only the address')
    .addHelpText(
      'after',
      `
The first line on stdout is the address. Everything else goes to stderr.
Calls that need approval wait for your answer, as long as it takes.
Ctrl-C leaves runs unchanged. The next start continues them.`,
    )
    .action(async (folder: string | undefined, flags: ServeFlags) => done(await serve(folder, flags, io)))
}

interface ServedStore {
  store: Store
  queue: Queue
  serverOptions: Partial<ServerOptions>
  root: string | undefined
  token: string | undefined
  name: string
  hint: string
  /** Publishes the address for commands on the same folder. */
  announce?(url: string): Promise<void>
  close(): Promise<void>
}

async function serve(folder: string | undefined, flags: ServeFlags, io: Io): Promise<number> {
  const syntax = flags.toolSyntax ?? flags.syntax
  // Report a wrong name now, not in every run.
  if (syntax !== undefined) syntaxes.get(syntax)
  checkModelName(flags.model, { env: io.env })
  const host = flags.host ?? '127.0.0.1'
  const port = readPort(flags.port)
  const isLocal = isLoopback(host)
  const names = (flags.name ?? []).map(name => name.toLowerCase())
  const isOpen = !isLocal || names.length > 0
  const configFolder = findConfigFolder({ env: io.env })
  const template = flags.new === undefined ? undefined : resolve(io.cwd(), flags.new)
  if (template !== undefined) await readTemplate(template)
  if (flags.token !== undefined && flags.token.length < 8)
    throw new UsageError('A token must have at least 8 characters.')
  const notice = (text: string): void => void (flags.quiet === true ? undefined : tell(io, `${text}\n`))
  const address = storeAddress(folder === undefined ? flags.store : (flags.store ?? ''), io)
  if (address !== undefined && folder !== undefined) throw new UsageError('Use a folder or --store, not both.')
  const root = address === undefined ? await readFolder(resolve(io.cwd(), folder ?? '.')) : undefined
  const stop = watchStop(io, () => {})
  const opening =
    address === undefined
      ? openFolder(root!, flags, { io, configFolder, notice, signal: stop.signal })
      : openDatabase(address, flags, { io, configFolder })
  const served = await opening.catch((error: unknown) => {
    stop.release()
    if (stop.signal.aborted) return undefined
    throw error
  })
  if (served === undefined) return stop.status ?? 1
  const { store, queue } = served
  const token = flags.token ?? (isOpen ? (served.token ?? randomBytes(24).toString('base64url')) : undefined)
  const server = createServer({
    store,
    queue,
    token,
    hosts: [...names, ...(isLocal ? [] : hostNames(host))],
    // Only a program on this machine can be the proxy, because the proxy names its clients.
    trustsProxy: isLocal && names.length > 0,
    notice,
    allowRelax: flags.allowRelax,
    page: findPage(),
    takesKeys: address === undefined,
    template: () => (template === undefined ? readOnlyPrompt(store) : readTemplate(template)),
    ...served.serverOptions,
    run: toServedRun(flags, { io, configFolder, root: served.root, now: served.serverOptions.now }),
  })
  const listening = await listen(server, { host, port }).catch(async (error: unknown) => {
    await server.close()
    await served.close()
    throw error
  })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}/`
  await served.announce?.(url).catch(() => {})
  if (flags.json === true) await print(io, jsonLine({ url, token }))
  else await print(io, `Argot is at ${token === undefined ? url : `${url}#token=${token}`}\n`)
  const count = (await store.documents.list()).length
  notice(`${count === 1 ? 'One document' : `${count} documents`} in ${served.name}. ${served.hint}`)
  await new Promise<void>(end => {
    if (stop.signal.aborted) end()
    stop.signal.addEventListener('abort', () => end(), { once: true })
    server.lost.addEventListener('abort', () => end(), { once: true })
  })
  const status = server.lost.aborted ? 1 : 0
  exitSoon(status)
  const closing = server.close()
  await listening.close()
  await closing
  await served.close()
  stop.release()
  return status
}

interface OpenContext {
  io: Io
  configFolder: string
}

async function openFolder(
  root: string,
  flags: ServeFlags,
  { io, configFolder, notice, signal }: OpenContext & { notice: (text: string) => void; signal: AbortSignal },
): Promise<ServedStore> {
  const stateFolder = flags.state === undefined ? serverStateFolder(configFolder, root) : resolve(io.cwd(), flags.state)
  const address = addressFile(stateFolder)
  const { retention } = await loadSettings({ directory: root, configFolder })
  const queue = await openQueue(stateFolder, {
    takeOver: flags.takeOver,
    notice,
    signal,
    leaseMs: readLeaseMs(io.env),
  })
  return {
    store: folderStore(root, { configFolder, env: io.env }),
    queue,
    serverOptions: { retentionMs: retention?.value },
    root,
    token: undefined,
    name: root,
    hint: 'Ctrl-C stops the server. Runs continue at the next start.',
    // If this fails, only `/open` in a chat can't find the page.
    announce: async url => {
      await rm(address, { force: true })
      createWhole(address, JSON.stringify({ url, pid: process.pid }), { mode: 0o600 })
    },
    close: async () => {
      await rm(address, { force: true }).catch(() => {})
      await queue.close()
    },
  }
}

/** A web node: it takes requests and follows runs, and workers execute them. */
async function openDatabase(
  address: string,
  flags: ServeFlags,
  { io, configFolder }: OpenContext,
): Promise<ServedStore> {
  if (flags.allowRelax === true) {
    throw new UsageError("--allow-relax works in the memory of one process, so it can't be used with --store.")
  }
  const root = flags.root === undefined ? undefined : await readFolder(resolve(io.cwd(), flags.root))
  const { store, key } = await openStore(address, { as: 'web', configFolder, io })
  const { postgresQueue } = await import('@argot/postgres')
  const { retention } = await loadSettings({ directory: root ?? configFolder, configFolder })
  return {
    store,
    queue: postgresQueue(store),
    serverOptions: { workers: false, now: store.now, retentionMs: retention?.value },
    root,
    token: key === undefined ? undefined : sharedToken(key),
    name: 'the database',
    hint: 'Ctrl-C stops this server. `argot worker` runs the documents.',
    close: () => store.close(),
  }
}

async function readTemplate(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) throw new UsageError(`There is no document "${file}".`)
  return text
}

/** A new conversation starts with the folder's only unanswered document, otherwise empty. */
async function readOnlyPrompt(store: Store): Promise<string> {
  const paths = (await store.documents.list()).filter(path => !path.startsWith('chats/'))
  const prompts: string[] = []
  for (const path of paths.slice(0, 200)) {
    const text = await store.documents.read(path, { most: defaultLimits.documentBytes }).then(
      read => read.text,
      () => undefined,
    )
    if (text === undefined) continue
    const { document } = parseChatMd(text)
    const isAnswered = document.entries.some(entry => entry.type === 'message' && entry.role === 'assistant')
    if (!isAnswered) prompts.push(text)
  }
  return prompts.length === 1 ? prompts[0]! : ''
}
