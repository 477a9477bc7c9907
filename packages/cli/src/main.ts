import { dirname } from 'node:path'
import { Command, CommanderError, type Help, Option } from 'commander'
import type { CommandEntry } from './commands/command-entry.ts'
import { commandList } from './commands/command-list.ts'
import { getColumns } from './io/columns.ts'
import { type Io, print, tell, UsageError, wrapFor } from './io/io.ts'
import { version } from './io/version.ts'

export type { Io }

/**
 * Runs the command line and returns the exit status: 0 for success, 1 if the work failed or there are diagnostics, 2
 * for incorrect usage. Data goes to stdout, messages about it to stderr.
 */
export async function main(args: readonly string[], io: Io): Promise<number> {
  let status = 0
  let mistake: string | undefined
  const commandName = findCommandName(args)
  const program = new Command('argot')
    .description('Run, read, check and convert conversations with tool calls.')
    .helpCommand('help [command]', 'Show help for a command.')
    .helpOption('-h, --help', 'show this help')
    .version(version, '-V, --version', 'show the version')
    .showHelpAfterError(false)
    .configureOutput({
      writeOut: text => void print(io, wrapFor(io.stdout, text)),
      getOutHelpWidth: () => getColumns(io.stdout),
      getErrHelpWidth: () => getColumns(io.stderr),
      writeErr: text => void tell(io, text),
      outputError: text => {
        mistake = text
      },
    })
    .configureHelp(getColumns(io.stdout) < NARROW_COLUMNS ? { formatItem: formatBelow, minWidthToWrap: 8 } : {})
    .addHelpText('after', '\nExit status: 0 success, 1 failure or diagnostics, 2 incorrect usage.')
    .exitOverride()
  const done = (result: number): void => {
    status = result
  }
  for (const entry of commandList) await addCommand(program, entry, entry.name === commandName, io, done)
  for (const command of program.commands) command.exitOverride().configureOutput(program.configureOutput())
  try {
    if (args.length === 0) {
      program.outputHelp()
      return 0
    }
    if (commandName !== undefined) await checkCommand(commandName)
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError && mistake !== undefined) {
      await tell(io, usageText(await addNearest(mistake), commandName))
      return 2
    }
    return reportError(error, io, commandName)
  }
}

/** Puts the likely choice before the list of choices. */
async function addNearest(text: string): Promise<string> {
  const [, value, list] = /argument '(.*)' is invalid\. Allowed choices are (.*)\.\s*$/.exec(text) ?? []
  if (value === undefined || list === undefined) return text
  const { nearestNames } = await import('@argot/core/stream/internal')
  const [nearest] = nearestNames(value, list.split(', '), 1)
  return nearest === undefined ? text : text.replace(/(Allowed choices are .*)\.\s*$/, `Did you mean ${nearest}? $1.`)
}

/** Narrower screens have no room for two columns. */
const NARROW_COLUMNS = 60

function formatBelow(term: string, _: number, description: string, helper: Help): string {
  const rows =
    description === '' ? [] : helper.boxWrap(description, (helper.helpWidth ?? NARROW_COLUMNS) - 6).split('\n')
  return [`  ${term}`, ...rows.map(row => `      ${row}`)].join('\n')
}

function findCommandName(args: readonly string[]): string | undefined {
  const words = args.filter(arg => !arg.startsWith('-'))
  return words[0] === 'help' ? words[1] : words[0]
}

async function checkCommand(name: string): Promise<void> {
  const names = [...commandList.map(entry => entry.name), 'help']
  if (names.includes(name)) return
  const { nearestNames } = await import('@argot/core/stream/internal')
  const [nearest] = nearestNames(name, names, 1)
  const cure = nearest === undefined ? `Commands: ${names.join(', ')}.` : `Did you mean "${nearest}"?`
  throw new UsageError(`There is no command "${name}". ${cure}`)
}

/** Adds a command to the list. Only the one in use gets its options, because they load everything it needs. */
async function addCommand(
  program: Command,
  entry: CommandEntry,
  isUsed: boolean,
  io: Io,
  done: (status: number) => void,
): Promise<void> {
  const command = program.command(entry.name).description(entry.description)
  for (const [name, words] of Object.entries(entry.arguments)) command.argument(name, words)
  if (isUsed && entry.usesKeys === true) {
    const { withStoredKeys } = await import('./options/stored-keys.ts')
    ;(await entry.load())(command, withStoredKeys(command, io), done)
  } else if (isUsed) (await entry.load())(command, io, done)
  else command.addOption(new Option('--not-loaded').hideHelp())
}

/** Usage errors in a consistent style. One of our sentences may begin with a file name, which stays unchanged. */
function usageText(text: string, commandName: string | undefined): string {
  const words = text
    .replace(/^error: (.)/, (_, first: string) => first.toUpperCase())
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
  const help = commandList.some(({ name }) => name === commandName) ? `${commandName} --help` : '--help'
  return `argot: ${words}${/[.?!)]$/.test(words) ? '' : '.'}\nTry \`argot ${help}\`.\n`
}

async function reportError(error: unknown, io: Io, commandName: string | undefined): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UsageError) {
    await tell(io, usageText(error.message, commandName))
    return 2
  }
  // Load it only when needed, so that the help doesn't load it.
  const { explainError } = await import('./io/explain-error.ts')
  const { text, status } = explainError(error)
  await tell(io, `argot: ${text}\n`)
  return status
}

/**
 * The user's current folder. npm starts a package's script in that package's folder and sets `INIT_CWD` to the user's.
 * In all other cases, also in a script that changed its folder, it is the process's folder.
 */
export function startFolder(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const { INIT_CWD, npm_command: command = '', npm_package_json: manifest } = env
  const isScript = command === 'run-script' || command === 'run' || command === 'start'
  if (!isScript || INIT_CWD === undefined || manifest === undefined || dirname(manifest) !== cwd) return cwd
  return INIT_CWD
}
