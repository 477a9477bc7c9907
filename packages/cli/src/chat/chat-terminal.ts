import { spawnSync } from 'node:child_process'
import type { TerminalInput } from '../ask/calm-input.ts'
import type { Key } from '../composer/key.ts'
import { KeyDecoder } from '../composer/key-decoder.ts'
import type { Io } from '../io/io.ts'

/**
 * Bracketed paste, `modifyOtherKeys`, and Kitty's keyboard protocol, which make Shift+Enter a key. Other terminals
 * ignore it.
 */
const ENTER = '\x1b[?2004h\x1b[>4;1m\x1b[>1u'
const LEAVE = '\x1b[<u\x1b[>4;0m\x1b[?2004l\x1b[?25h'
const SAVE_CURSOR = '\x1b7'
/** Undoes what a killed program may leave behind: its screen, mouse, keypad, margins and colours. */
const RESET =
  '\x1b[?1049l\x1b7\x1b[r\x1b8\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1l\x1b>\x1b[?7h\x1b[0m\x1b[?25h'
/** An Escape that nothing follows for this long is the Escape key. */
const ESCAPE_MS = 50

/** The keyboard of a chat. The terminal is restored after `stop`, and while another program has it. */
export class ChatTerminal {
  readonly #input: TerminalInput
  readonly #output: Io['stdout']
  readonly #decoder = new KeyDecoder()
  readonly #onKeys: (keys: readonly Key[]) => void
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout | undefined
  #isOn = false

  constructor(io: Pick<Io, 'stdin' | 'stdout'>, onKeys: (keys: readonly Key[]) => void, onEnd: () => void) {
    this.#input = io.stdin
    this.#output = io.stdout
    this.#onKeys = onKeys
    this.#onEnd = onEnd
  }

  start(): void {
    process.on('exit', this.#leave)
    this.#input.on('data', this.#take).on('end', this.#onEnd)
    this.#enter()
  }

  stop(): void {
    process.off('exit', this.#leave)
    this.#leave()
    clearTimeout(this.#timer)
    this.#input.off('data', this.#take).off('end', this.#onEnd)
    this.#input.pause()
  }

  /**
   * Lends the terminal to another program and takes it back in any state. `work` calls `onKilled` if the program
   * couldn't restore the terminal.
   */
  async lend<T>(work: (onKilled: () => void) => Promise<T>): Promise<T> {
    this.#leave()
    this.#output.write(SAVE_CURSOR)
    this.#input.off('data', this.#take).pause()
    const state = readState()
    const ignore = (): void => {}
    // Ctrl-C is for that program.
    process.on('SIGINT', ignore)
    try {
      return await work(() => this.#output.write(RESET))
    } finally {
      process.off('SIGINT', ignore)
      if (state !== undefined) spawnSync('stty', [state], { stdio: ['inherit', 'ignore', 'ignore'] })
      this.#input.on('data', this.#take)
      this.#enter()
    }
  }

  ring(): void {
    this.#output.write('\x07')
  }

  /** Stops the process as Ctrl-Z does. Resolves when it runs again. */
  async suspend(): Promise<void> {
    if (process.platform === 'win32') return
    this.#leave()
    const resumed = new Promise<void>(resolve => process.once('SIGCONT', () => resolve()))
    process.kill(0, 'SIGTSTP')
    await resumed
    this.#enter()
  }

  #enter(): void {
    this.#isOn = true
    this.#input.setRawMode?.(true)
    this.#input.resume()
    this.#output.write(ENTER)
  }

  readonly #leave = (): void => {
    if (!this.#isOn) return
    this.#isOn = false
    this.#output.write(LEAVE)
    this.#input.setRawMode?.(false)
  }

  readonly #take = (bytes: Buffer | string): void => {
    clearTimeout(this.#timer)
    const keys = this.#decoder.push(bytes)
    if (keys.length > 0) this.#onKeys(keys)
    if (!this.#decoder.isWaiting) return
    this.#timer = setTimeout(() => {
      const keys = this.#decoder.flush()
      if (keys.length > 0) this.#onKeys(keys)
    }, ESCAPE_MS)
  }
}

/** The terminal's line settings in `stty` format. Undefined without `stty`. */
function readState(): string | undefined {
  const { status, stdout } = spawnSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' })
  return status === 0 && /^[\w:=]+$/.test(stdout.trim()) ? stdout.trim() : undefined
}
