import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, unprivileged } from './cluster.ts'

const READY_MS = 100_000

/** Where Debian puts it. */
export function findPgBouncer(): string | undefined {
  return ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(file => existsSync(file))
}

/** PgBouncer in transaction mode in front of a database: many clients share two connections. */
export class PgBouncer {
  readonly url: string
  readonly #folder: string
  readonly #child: ChildProcess

  private constructor(folder: string, port: number, child: ChildProcess) {
    this.#folder = folder
    this.#child = child
    this.url = `postgres://argot@127.0.0.1:${port}/postgres`
  }

  static async create(databasePort: number): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), 'argot-pgbouncer-'))
    chmodSync(folder, 0o755)
    const port = await freePort()
    const settings = `[databases]
postgres = host=127.0.0.1 port=${databasePort} dbname=postgres user=argot
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
`
    writeFileSync(join(folder, 'pgbouncer.ini'), settings)
    const child = spawn(findPgBouncer()!, ['-q', join(folder, 'pgbouncer.ini')], { ...unprivileged(), stdio: 'ignore' })
    for (const end = Date.now() + READY_MS; !(await isListening(port)); await pause(20)) {
      if (Date.now() > end || child.exitCode !== null) throw new Error('PgBouncer does not start.')
    }
    return new PgBouncer(folder, port, child)
  }

  async remove(): Promise<void> {
    const exited = new Promise(resolve => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await exited
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
