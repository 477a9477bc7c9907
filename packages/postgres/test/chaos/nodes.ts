import { setTimeout as pause } from 'node:timers/promises'
import { ServerProcess } from '../../../server/test/crash/server-process.ts'

/** Nodes of one role, each started again when it dies. */
export class Nodes {
  readonly #program: string
  readonly #env: Readonly<Record<string, string>>
  readonly #nodes: ServerProcess[]
  isOver = false
  kills = 0
  readonly problems: string[] = []

  constructor(program: string, count: number, env: Readonly<Record<string, string>>) {
    this.#program = program
    this.#env = env
    this.#nodes = Array.from({ length: count }, (_, index) => this.#start(index))
  }

  #start(index: number): ServerProcess {
    const node = new ServerProcess(this.#program, this.#env)
    void node.exited.then(({ code, signal }) => {
      if (this.isOver) return
      if (signal !== 'SIGKILL' && code !== 0)
        this.problems.push(`A node ended by itself (${code} ${signal}): ${node.stderr}`)
      this.#nodes[index] = this.#start(index)
    })
    return node
  }

  /** Resolves when all of them are there. */
  async ready(): Promise<void> {
    await Promise.all(this.#nodes.map(({ url }) => url))
  }

  at(index: number): ServerProcess {
    return this.#nodes[index % this.#nodes.length]!
  }

  get size(): number {
    return this.#nodes.length
  }

  async kill(index: number): Promise<number> {
    const node = this.at(index)
    this.kills++
    await node.kill()
    return node.child.pid!
  }

  /** Ends one as an operator does, and resolves when the next one is there. */
  async restart(index: number): Promise<void> {
    const node = this.at(index)
    node.child.kill('SIGTERM')
    await node.exited
    await this.ready()
  }

  /** The address of one that lives; of any, whoever asks. */
  async url(): Promise<string> {
    for (;;) {
      if (this.problems.length > 0) throw new Error(this.problems.join('\n'))
      const url = await this.at(Math.floor(Math.random() * this.size)).url
      if (url !== undefined) return url
      await pause(5)
    }
  }

  async close(): Promise<void> {
    this.isOver = true
    await Promise.all(this.#nodes.map(node => node.kill()))
  }

  /** Asks until one has answered, and not with 503. */
  async ask<Value>(
    method: string,
    path: string,
    body?: string | object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; value: Value }> {
    for (;;) {
      const url = await this.url()
      try {
        const type = typeof body === 'string' ? 'text/plain' : 'application/json'
        const response = await fetch(`${url}${path}`, {
          method,
          headers: body === undefined ? headers : { 'content-type': type, ...headers },
          body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
        })
        const text = await response.text()
        if (response.status !== 503) return { status: response.status, value: JSON.parse(text) as Value }
        if (response.headers.get('retry-after') === null) throw new Error('503 without retry-after')
      } catch (error) {
        if (this.isOver) throw error
      }
      await pause(20)
    }
  }
}
