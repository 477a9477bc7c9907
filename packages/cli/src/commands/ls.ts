import { resolve } from 'node:path'
import { folderStore } from '@argot/agent'
import { type DocumentSummary, describeDocument, newestDocuments } from '@argot/agent/internal'
import { english } from '@argot/core/stream'
import { type Command, InvalidArgumentError } from 'commander'
import { readFolder } from '../documents/folder-paths.ts'
import { getColumns } from '../io/columns.ts'
import { describeAge } from '../io/describe-age.ts'
import { type Io, jsonLine, print, tell } from '../io/io.ts'
import { createPaint, type Paint, wantsColours } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'
import { cutEnd, cutMiddle, measureWidth } from '../io/width.ts'

interface LsFlags {
  limit: number
  all?: boolean
  json?: boolean
}

const READ_TOGETHER = 16

export function lsCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('-n, --limit <count>', 'show at most this many conversations', readCount, 20)
    .option('-a, --all', 'show all conversations')
    .option('--json', 'print each conversation as a line of JSON')
    .addHelpText(
      'after',
      '\nReads only the conversations it shows, and only the beginning and the sidecar of\neach. In a pipe, prints one line per conversation: path, time, state, model,\ntokens, cost, title.',
    )
    .action(async (folder: string | undefined, flags: LsFlags) => done(await list(folder, flags, io)))
}

async function list(folder: string | undefined, { limit, all, json }: LsFlags, io: Io): Promise<number> {
  const root = await readFolder(resolve(io.cwd(), folder ?? '.'))
  const store = folderStore(root, { env: io.env })
  const documents = await newestDocuments(store)
  const count = all === true ? documents.length : Math.min(limit, documents.length)
  const format = json === true ? formatJson : io.stdout.isTTY === true ? formatRows(io) : formatLine
  for (let from = 0; from < count; from += READ_TOGETHER) {
    const some = documents.slice(from, Math.min(count, from + READ_TOGETHER))
    const summaries = await Promise.all(some.map(document => describeDocument(store, document)))
    await print(io, summaries.map(format).join(''))
  }
  const more = documents.length - count
  if (documents.length === 0) await tell(io, `There are no conversations in ${safeText(folder ?? 'this folder')}.\n`)
  else if (more > 0 && json !== true) await tell(io, `… and ${english.number(more)} more. To see them, use --all.\n`)
  return 0
}

function readCount(text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidArgumentError('It must be a whole number, 1 or more.')
}

function formatJson({ at, usage, ...rest }: DocumentSummary): string {
  const { cost, ...tokens } = usage
  return jsonLine({ ...rest, updatedAt: new Date(at).toISOString(), usage: tokens, cost })
}

/** One line for `cut`, `awk` and similar tools. A title can't break the line or add a column. */
function formatLine({ path, title, at, state, model = '', usage }: DocumentSummary): string {
  const cells = [path, new Date(at).toISOString(), state, model, usage.totalTokens, usage.cost ?? '', title]
  return `${cells.map(cell => toOneLine(String(cell))).join('\t')}\n`
}

/** Two rows each: the title with its age, then the path with the rest. */
function formatRows(io: Io): (summary: DocumentSummary) => string {
  const paint = createPaint(wantsColours(io, io.stdout))
  const columns = getColumns(io.stdout) - 1
  const now = Date.now()
  return summary => {
    const age = describeAge(summary.at, now)
    const title = cutEnd(toOneLine(summary.title), columns - age.length - 2)
    const gap = ' '.repeat(Math.max(2, columns - measureWidth(title) - age.length))
    return `${paint(title, 'bold')}${gap}${paint(age, 'dim')}\n${formatFacts(summary, columns, paint)}\n`
  }
}

const states: Readonly<Record<DocumentSummary['state'], string | undefined>> = {
  idle: undefined,
  running: 'running',
  waiting: 'waits for you',
  interrupted: 'interrupted',
}

function formatFacts({ path, state, model, usage }: DocumentSummary, columns: number, paint: Paint): string {
  const { totalTokens, cost = 0, estimated } = usage
  const about = estimated === true ? 'about ' : ''
  const word = states[state]
  const facts = [
    word,
    model === undefined ? undefined : toOneLine(model),
    totalTokens > 0 ? `${about}${english.number(totalTokens)} tokens` : undefined,
    cost > 0 ? `cost ${about}${Number(cost.toPrecision(3))}` : undefined,
  ].filter(fact => fact !== undefined)
  const room = Math.max(12, columns - 2 - measureWidth(facts.map(fact => ` · ${fact}`).join('')))
  const name = cutMiddle(toOneLine(path), room)
  const lines: string[] = []
  for (const fact of facts) {
    const width = measureWidth(`  ${[name, ...lines, fact].join(' · ')}`)
    if (width <= columns) lines.push(fact)
  }
  const painted = lines.map(fact => (fact === word ? paint(fact, 'yellow') : paint(fact, 'dim')))
  return `  ${[name, ...painted].join(paint(' · ', 'dim'))}`
}

function toOneLine(text: string): string {
  return safeText(text).replace(/\s+/g, ' ')
}
