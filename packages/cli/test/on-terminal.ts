import { spawn, spawnSync } from 'node:child_process'

/** `script` of util-linux gives a program a real terminal; other systems have another one, or none. */
export const hasScript: boolean =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

/** A key, and the text after which it is typed. Keys wait for half a second: an Enter that comes sooner is dropped. */
export type Typing = readonly [seen: string, key: string, afterMs?: number]

export interface OnTerminal {
  cwd?: string
  env?: Record<string, string>
  size?: { rows: number; columns: number }
  /** Types Ctrl-C so long after the first key. */
  endsAfterMs?: number
}

/** No program of these tests takes longer. */
const LONGEST_MS = 60_000

/** Runs a command on a terminal of its own, types each key once its text is seen, and gives everything that it showed. */
export async function onTerminal(
  command: readonly string[],
  typing: readonly Typing[],
  { cwd, env = {}, size = { rows: 30, columns: 100 }, endsAfterMs }: OnTerminal = {},
): Promise<string> {
  const quoted = [...command.map(word => `'${word}'`), '; echo "status $?"'].join(' ')
  const child = spawn('script', ['-qec', `stty rows ${size.rows} cols ${size.columns}; ${quoted}`, '/dev/null'], {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', ...env },
  })
  const left = [...typing]
  let output = ''
  let from = 0
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
    const next = left[0]
    if (next === undefined || !output.slice(from).includes(next[0])) return
    left.shift()
    from = output.length
    setTimeout(() => child.stdin.write(next[1]), next[2] ?? 700)
    if (endsAfterMs !== undefined) setTimeout(() => child.stdin.write('\x03'), endsAfterMs)
  })
  const bound = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  clearTimeout(bound)
  return output
}

/** Without escapes, as far as words matter. */
export function words(output: string): string {
  return output.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '')
}
