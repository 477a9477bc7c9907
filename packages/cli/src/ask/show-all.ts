import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { emitKeypressEvents, type Key } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import type { PromptTerminal } from './prompt-terminal.ts'

/**
 * Lets the user read text that is longer than the screen: in `$PAGER`, in `less`, or page by page. False if they may
 * not have seen all of it.
 */
export async function showAll(
  rows: readonly string[],
  terminal: PromptTerminal,
  signal: AbortSignal,
): Promise<boolean> {
  const { PAGER } = terminal.env
  const fd = 'fd' in terminal.output ? terminal.output.fd : undefined
  if (terminal.input === process.stdin && typeof fd === 'number') {
    const pager = PAGER === undefined || PAGER.trim() === '' ? 'less' : PAGER.trim()
    const wasShown = await runPager(pager.split(/\s+/), `${rows.join('\n')}\n`, fd, signal)
    if (wasShown) return true
  }
  return showPages(rows, terminal, signal)
}

/** False if the pager doesn't exist or failed. It reads keys from the terminal itself. */
async function runPager(
  [command = '', ...args]: string[],
  text: string,
  output: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    // A pager is only for reading: it can't start a shell or open other files. It gets our own environment, which
    // contains no stored keys.
    const child = spawn(command, args, {
      stdio: ['pipe', output, 'inherit'],
      env: { LESS: 'R', ...process.env, LESSSECURE: '1' },
      signal,
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(text)
    return await new Promise(resolve => {
      child.on('error', () => resolve(false))
      child.on('close', code => resolve(code === 0))
    })
  } catch {
    return false
  }
}

async function showPages(rows: readonly string[], terminal: PromptTerminal, signal: AbortSignal): Promise<boolean> {
  const { output } = terminal
  const page = Math.max(3, (output.rows ?? 24) - 1)
  for (let at = 0; at < rows.length; ) {
    output.write(`${rows.slice(at, at + page).join('\n')}\n`)
    at += page
    if (at >= rows.length) break
    output.write(`— ${at} of ${rows.length} rows; Space for more, q to stop —`)
    const isMore = await readMore(terminal, signal)
    output.write('\r\x1b[K')
    if (!isMore) return false
  }
  return true
}

/** Waits for one key. False for `q`, Escape and Ctrl-C, and if the run is stopped. */
async function readMore({ input }: PromptTerminal, signal: AbortSignal): Promise<boolean> {
  const terminal: Readable & { setRawMode?: (raw: boolean) => unknown } = input
  const keys = new PassThrough()
  emitKeypressEvents(keys)
  const take = (text: Buffer | string): void => void keys.write(text)
  terminal.setRawMode?.(true)
  input.on('data', take).resume()
  try {
    const [, key] = (await once(keys, 'keypress', { signal })) as [string | undefined, Key]
    return !(key.name === 'q' || key.name === 'escape' || (key.ctrl === true && key.name === 'c'))
  } catch {
    return false
  } finally {
    input.off('data', take).pause()
    terminal.setRawMode?.(false)
    keys.destroy()
  }
}
