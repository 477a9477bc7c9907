import { PassThrough, type Readable } from 'node:stream'

/** An Enter that arrives sooner after a question was meant for something else. */
const CALM_MS = 500

export type TerminalInput = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown }

/**
 * Passes a terminal's keys to a prompt, but drops an Enter within half a second after the prompt appears: no one can
 * have meant it for that prompt. The terminal is restored when `ask` is done.
 */
export async function withCalmInput<T>(source: Readable, ask: (input: Readable) => Promise<T>): Promise<T> {
  const terminal: TerminalInput = source
  const since = performance.now()
  const calm = Object.assign(new PassThrough(), {
    isTTY: terminal.isTTY === true,
    setRawMode: (raw: boolean) => terminal.setRawMode?.(raw),
  })
  const take = (keys: Buffer | string): void => {
    const text = String(keys)
    calm.write(performance.now() - since < CALM_MS ? text.replace(/[\r\n]/g, '') : text)
  }
  const end = (): void => void calm.end()
  source.on('data', take).on('end', end)
  source.resume()
  try {
    return await ask(calm)
  } finally {
    source.off('data', take).off('end', end)
    source.pause()
    calm.destroy()
  }
}
