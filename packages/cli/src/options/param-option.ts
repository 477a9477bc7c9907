import { InvalidArgumentError } from 'commander'

/** Reads one `-p name=value`, beside those that came before it. The value is everything after the first `=`. */
export function parseParam(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=')
  const name = text.slice(0, at).trim()
  if (at === -1 || name === '') throw new InvalidArgumentError('Write it as name=value.')
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`\`${name}\` is given twice.`)
  return Object.fromEntries([...Object.entries(before), [name, text.slice(at + 1)]])
}
