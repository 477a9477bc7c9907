import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import { commandLine } from '../argot.ts'

export interface ChatScreenOptions {
  cwd: string
  env?: Record<string, string>
  columns?: number
  rows?: number
  /** What the shell does when the chat has stopped or ended. */
  after?: readonly string[]
}

/** No state of these tests takes longer to come. */
const PATIENCE_MS = 20_000

/** `argot chat` in a process of its own, on a real pseudo-terminal, seen through the terminal emulator of VS Code. */
export class ChatScreen {
  /** Everything that was written to the terminal. */
  raw = ''
  readonly cwd: string
  readonly #child: ChildProcess
  readonly #terminal: InstanceType<typeof xterm.Terminal>
  readonly #listeners = new Set<() => void>()

  constructor(args: readonly string[], { cwd, env = {}, columns = 80, rows = 24, after = [] }: ChatScreenOptions) {
    this.cwd = cwd
    const words = commandLine(['chat', ...args]).map(word => `'${word}'`)
    const own = `echo "@@$$@@"; exec ${words.join(' ')}`
    const shell = [
      'echo "@@$(tty)@@"',
      `stty rows ${rows} cols ${columns}`,
      ...(after.length > 0 ? ['set -m'] : []),
      `sh -c ${quote(own)}`,
      ...after,
      'echo "status $?"',
      'stty -a | grep -o " [-]*icanon"',
    ]
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true })
    this.#child = spawn('script', ['-qec', shell.join('; '), '/dev/null'], {
      cwd,
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', HOME: cwd, ...env },
    })
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.raw += text
      this.#terminal.write(text, () => this.#tell())
    })
    this.#child.stdin!.on('error', () => {})
    onTestFinished(() => {
      this.signal('SIGKILL')
      this.#child.kill('SIGKILL')
    })
  }

  /** What is on the screen now. */
  get screen(): string {
    const { baseY } = this.#terminal.buffer.active
    return this.#lines(baseY)
  }

  /** The same with everything that scrolled away. */
  get text(): string {
    return this.#lines(0)
  }

  get pid(): number {
    return Number(/@@(\d+)@@/.exec(this.raw)?.[1])
  }

  type(keys: string): void {
    this.#child.stdin!.write(keys)
  }

  /** Types a message and sends it. */
  send(text: string): void {
    this.type(text)
    this.type('\r')
  }

  /** Waits until the text, with what scrolled away, has this. */
  async see(expected: string | RegExp, where: 'text' | 'screen' = 'text'): Promise<void> {
    const isThere = (): boolean =>
      typeof expected === 'string' ? this[where].includes(expected) : expected.test(this[where])
    await this.until(isThere, `${expected}`)
  }

  async until(isThere: () => boolean, words = String(isThere)): Promise<void> {
    if (isThere()) return
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!isThere()) return
        clearTimeout(timer)
        this.#listeners.delete(look)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#listeners.delete(look)
        reject(new Error(`The screen never had ${words}:\n${this.text}`))
      }, PATIENCE_MS)
      this.#listeners.add(look)
    })
  }

  /** Gives the window another size, as a person does. */
  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
    const tty = /@@(\/dev\/\S+)@@/.exec(this.raw)![1]!
    spawnSync('stty', ['-F', tty, 'rows', String(rows), 'cols', String(columns)])
  }

  signal(name: NodeJS.Signals): void {
    try {
      if (this.pid > 0) process.kill(this.pid, name)
    } catch {}
  }

  /** Waits for the end; gives the exit status. */
  async end(): Promise<number> {
    if (this.#child.exitCode === null) await once(this.#child, 'close')
    await this.until(() => /status \d+/.test(this.text))
    return Number(/status (\d+)/.exec(this.text)![1])
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  #lines(from: number): string {
    const { active } = this.#terminal.buffer
    const lines: string[] = []
    for (let at = from; at < active.length; at++) lines.push(active.getLine(at)?.translateToString(true) ?? '')
    return lines.join('\n').trimEnd()
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
