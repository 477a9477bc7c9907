import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../packages/postgres/test/cluster.ts'

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0
}

/** Debian's Redis in a temporary folder, on loopback, with nothing on the disk. */
export class Redis {
  readonly port: number
  readonly child: ChildProcess
  readonly #folder: string

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port
    this.child = child
    this.#folder = folder
  }

  static async create(): Promise<Redis> {
    const folder = mkdtempSync(join(tmpdir(), 'argot-bench-redis-'))
    const port = await freePort()
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    const child = spawn('redis-server', args, { stdio: 'ignore' })
    for (let tries = 0; ; tries++) {
      const client = await RedisClient.open(port).catch(() => undefined)
      if (client !== undefined) {
        client.close()
        return new Redis(port, child, folder)
      }
      if (tries > 500) throw new Error('Redis does not start.')
      await pause(20)
    }
  }

  remove(): void {
    this.child.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

type Reply = string | number | null | Reply[]

/** As much of a client as `resumable-stream` uses: commands in order, and messages of channels. */
export class RedisClient {
  readonly #socket: Socket
  readonly #waiting: ((reply: Reply) => void)[] = []
  readonly #listeners: Map<string, (message: string) => void> = new Map()
  #rest: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true).on('data', bytes => this.#read(bytes))
  }

  static open(port: number): Promise<RedisClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('error', reject).once('connect', () => resolve(new RedisClient(socket)))
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  connect = async (): Promise<void> => {}
  publish = (channel: string, message: string): Promise<Reply> => this.#send('PUBLISH', channel, message)
  set = (key: string, value: string, options?: { EX?: number }): Promise<'OK'> =>
    this.#send('SET', key, value, ...(options?.EX === undefined ? [] : ['EX', String(options.EX)])) as Promise<'OK'>
  get = (key: string): Promise<string | null> => this.#send('GET', key) as Promise<string | null>
  incr = (key: string): Promise<number> => this.#send('INCR', key) as Promise<number>
  subscribe = async (channel: string, listener: (message: string) => void): Promise<void> => {
    this.#listeners.set(channel, listener)
    await this.#send('SUBSCRIBE', channel)
  }
  unsubscribe = async (channel: string): Promise<void> => {
    this.#listeners.delete(channel)
    await this.#send('UNSUBSCRIBE', channel)
  }

  #send(...words: string[]): Promise<Reply> {
    const text = words.map(word => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')
    this.#socket.write(`*${words.length}\r\n${text}`)
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #read(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let at = 0
    for (;;) {
      const parsed = parse(this.#rest, at)
      if (parsed === undefined) break
      at = parsed.end
      this.#take(parsed.reply)
    }
    this.#rest = this.#rest.subarray(at)
  }

  #take(reply: Reply): void {
    if (Array.isArray(reply) && reply[0] === 'message') {
      this.#listeners.get(String(reply[1]))?.(String(reply[2]))
      return
    }
    this.#waiting.shift()?.(reply)
  }
}

/** One value of the protocol; undefined if it is not whole yet. */
function parse(bytes: Buffer, at: number): { reply: Reply; end: number } | undefined {
  const lineEnd = bytes.indexOf('\r\n', at)
  if (lineEnd === -1) return undefined
  const line = bytes.toString('latin1', at + 1, lineEnd)
  const end = lineEnd + 2
  const kind = String.fromCharCode(bytes[at]!)
  if (kind === '+' || kind === '-') return { reply: line, end }
  if (kind === ':') return { reply: Number(line), end }
  const size = Number(line)
  if (size < 0) return { reply: null, end }
  if (kind === '$') {
    if (bytes.length < end + size + 2) return undefined
    return { reply: bytes.toString('utf8', end, end + size), end: end + size + 2 }
  }
  const replies: Reply[] = []
  let next = end
  for (let index = 0; index < size; index++) {
    const parsed = parse(bytes, next)
    if (parsed === undefined) return undefined
    replies.push(parsed.reply)
    next = parsed.end
  }
  return { reply: replies, end: next }
}
