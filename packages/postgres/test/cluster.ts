import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** The user that the server runs as if the tests run as root: PostgreSQL refuses root. */
const user = 'nobody'
const READY_MS = 100_000

/** Where Debian's packages put the programs of a server: those of the newest version. */
export function findPrograms(): string | undefined {
  const places = ['/usr/lib/postgresql', '/usr/local/lib/postgresql']
  const versions = places.flatMap(place =>
    existsSync(place) ? readdirSync(place).map(name => join(place, name, 'bin')) : [],
  )
  return versions.sort().find(folder => existsSync(join(folder, 'initdb')))
}

/** Programs that refuse root run as this user if the tests are root. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string): number => Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim())
  return { uid: id('-u'), gid: id('-g') }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** A server of PostgreSQL in a temporary folder, as a user without rights, on a free port of this machine. */
export class Cluster {
  readonly folder: string
  readonly port: number
  readonly #programs: string
  readonly #as: { uid: number; gid: number } | undefined

  constructor(folder: string, port: number) {
    const programs = findPrograms()
    if (programs === undefined)
      throw new Error('PostgreSQL is missing. Run test/setup, or install it (Debian: apt-get install postgresql).')
    this.folder = folder
    this.port = port
    this.#programs = programs
    this.#as = unprivileged()
  }

  /** `settings` are lines of postgresql.conf. */
  static async create(settings: readonly string[] = ['fsync = off', 'full_page_writes = off']): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'argot-postgres-'))
    chmodSync(folder, 0o755)
    const cluster = new Cluster(folder, await freePort())
    cluster.#init(settings)
    await cluster.start()
    return cluster
  }

  /** A copy that follows this one, and to which it commits synchronously from then on. */
  async createReplica(): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'argot-postgres-'))
    chmodSync(folder, 0o755)
    const replica = new Cluster(folder, await freePort())
    if (this.#as !== undefined) chownSync(folder, this.#as.uid, this.#as.gid)
    const source = `host=127.0.0.1 port=${this.port} user=argot application_name=replica`
    replica.#call('pg_basebackup', ['-D', join(folder, 'data'), '-d', source, '-R', '-c', 'fast', '-X', 'stream'])
    const settings = join(folder, 'data/postgresql.conf')
    writeFileSync(settings, readFileSync(settings, 'utf8').replace(/^port = .*$/m, `port = ${replica.port}`))
    await replica.start()
    this.#set('synchronous_standby_names', 'replica')
    return replica
  }

  /** A replica becomes a server that takes changes. */
  promote(): void {
    this.#set('synchronous_standby_names', '')
    this.#call('pg_ctl', ['promote', '-w', '-D', join(this.folder, 'data')])
  }

  #set(name: string, value: string): void {
    const settings = join(this.folder, 'data/postgresql.conf')
    writeFileSync(settings, `${readFileSync(settings, 'utf8')}\n${name} = '${value}'\n`)
    this.#call('pg_ctl', ['reload', '-D', join(this.folder, 'data')])
  }

  #call(program: string, args: readonly string[]): void {
    const env = { PATH: process.env.PATH }
    const call = spawnSync(join(this.#programs, program), args, {
      ...this.#as,
      cwd: this.folder,
      encoding: 'utf8',
      env,
    })
    if (call.status !== 0) throw new Error(`${program} failed: ${call.stderr}${call.error ?? ''}`)
  }

  get url(): string {
    return `postgres://argot@127.0.0.1:${this.port}/postgres`
  }

  #init(settings: readonly string[]): void {
    const data = join(this.folder, 'data')
    mkdirSync(data)
    if (this.#as !== undefined) {
      chownSync(data, this.#as.uid, this.#as.gid)
      chownSync(this.folder, this.#as.uid, this.#as.gid)
    }
    const args = [
      '-D',
      data,
      '-U',
      'argot',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ]
    this.#call('initdb', args)
    const lines = [
      `port = ${this.port}`,
      `listen_addresses = '127.0.0.1'`,
      `unix_socket_directories = ''`,
      'max_connections = 200',
      'shared_buffers = 64MB',
      'log_min_messages = fatal',
      ...settings,
    ]
    writeFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
  }

  /** Starts it, and resolves when it takes connections. Processes of one that was killed may keep the next from starting for a moment. */
  async start(): Promise<void> {
    const isReady = ['-q', '-h', '127.0.0.1', '-p', String(this.port), '-t', '1']
    let child = this.#spawn()
    for (const end = Date.now() + READY_MS; ; await pause(20)) {
      if (spawnSync(join(this.#programs, 'pg_isready'), isReady).status === 0) return
      if (Date.now() > end)
        throw new Error(`PostgreSQL does not start: ${readFileSync(this.#log, 'utf8').slice(-2000)}`)
      if (child.exitCode !== null) child = this.#spawn()
    }
  }

  #spawn(): ChildProcess {
    const args = [
      '-c',
      'exec "$0" -D "$1" >>"$2" 2>&1',
      join(this.#programs, 'postgres'),
      join(this.folder, 'data'),
      this.#log,
    ]
    const env = { PATH: process.env.PATH }
    const child = spawn('sh', args, { ...this.#as, cwd: this.folder, detached: true, stdio: 'ignore', env })
    child.unref()
    return child
  }

  get #log(): string {
    return join(this.folder, 'log')
  }

  /** The process of the server itself. */
  get pid(): number | undefined {
    const file = join(this.folder, 'data/postmaster.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : undefined
  }

  /** `SIGKILL` of the server; its other processes end when they notice. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
    rmSync(join(this.folder, 'data/postmaster.pid'), { force: true })
  }

  async stop(): Promise<void> {
    await this.#end('SIGQUIT')
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const { pid } = this
    if (pid === undefined) return
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    for (const end = Date.now() + READY_MS; isThere(pid) && Date.now() < end; ) await pause(10)
  }
}

/** One that has ended and was not waited for is gone, too. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** One server for all files of tests of a run of Vitest, which stops it (test/run-folders.ts). The first that asks starts it. */
export async function sharedCluster(): Promise<string> {
  const place = join(tmpdir(), 'argot-postgres-shared')
  const address = join(place, 'url')
  try {
    mkdirSync(place)
  } catch {
    for (const end = Date.now() + READY_MS; !existsSync(address); await pause(20)) {
      if (Date.now() > end) throw new Error('The shared PostgreSQL does not start.')
    }
    return readFileSync(address, 'utf8')
  }
  const { url } = await Cluster.create()
  writeFileSync(`${address}.tmp`, url)
  renameSync(`${address}.tmp`, address)
  return url
}
