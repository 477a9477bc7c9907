import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findConfigFolder } from '@argot/agent/internal'
import { createServer } from '@argot/server'
import type { Command } from 'commander'
import { readFolder } from '../documents/folder-paths.ts'
import { openStore, storeAddress } from '../documents/store-address.ts'
import { type Io, print, tell, UsageError } from '../io/io.ts'
import { watchStop } from '../io/stop.ts'
import { addServedRunOptions, exitSoon, type ServedRunFlags, toServedRun } from '../options/served-run-options.ts'

interface WorkerFlags extends ServedRunFlags {
  runs?: string
}

export function workerCommand(command: Command, io: Io, done: (status: number) => void): void {
  addServedRunOptions(command)
    .option('--store <address>', 'the database, such as postgres://user@host/name (default: $ARGOT_STORE)')
    .option('--root <folder>', 'the folder for tools that need files or programs; without it, they are refused')
    .option('--runs <number>', 'how many runs to execute at the same time (default: 32)')
    .option('-q, --quiet', 'print only errors')
    .addHelpText(
      'after',
      `
Start as many workers as you like, on any number of machines. All workers and
servers need the same ARGOT_STATE_KEY. Ctrl-C leaves runs unchanged. Another
worker continues them.`,
    )
    .action(async (flags: WorkerFlags) => done(await work(flags, io)))
}

async function work(flags: WorkerFlags, io: Io): Promise<number> {
  const address = storeAddress(flags.store, io)
  if (address === undefined) throw new UsageError('A worker needs a database address: set --store or $ARGOT_STORE.')
  const runsAtOnce = readRuns(flags.runs)
  const root = flags.root === undefined ? undefined : await readFolder(resolve(io.cwd(), flags.root))
  const configFolder = findConfigFolder({ env: io.env })
  const { store } = await openStore(address, { as: 'worker', configFolder, io })
  const { postgresQueue } = await import('@argot/postgres')
  const notice = (text: string): void => void (flags.quiet === true ? undefined : tell(io, `${text}\n`))
  const stop = watchStop(io, () => {})
  // Documents without a folder still need a working directory, so they get an empty one.
  const scratch = root === undefined ? await mkdtemp(join(tmpdir(), 'argot-worker-')) : undefined
  const run = toServedRun(flags, { io, configFolder, root, now: store.now })
  const server = createServer({
    store,
    queue: postgresQueue(store),
    web: false,
    notice: notice,
    now: store.now,
    ...(runsAtOnce !== undefined && { limits: { runsAtOnce } }),
    run: { ...run, cwd: root ?? scratch },
  })
  await print(io, 'The worker is ready.\n')
  if (!stop.signal.aborted) {
    await new Promise<void>(end => stop.signal.addEventListener('abort', () => end(), { once: true }))
  }
  exitSoon(0)
  await server.close()
  await store.close()
  if (scratch !== undefined) await rm(scratch, { recursive: true, force: true })
  stop.release()
  return 0
}

function readRuns(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const runs = Number(text)
  if (Number.isSafeInteger(runs) && runs >= 1 && runs <= 10_000) return runs
  throw new UsageError(`--runs must be a number from 1 to 10000, not "${text}".`)
}
