import { chooseModel, type Model } from '@argot/agent'
import {
  builtinTasks,
  compareTrials,
  planCases,
  readReport,
  readTasks,
  resolveModelName,
  runTrial,
  type Task,
} from '@argot/agent/internal'
import { loadSettings } from '@argot/agent/workshop'
import { nearestNames } from '@argot/core/stream/internal'
import { auto, dialectFor, dialects, type Syntax, syntaxes } from '@argot/core/syntax'
import { type Command, InvalidArgumentError } from 'commander'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'
import { watchStop } from '../io/stop.ts'
import { quoteWord, repeatFlags } from '../options/repeat-flags.ts'
import { comparisonText } from '../view/trial/comparison-text.ts'
import { showTrial } from '../view/trial/show-trial.ts'
import { TrialProgress } from '../view/trial/trial-progress.ts'
import { reportJson } from '../view/trial/trial-tables.ts'
import { TrialFile } from './trial-file.ts'

interface TrialFlags {
  model?: string
  syntax?: string[]
  toolSyntax?: string[]
  tasks?: string
  only?: string[]
  runs: number
  parallel: number
  maxTokens: number
  maxTime: number
  temperature?: number
  output?: string
  markdown?: string
  compare?: string[]
  list?: boolean
  json?: boolean
  quiet?: boolean
}

export function trialCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('-m, --model <name>', 'the model, such as openai:gpt-4o, ollama:llama3 or demo', notEmpty)
    .option(
      '-s, --syntax <names>',
      "the syntaxes to try, such as native,xml,hermes, or all (default: Argot's own and the model's dialect); argot models --syntaxes lists them",
      parseNames,
    )
    .option('--tool-syntax <names>', 'same as --syntax', parseNames)
    .option('--tasks <folder>', "your own tasks instead of Argot's; see docs/trial.md", notEmpty)
    .option('--only <names>', 'run only these tasks or categories', parseNames)
    .option('--runs <n>', 'how many times to try each task in each syntax', parseUpTo(1000), 1)
    .option('--parallel <n>', 'how many tasks to run at the same time', parseUpTo(64), 1)
    .option('--max-tokens <n>', 'the token limit for one attempt at a task, in and out', parseUpTo(100_000_000), 50_000)
    .option('--max-time <seconds>', 'the time limit for one attempt at a task', parseUpTo(86_400), 300)
    .option('--temperature <n>', 'the sampling temperature', parseTemperature)
    .option(
      '-o, --output <file>',
      'save the results in this JSON file during the trial; to continue a trial, use the same file',
      notEmpty,
    )
    .option('--markdown <file>', 'write the results as a Markdown page', notEmpty)
    .option('--compare <files...>', 'compare the results of two trials, a.json and b.json, and exit')
    .option('--list', 'list the tasks and exit')
    .option('--json', 'print the results as JSON')
    .option('-q, --quiet', 'show no progress')
    .addHelpText('after', help)
    .action(async (flags: TrialFlags) => done(await trial(flags, io, command)))
}

const help = `
The tasks' tools run in memory. They touch no files and start no programs.
Checks are deterministic; no model judges.
Ctrl-C stops and shows the results so far.
Exit status: 0 done, 1 the model couldn't be reached, 130 stopped.

Examples:
  argot trial --model ollama:qwen3:8b --syntax native,xml,hermes
  argot trial --model openai:gpt-4o --runs 3 --output gpt-4o.json --markdown gpt-4o.md
  argot trial --compare before.json after.json`

async function trial(flags: TrialFlags, io: Io, command: Command): Promise<number> {
  if (flags.compare !== undefined) return compare(flags.compare, flags.json === true, io)
  const tasks = chooseTasks(flags.tasks === undefined ? builtinTasks() : await readTasks(flags.tasks), flags.only)
  if (flags.list === true) return list(tasks, flags.json === true, io)
  const model = await findModel(flags.model, io)
  const chosenSyntaxes = chooseSyntaxes(flags.syntax ?? flags.toolSyntax, model)
  return tryAll({ flags, io, command, tasks, model, syntaxes: chosenSyntaxes })
}

interface TrialStart {
  flags: TrialFlags
  io: Io
  command: Command
  tasks: readonly Task[]
  model: Model
  syntaxes: readonly Syntax[]
}

async function tryAll({ flags, io, command, tasks, model, syntaxes: triedSyntaxes }: TrialStart): Promise<number> {
  const { runs, parallel, temperature } = flags
  const limits = { maxTokens: flags.maxTokens, maxSeconds: flags.maxTime }
  const file = await TrialFile.open(flags.output, { model: model.name, limits, temperature }, tasks)
  const cases = { syntaxes: triedSyntaxes, tasks, runs, known: file.earlierCases }
  const progress = new TrialProgress(io, planCases(cases).length, flags.quiet === true)
  if (model.notice !== undefined) await tell(io, `${safeText(model.notice)}\n`)
  const stop = watchStop(io, () => progress.tell('Stopping …'))
  let failure: unknown
  try {
    await runTrial({
      ...cases,
      model,
      parallel,
      limits,
      temperature,
      env: io.env,
      signal: stop.signal,
      onStart: (syntax, task) => progress.start(syntax, task),
      onCase: one => {
        progress.add(one)
        file.add(one)
      },
      onSkip: one => file.skip(one),
      notice: text => progress.tell(text),
    })
  } catch (error) {
    failure = error
  } finally {
    progress.end()
    stop.release()
  }
  await file.finish()
  await show(flags, io, file)
  if (stop.status !== undefined) await tell(io, describeStop(flags, command))
  if (failure !== undefined) throw failure
  return stop.status ?? 0
}

async function show(flags: TrialFlags, io: Io, { report }: TrialFile): Promise<void> {
  if (flags.markdown !== undefined) await TrialFile.writePage(flags.markdown, report)
  if (flags.json === true) await print(io, reportJson(report))
  else if (report.skipped.length > 0 || report.cases.some(({ error }) => error === undefined)) {
    const paint = createPaint(wantsColours(io, io.stdout))
    await print(io, showTrial(report, io.stdout.columns ?? 100, paint))
  }
}

function describeStop({ output }: TrialFlags, command: Command): string {
  if (output === undefined) return 'Stopped. To be able to continue a trial, use --output FILE.\n'
  return `Stopped. To continue, run: argot trial${repeatFlags(command)} --output ${quoteWord(output)}\n`
}

async function findModel(flag: string | undefined, io: Io): Promise<Model> {
  const { env } = io
  const settings = await loadSettings({ directory: io.cwd(), env })
  return chooseModel(resolveModelName({ flag, env, settings })?.value, { env, directory: io.cwd() })
}

/** Throws `SYNTAX_UNKNOWN` for an unknown name. */
function chooseSyntaxes(names: readonly string[] | undefined, model: Model): Syntax[] {
  const all = syntaxes.names().map(name => syntaxes.get(name))
  if (names?.includes('all') === true) return all
  if (names !== undefined) return [...new Set(names.map(name => syntaxes.get(name)))]
  const trained = new Set<Syntax>(dialects.map(({ dialect }) => dialect))
  const defaultSyntaxes = all.filter(
    one => !trained.has(one) && one !== auto && (model.nativeTools || one.kind !== 'native'),
  )
  const dialect = dialectFor(model.name)
  return dialect === undefined ? defaultSyntaxes : [...defaultSyntaxes, dialect]
}

function chooseTasks(tasks: readonly Task[], only: readonly string[] | undefined): readonly Task[] {
  if (only === undefined) return tasks
  const names = new Set(tasks.flatMap(({ name, category }) => [name, category]))
  const unknown = only.find(name => !names.has(name))
  if (unknown !== undefined) {
    const [near] = nearestNames(unknown, names, 1)
    const cure = near === undefined ? '`argot trial --list` shows them.' : `Did you mean "${near}"?`
    throw new UsageError(`There is no task or category "${unknown}". ${cure}`)
  }
  return tasks.filter(({ name, category }) => only.includes(name) || only.includes(category))
}

async function list(tasks: readonly Task[], json: boolean, io: Io): Promise<number> {
  if (json) {
    await print(io, jsonLine(tasks))
    return 0
  }
  const width = Math.max(...tasks.map(({ name }) => name.length))
  const categories = [...new Set(tasks.map(({ category }) => category))]
  const blocks = categories.map(category => {
    const categoryTasks = tasks.filter(task => task.category === category)
    const lines = categoryTasks.map(({ name, prompt }) => `  ${name.padEnd(width)}  ${prompt.split('\n', 1)[0]}`)
    return `${category}\n${lines.join('\n')}\n`
  })
  await print(io, safeText(blocks.join('\n')))
  return 0
}

async function compare(files: readonly string[], json: boolean, io: Io): Promise<number> {
  const [a, b, ...others] = files
  if (a === undefined || b === undefined || others.length > 0)
    throw new UsageError('--compare needs two files: argot trial --compare before.json after.json.')
  const comparison = compareTrials(await readReport(a), await readReport(b))
  const columns = io.stdout.columns ?? 100
  await print(io, json ? jsonLine(comparison) : safeText(comparisonText(comparison, [a, b], columns)))
  return 0
}

function notEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return value
}

function parseNames(value: string, before: readonly string[] = []): string[] {
  const list = value.split(',').map(name => name.trim())
  if (list.includes('')) throw new InvalidArgumentError('Separate the names with commas.')
  return [...before, ...list]
}

function parseUpTo(most: number): (value: string) => number {
  return value => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < 1 || number > most)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`)
    return number
  }
}

function parseTemperature(value: string): number {
  const number = Number(value)
  if (!/^\d+(?:\.\d+)?$/.test(value) || number > 10) throw new InvalidArgumentError('It must be a number from 0 to 10.')
  return number
}
