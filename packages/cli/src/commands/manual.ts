import { nearestNames } from '@argot/core/stream/internal'
import type { Command } from 'commander'
import { findPromptTerminal } from '../ask/prompt-terminal.ts'
import { getColumns, getRows } from '../io/columns.ts'
import { findManual } from '../io/find-manual.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { cutEnd } from '../io/width.ts'
import { drawPage } from './manual/draw-page.ts'
import { HOME, type ManualPage, readPages } from './manual/read-pages.ts'
import { searchPages } from './manual/search-pages.ts'

interface ManualFlags {
  list?: boolean
  search?: string[]
  pager: boolean
  json?: boolean
}

const MOST_MATCHES = 20

export function manualCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('-l, --list', 'list the topics')
    .option('-s, --search <words...>', 'list the sections that contain all of these words')
    .option('--no-pager', 'print the whole page without a pager')
    .option('--json', 'with --list and --search: print JSON')
    .addHelpText(
      'after',
      '\nIn a pipe, the page is printed as Markdown. For the prompt that teaches a model\na syntax, see `argot docs`.',
    )
    .action(async (topic: string | undefined, flags: ManualFlags) => {
      const commands = command.parent?.commands.map(one => one.name()) ?? []
      done(await manual(topic, commands, flags, io))
    })
}

async function manual(
  topic: string | undefined,
  commands: readonly string[],
  flags: ManualFlags,
  io: Io,
): Promise<number> {
  const folder = findManual()
  if (folder === undefined) throw new UsageError('The manual is missing from this installation. Reinstall Argot.')
  const pages = readPages(folder)
  if (flags.search !== undefined)
    return search(pages, [...flags.search, ...(topic === undefined ? [] : [topic])], flags, io)
  if (flags.list === true) return list(pages, flags, io)
  await show(findPage(pages, topic, commands), flags, io)
  return 0
}

function findPage(pages: readonly ManualPage[], topic: string | undefined, commands: readonly string[]): ManualPage {
  const name = topic?.replace(/\.md$/i, '').toLowerCase() ?? ''
  const isNamed = (page: ManualPage): boolean => page.topic.toLowerCase() === name
  const inFolder = (page: ManualPage): boolean =>
    page.topic.toLowerCase().endsWith(`/${name}`) || page.topic.toLowerCase() === `${name}/readme`
  const byTopic = (topic: string): ManualPage | undefined => pages.find(page => page.topic === topic)
  const isCommand = commands.includes(name)
  const page =
    name === ''
      ? byTopic(HOME)
      : (pages.find(isNamed) ?? pages.find(inFolder) ?? (isCommand ? byTopic('command') : undefined))
  if (page !== undefined) return page
  const names = pages.flatMap(one => [one.topic, one.topic.replace(/^.*\//, '')])
  const [nearest] = nearestNames(name, names, 1)
  const cure =
    nearest === undefined
      ? `To list the topics, run argot manual --list. To search, run argot manual --search ${name}`
      : `Did you mean "${nearest}"?`
  throw new UsageError(`There is no page "${topic}". ${cure}`)
}

async function show(page: ManualPage, { pager }: ManualFlags, io: Io): Promise<void> {
  if (io.stdout.isTTY !== true) return print(io, page.text)
  const hasColours = wantsColours(io, io.stdout)
  const rows = drawPage(page.text, getColumns(io.stdout), hasColours ? createPaint(true) : undefined)
  const terminal = pager && rows.length >= getRows(io.stdout) ? findPromptTerminal(io, {}) : undefined
  if (terminal === undefined) return print(io, `${rows.join('\n')}\n`)
  const { showAll } = await import('../ask/show-all.ts')
  await showAll(rows, terminal, new AbortController().signal)
}

async function list(pages: readonly ManualPage[], { json }: ManualFlags, io: Io): Promise<number> {
  const topics = pages.filter(({ topic }) => topic !== HOME)
  if (json === true) {
    await print(io, jsonLine({ topics: topics.map(({ topic, title }) => ({ topic, title })) }))
    return 0
  }
  const paint = createPaint(wantsColours(io, io.stdout))
  const width = Math.max(...topics.map(({ topic }) => topic.length))
  const room = io.stdout.isTTY === true ? getColumns(io.stdout) - width - 3 : Number.POSITIVE_INFINITY
  const rows = topics.map(({ topic, title }) => {
    const about = room < 12 ? '' : `${' '.repeat(width - topic.length)}  ${cutEnd(title.replaceAll('`', ''), room)}`
    return `${paint(topic, 'bold')}${about}\n`
  })
  await print(io, rows.join(''))
  return 0
}

async function search(pages: readonly ManualPage[], words: string[], { json }: ManualFlags, io: Io): Promise<number> {
  const terms = words.flatMap(word => word.split(/\s+/)).filter(word => word !== '')
  const matches = terms.length === 0 ? [] : searchPages(pages, terms)
  if (json === true) {
    await print(io, jsonLine({ matches }))
    return matches.length === 0 ? 1 : 0
  }
  const paint = createPaint(wantsColours(io, io.stdout))
  const room = io.stdout.isTTY === true ? getColumns(io.stdout) - 3 : 100
  for (const { topic, heading, line } of matches.slice(0, MOST_MATCHES)) {
    const place = cutEnd(`${topic} › ${heading.replaceAll('`', '')}`, room + 2)
    await print(io, `${paint(place, 'bold')}\n  ${cutEnd(line, room)}\n`)
  }
  const more = matches.length - MOST_MATCHES
  if (matches.length === 0) await tell(io, `No section contains ${terms.join(' and ')}.\n`)
  else if (more > 0) await tell(io, `… and ${more} more. Add a word to narrow the search.\n`)
  return matches.length === 0 ? 1 : 0
}
