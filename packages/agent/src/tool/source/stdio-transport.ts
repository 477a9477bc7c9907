import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { deserializeMessage, type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { type Child, type ChildOptions, endGroup, startChild } from '../process/child-group.ts'
import { endStrays } from '../process/end-strays.ts'

/** The limit on a server's message: an endless one must not fill the memory. */
const MESSAGE_BYTES = 32 * 1024 * 1024
const LINE_END = 10
const STDERR_CHARACTERS = 4096
/** How long a server may take to exit after its input was closed. */
const END_MS = 1000

/**
 * Communicates with a program over its standard streams, one message per line. The program runs in its own process
 * group. When `close` resolves, it has exited with everything that it started. Its stderr never mixes into the
 * protocol.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly #options: ChildOptions
  readonly #mark: string = randomBytes(16).toString('hex')
  /** The incomplete last line, in the pieces received. */
  #line: Buffer[] = []
  #bytes = 0
  readonly #stderrDecoder: StringDecoder = new StringDecoder('utf8')
  #stderrEnd = ''
  #child: Child | undefined
  #closing: Promise<void> | undefined

  constructor(options: ChildOptions) {
    this.#options = options
  }

  get stderrEnd(): string {
    return this.#stderrEnd.trim()
  }

  /** Why Argot ended it, in words. */
  problem: string | undefined

  /** How the program exited, in words; undefined while it runs. */
  get exitText(): string | undefined {
    const { exitCode = null, signalCode = null } = this.#child ?? {}
    if (signalCode !== null) return `it was ended by ${signalCode}`
    return exitCode === null ? undefined : `it ended with exit status ${exitCode}`
  }

  async start(): Promise<void> {
    const child = await startChild(this.#options, this.#mark, 'pipe')
    this.#child = child
    child.stdout.on('data', (piece: Buffer) => this.#read(piece))
    // No more answers can come. A program that has exited reports that itself, a little later.
    child.stdout.once('end', () => setTimeout(() => this.#giveUp('it closed its output'), END_MS).unref())
    child.stderr.on('data', (piece: Buffer) => {
      this.#stderrEnd = (this.#stderrEnd + this.#stderrDecoder.write(piece)).slice(-STDERR_CHARACTERS)
    })
    // Writing to a program that has exited fails. `close` reports the exit.
    child.stdin!.on('error', () => {})
    child.once('close', () => void this.close())
    child.once('exit', () => setTimeout(() => void this.close(), END_MS).unref())
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin: Writable | null | undefined = this.#child?.stdin
    if (!stdin?.writable || this.#closing !== undefined) return Promise.reject(new Error('The server has ended.'))
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), error => (error ? reject(error) : resolve()))
    })
  }

  /** Ends the program: closes its input, then sends SIGTERM to the group, then SIGKILL. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    const child = this.#child
    if (child !== undefined) {
      child.stdin?.end()
      const running = child.exitCode === null && child.signalCode === null
      if (running) await Promise.race([new Promise(resolve => child.once('exit', resolve)), waitBriefly()])
      await endGroup(child)
      await endStrays(this.#mark)
      // Its last output may still be in the pipe.
      if (!child.stderr.readableEnded) await Promise.race([once(child.stderr, 'close').catch(() => {}), waitBriefly()])
      child.stdout.destroy()
      child.stderr.destroy()
    }
    this.#line = []
    this.onclose?.()
  }

  #read(piece: Buffer): void {
    let from = 0
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, from)) {
      const line = Buffer.concat([...this.#line, piece.subarray(from, end)])
      this.#line = []
      this.#bytes = 0
      from = end + 1
      if (this.#closing === undefined) this.#receive(line.toString('utf8').trim())
    }
    if (from === piece.length) return
    this.#line.push(piece.subarray(from))
    this.#bytes += piece.length - from
    if (this.#bytes <= MESSAGE_BYTES || this.#closing !== undefined) return
    this.#giveUp(`it wrote a message larger than ${MESSAGE_BYTES >> 20} MB`)
  }

  #giveUp(problem: string): void {
    if (this.#closing !== undefined || this.exitText !== undefined) return
    this.problem = problem
    this.onerror?.(new Error(problem))
    void this.close()
  }

  /** Skips lines that are not messages: many servers print something before they start. */
  #receive(line: string): void {
    if (line === '') return
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(line)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      return
    }
    this.onmessage?.(message)
  }
}

function waitBriefly(): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, END_MS).unref()
  })
}
