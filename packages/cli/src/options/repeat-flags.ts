import type { Command } from 'commander'

/**
 * What belongs to one start of the command only: the message is in the document by then, and so are the answer, the transcript and the summary, and the
 * values of parameters are kept beside it.
 */
const once = new Set(['param', 'input', 'answer', 'output', 'json', 'quiet', 'dryRun', 'wait', 'compact'])

/** The options of a command line that matter for running the same document again, as a shell takes them; `without` those of its own. */
export function repeatFlags(command: Command, without: readonly string[] = []): string {
  const words: string[] = []
  for (const option of command.options) {
    const name = option.attributeName()
    const value: unknown = command.getOptionValue(name)
    if (once.has(name) || without.includes(name) || value === undefined || command.getOptionValueSource(name) !== 'cli')
      continue
    const flag = option.long ?? option.short ?? ''
    // `--no-cache` says false itself.
    if (typeof value === 'boolean') words.push(flag)
    else for (const one of Array.isArray(value) ? value : [value]) words.push(`${flag} ${quoteWord(flagText(one))}`)
  }
  return words.map(word => ` ${word}`).join('')
}

/** As it is written on a command line: a policy by tool is a list there. */
function flagText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if ('input' in value && 'output' in value && typeof value.input === 'number') return `${value.input}/${value.output}`
  return Object.entries(value)
    .map(([key, mode]) => (key === 'default' ? String(mode) : `${key}=${mode}`))
    .join(',')
}

/** A word as a shell takes it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
