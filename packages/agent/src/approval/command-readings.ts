import { type GlobalOptions, globalOptions, type OptionTable, type Wrapper, wrappers } from './command-table.ts'

/** Every program that a command line starts, directly or through another one. */
export interface CommandReadings {
  /** The words unchanged, then those of every nested program, with and without options before the subcommand. */
  readings: readonly (readonly string[])[]
  /** False for a command line with implausibly many layers: its inner programs are unknown. */
  isComplete: boolean
}

/** More nested programs and readings of their options than anyone writes. */
const MAX_READINGS = 100

/**
 * Reads a command line in every way that a rule must see: `sudo -u me env A=1 git -C . push` is also `env …`, `git -C .
 * push` and `git push`. An unknown option is read both with and without a value. `others` has other names of programs:
 * a link to `env` is also read as `env`.
 */
export function readCommand(
  words: readonly string[],
  others: ReadonlyMap<string, readonly string[]> = new Map(),
): CommandReadings {
  const readings: (readonly string[])[] = []
  const seen = new Set<string>()
  const todo: (readonly string[])[] = [words]
  for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
    const key = JSON.stringify(next)
    if (seen.has(key) || (next.length === 0 && readings.length > 0)) continue
    if (readings.length === MAX_READINGS) return { readings, isComplete: false }
    seen.add(key)
    readings.push(next)
    const [program = '', ...rest] = next
    todo.push(...findNested(next), ...(others.get(program) ?? []).map(name => [name, ...rest]))
  }
  return { readings, isComplete: true }
}

/** Programs whose arguments have their own reading rules. */
export const knownPrograms: ReadonlySet<string> = new Set([...Object.keys(wrappers), ...Object.keys(globalOptions)])

/** The base name of a program, as tables and rules name it. */
export function programName(program: string): string {
  const name = program.split(/[\\/]/).at(-1)!
  return name.replace(/\.(?:exe|cmd|bat|com)$/i, '')
}

function findNested(words: readonly string[]): (readonly string[])[] {
  const [program = '', ...rest] = words
  const name = programName(program).toLowerCase()
  const nested: (readonly string[])[] = []
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name]! : undefined
  if (wrapper !== undefined) nested.push(...unwrap(rest, wrapper, program))
  const options = Object.hasOwn(globalOptions, name) ? globalOptions[name]! : undefined
  if (options !== undefined) nested.push(...stripOptions(rest, options).map(one => [program, ...one]))
  const pair = `${name} ${rest[0]}`
  if (Object.hasOwn(globalOptions, pair)) {
    nested.push(...stripOptions(rest.slice(1), globalOptions[pair]!).map(one => [program, rest[0]!, ...one]))
  }
  if (name === 'git') nested.push(...getAliases(rest).map(one => [program, ...one]), ...getShellAliases(rest))
  // `git-push`, as in the folder of git's own programs.
  if (name.startsWith('git-')) nested.push(['git', name.slice(4), ...rest])
  return nested
}

function unwrap(words: readonly string[], wrapper: Wrapper, program: string): (readonly string[])[] {
  if (wrapper.between !== undefined) return findBetween(words, wrapper.between.split(' '))
  const split = splitOption(words, wrapper)
  if (split !== undefined) return [[program, ...split]]
  const { operands = 0, subcommands } = wrapper
  let starts = afterOptions(words, 0, wrapper)
  if (subcommands !== undefined) {
    const names = subcommands.split(' ')
    starts = starts
      .filter(start => names.includes(words[start] ?? ''))
      .flatMap(start => afterOptions(words, start + 1, wrapper))
  }
  return starts.map(start => words.slice(start + operands))
}

/** The words between one that begins a command line and the `;` or `+` that ends it. */
function findBetween(words: readonly string[], begins: readonly string[]): (readonly string[])[] {
  return words.flatMap((word, index) => {
    if (!begins.includes(word)) return []
    const rest = words.slice(index + 1)
    const end = rest.findIndex(one => one === ';' || one === '\\;' || one === '+')
    return [end === -1 ? rest : rest.slice(0, end)]
  })
}

/** The words with an option's value split into words in place. Undefined without such an option. */
function splitOption(words: readonly string[], { splits }: Wrapper): readonly string[] | undefined {
  if (splits === undefined) return undefined
  const [short, long] = splits
  for (const [index, word] of words.entries()) {
    if (word === '--' || (!word.startsWith('-') && !/^\w+=/.test(word) && !mayBeValue(words, index))) return undefined
    const attached = word.startsWith(`--${long}=`)
      ? word.slice(long.length + 3)
      : new RegExp(`^-[A-Za-z0-9]*?${short}(.*)$`, 's').exec(word)?.[1]
    if (attached === undefined && word !== `--${long}`) continue
    const isNext = attached === undefined || attached === ''
    const value = isNext ? (words[index + 1] ?? '') : attached
    const rest = words.slice(index + (isNext ? 2 : 1))
    return [...words.slice(0, index), ...splitText(value), ...rest]
  }
  return undefined
}

function mayBeValue(words: readonly string[], index: number): boolean {
  return index > 0 && words[index - 1]!.startsWith('-')
}

function splitText(text: string): string[] {
  const plain = text.replace(/\\[_tnvfr]/g, ' ').replace(/["'\\]/g, '')
  return plain.split(/\s+/).filter(word => word !== '')
}

/** The words without options before the subcommand, and without options that may come anywhere. */
function stripOptions(words: readonly string[], options: GlobalOptions): (readonly string[])[] {
  const from = options.plus === true && words[0]?.startsWith('+') === true ? 1 : 0
  const starts = afterOptions(words, from, options).filter(start => start > 0)
  const leading = starts.map(start => words.slice(start))
  return options.anywhere === true ? [...leading, withoutOptions(words, options)] : leading
}

function withoutOptions(words: readonly string[], table: OptionTable): readonly string[] {
  const rest: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (word === '--') return [...rest, ...words.slice(at)]
    const lengths = word.startsWith('-') && word !== '-' ? optionLengths(word, table) : []
    if (lengths.length === 1 && isListed(word, table)) at += lengths[0]! - 1
    else rest.push(word)
  }
  return rest
}

/** Every index at which the options may end, for each way to read the unknown ones. */
function afterOptions(words: readonly string[], from: number, table: OptionTable & { assignments?: true }): number[] {
  const ends = new Set<number>()
  const isOption = (word: string | undefined): boolean => word?.startsWith('-') === true
  const isAssignment = (word: string | undefined): boolean => table.assignments === true && /^\w+=/.test(word ?? '')
  // Grows while it is read: every place is reached from an earlier one.
  const places = new Set([from])
  for (const at of places) {
    const word = words[at]
    if (word === undefined) continue
    if (word === '--') {
      let end = at + 1
      while (isAssignment(words[end])) end++
      ends.add(end)
    } else if (isAssignment(word) || word === '-') places.add(at + 1)
    else if (!isOption(word)) ends.add(at)
    else for (const length of optionLengths(word, table)) places.add(at + length)
  }
  return [...ends].sort((a, b) => a - b)
}

/** How many words an option may take: one, two with its value, or either if the option is unknown. */
function optionLengths(word: string, { values, flags = '' }: OptionTable): readonly number[] {
  const [valued, plain] = [values.split(' '), flags.split(' ')]
  const [, name = '', equals] = /^--?([^=]*)(=)?/s.exec(word) ?? []
  if (equals !== undefined && name.length > 1) return [1]
  if (valued.includes(name)) return [2]
  if (plain.includes(name) || /^\d+$/.test(name)) return [1]
  if (word.startsWith('--')) return [1, 2]
  const letters = [...word.slice(1)]
  for (const [index, letter] of letters.entries()) {
    if (valued.includes(letter)) return [index === letters.length - 1 ? 2 : 1]
    if (!plain.includes(letter)) return [1, 2]
  }
  return [1]
}

function isListed(word: string, { values, flags = '' }: OptionTable): boolean {
  const listed = `${values} ${flags}`.split(' ')
  const name = /^--?([^=]*)/.exec(word)![1]!
  return listed.includes(name) || (!word.startsWith('--') && listed.includes(name[0] ?? ''))
}

/** `git -c alias.x=push x` is `git push`. */
function getAliases(words: readonly string[]): (readonly string[])[] {
  return expandAliases(words, value => (value.startsWith('!') ? undefined : splitText(value)))
}

/** `git -c alias.x='!git push' x` is `git push` too. */
function getShellAliases(words: readonly string[]): (readonly string[])[] {
  return expandAliases(words, value => (value.startsWith('!') ? splitText(value.slice(1)) : undefined))
}

function expandAliases(
  words: readonly string[],
  toWords: (value: string) => readonly string[] | undefined,
): (readonly string[])[] {
  const aliases = new Map<string, string>()
  for (const [index, word] of words.entries()) {
    const setting = word === '-c' ? (words[index + 1] ?? '') : word.startsWith('-c') ? word.slice(2) : ''
    const [, name, value] = /^alias\.([^=]+)=(.*)$/is.exec(setting) ?? []
    if (name !== undefined) aliases.set(name.toLowerCase(), value!)
  }
  if (aliases.size === 0) return []
  return afterOptions(words, 0, globalOptions.git!).flatMap(start => {
    const value = aliases.get((words[start] ?? '').toLowerCase())
    const expanded = value === undefined ? undefined : toWords(value)
    return expanded === undefined ? [] : [[...expanded, ...words.slice(start + 1)]]
  })
}
