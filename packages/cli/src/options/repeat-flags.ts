import type { Command } from 'commander'

/**
 * Flags that apply to one start only. The message, the answer, the transcript and the summary are in the document by
 * then, and parameter values are stored next to it.
 */
const oneTimeFlags = new Set(['param', 'input', 'answer', 'output', 'json', 'quiet', 'dryRun', 'wait', 'compact'])

/** The options needed to run the same document again, quoted for a shell, except those in `without`. */
export function repeatFlags(command: Command, without: readonly string[] = []): string {
  const words: string[] = []
  for (const option of command.options) {
    const name = option.attributeName()
    const value: unknown = command.getOptionValue(name)
    if (
      oneTimeFlags.has(name) ||
      without.includes(name) ||
      value === undefined ||
      command.getOptionValueSource(name) !== 'cli'
    )
      continue
    const flag = option.long ?? option.short ?? ''
    // The flag `--no-cache` already means false.
    if (typeof value === 'boolean') words.push(flag)
    else
      for (const one of Array.isArray(value) ? value : [value]) words.push(`${flag} ${quoteWord(formatFlagValue(one))}`)
  }
  return words.map(word => ` ${word}`).join('')
}

/** Formats a value for the command line. A policy by tool is a list there. */
function formatFlagValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if ('input' in value && 'output' in value && typeof value.input === 'number') return `${value.input}/${value.output}`
  return Object.entries(value)
    .map(([key, mode]) => (key === 'default' ? String(mode) : `${key}=${mode}`))
    .join(',')
}

export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
