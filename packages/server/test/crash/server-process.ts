import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { inContainer } from '../../../../test/containers.ts'

/** Bundles the program, so that a server starts quickly. */
export function buildServer(): string {
  const [program] = bundlePrograms([fileURLToPath(new URL('server-program.ts', import.meta.url))])
  return program!
}

/** A server in a process of its own. */
export class ServerProcess {
  readonly child: ChildProcess
  /** Its address; undefined where it died before it had one. */
  readonly url: Promise<string | undefined>
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  stderr = ''

  /** With `container` it runs under that host name, and with process numbers of its own. */
  constructor(program: string, env: Readonly<Record<string, string>>, container?: string) {
    const [command, args] =
      container === undefined ? [process.execPath, [program]] : inContainer(container, [process.execPath, program])
    const child = spawn(command, args, {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child = child
    this.exited = new Promise(resolve => {
      child.on('exit', (code, signal) => resolve({ code, signal }))
    })
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    let stdout = ''
    const said = new Promise<string>(resolve => {
      child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        stdout += text
        if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')))
      })
    })
    this.url = Promise.race([said, this.exited.then(() => undefined)])
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.exited
  }
}

/** Servers on one folder, one after the other: when one dies, the next is started as the plan says. */
export class ServerLives {
  readonly #program: string
  readonly #folder: string
  readonly #plan: string[]
  readonly #policy: string
  #current: ServerProcess | undefined
  #isOver = false
  deaths = 0
  /** Called after each death, before the next start. */
  onDeath: () => Promise<void> | void = () => {}
  readonly problems: string[] = []

  constructor(program: string, folder: string, plan: readonly string[], policy = 'ask') {
    this.#program = program
    this.#policy = policy
    this.#folder = folder
    this.#plan = [...plan]
    void this.#live()
  }

  async #live(): Promise<void> {
    while (!this.#isOver) {
      const die = this.#plan.shift() ?? ''
      const one = new ServerProcess(this.#program, { FOLDER: this.#folder, DIE: die, POLICY: this.#policy })
      this.#current = one
      const { signal, code } = await one.exited
      if (this.#isOver) return
      if (signal !== 'SIGKILL') {
        // Nobody starts it again and again: whoever waits for its address is told.
        this.problems.push(`The server ended by itself (${code}): ${one.stderr}`)
        return
      }
      this.deaths++
      await this.onDeath()
    }
  }

  /** There is no server any more, and there will be none. */
  get isOver(): boolean {
    return this.#isOver || this.problems.length > 0
  }

  /** The address of the server that lives now. Throws where none will live any more. */
  async url(): Promise<string> {
    for (;;) {
      if (this.#isOver) throw new Error('No server lives any more.')
      const url = await this.#current?.url
      if (url !== undefined) return url
      if (this.problems.length > 0) throw new Error(this.problems.join('\n'))
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  async kill(): Promise<void> {
    await this.#current?.kill()
  }

  async close(): Promise<void> {
    this.#isOver = true
    await this.#current?.kill()
  }

  /** Asks until a server has answered. */
  async ask<Value>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; value: Value }> {
    for (;;) {
      const url = await this.url()
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
          body: body === undefined ? null : JSON.stringify(body),
        })
        return { status: response.status, value: (await response.json()) as Value }
      } catch {
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    }
  }
}
