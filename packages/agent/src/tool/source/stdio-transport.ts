import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { deserializeMessage, type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { type Child, type ChildOptions, endGroup, startChild } from '../process/child-group.ts'
import { endStrays } from '../process/end-strays.ts'

/** A message of a server is at most so long; one that never ends must not fill the memory. */
const MESSAGE_BYTES = 32 * 1024 * 1024
const LINE_END = 10
/** How much of its last words is kept. */
const STDERR_CHARACTERS = 4096
/** How long a server may take to end after its input was closed. */
const END_MS = 1000

/**
 * Speaks with a program over its standard streams, one message a line. The program runs in a process group of its own and
 * is gone, with all that it started, when `close` resolves. What it says on stderr never mixes into the protocol.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly #options: ChildOptions
  readonly #mark: string = randomBytes(16).toString('hex')
  /** The line that has begun, in the pieces that came. */
  #line: Buffer[] = []
  #bytes = 0
  readonly #stderr: StringDecoder = new StringDecoder('utf8')
  #lastWords = ''
  #child: Child | undefined
  #closing: Promise<void> | undefined

  constructor(options: ChildOptions) {
    this.#options = options
  }

  /** The end of what the program has said on stderr. */
  get lastWords(): string {
    return this.#lastWords.trim()
  }

  /** What made an end to it from here, in words. */
  problem: string | undefined

  /** How the program ended, in words; undefined while it runs. */
  get ended(): string | undefined {
    const { exitCode = null, signalCode = null } = this.#child ?? {}
    if (signalCode !== null) return `it was ended by ${signalCode}`
    return exitCode === null ? undefined : `it ended with exit status ${exitCode}`
  }

  async start(): Promise<void> {
    const child = await startChild(this.#options, this.#mark, 'pipe')
    this.#child = child
    child.stdout.on('data', (piece: Buffer) => this.#read(piece))
    // Nobody can be answered any more. A program that has ended says so itself, a little later.
    child.stdout.once('end', () => setTimeout(() => this.#giveUp('it closed its output'), END_MS).unref())
    child.stderr.on('data', (piece: Buffer) => {
      this.#lastWords = (this.#lastWords + this.#stderr.write(piece)).slice(-STDERR_CHARACTERS)
    })
    // A program that has ended cannot be written to; its end is told by `close`.
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

  /** Ends the program: its input is closed, then the group is told to end, then it is made to. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    const child = this.#child
    if (child !== undefined) {
      child.stdin?.end()
      const running = child.exitCode === null && child.signalCode === null
      if (running) await Promise.race([new Promise(resolve => child.once('exit', resolve)), soon()])
      await endGroup(child)
      await endStrays(this.#mark)
      // What it said last may still be in the pipe.
      if (!child.stderr.readableEnded) await Promise.race([once(child.stderr, 'close').catch(() => {}), soon()])
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
      if (this.#closing === undefined) this.#take(line.toString('utf8').trim())
    }
    if (from === piece.length) return
    this.#line.push(piece.subarray(from))
    this.#bytes += piece.length - from
    if (this.#bytes <= MESSAGE_BYTES || this.#closing !== undefined) return
    this.#giveUp(`it wrote a message of more than ${MESSAGE_BYTES >> 20} MB`)
  }

  #giveUp(problem: string): void {
    if (this.#closing !== undefined || this.ended !== undefined) return
    this.problem = problem
    this.onerror?.(new Error(problem))
    void this.close()
  }

  /** A line that is not a message is passed over: many servers print something before they begin. */
  #take(line: string): void {
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

function soon(): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, END_MS).unref()
  })
}
