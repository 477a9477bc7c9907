import { UsageError } from '../io/io.ts'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

export function isLoopback(host: string): boolean {
  return loopback.has(host)
}

/** Throws if the text isn't a port. */
export function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new UsageError(`"${text}" is not a port. Use a number from 0 to 65535.`)
}

/** "All addresses" includes many host names, so only the token protects the server then. */
export function hostNames(host: string): string[] {
  return host === '0.0.0.0' || host === '::' ? ['*'] : [host.includes(':') ? `[${host}]` : host.toLowerCase()]
}
