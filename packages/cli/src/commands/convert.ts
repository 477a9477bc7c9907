import { basename, dirname, extname, join } from 'node:path'
import { createWhole, makeFolders, readDocumentText, readSidecarRecords, saveDocument } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { Message } from '@argot/core'
import type { Resolver } from '@argot/core/chatmd'
import { convert, detectFormat, readTranscript, writeTranscript } from '@argot/core/convert'
import {
  type Conversion,
  findLosses,
  type Loss,
  type TranscriptFormat,
  transcriptFormats,
} from '@argot/core/convert/internal'
import { defined, nearestNames } from '@argot/core/stream/internal'
import { listSyntaxes } from '@argot/core/syntax/internal'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { collectDocuments } from '../documents/collect-documents.ts'
import { readSource, standardInputName } from '../documents/read-source.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { report } from '../io/report.ts'

interface ConvertFlags {
  to: TranscriptFormat
  from?: TranscriptFormat
  output?: string
  payloads: 'inline' | 'external'
  json?: boolean
  strict?: boolean
}

/** Export formats for reading, the same as on the page. They can't be read back, so losses aren't checked. */
const exportFormats: ReadonlySet<string> = new Set(['html', 'markdown'])

const endings = new Map<TranscriptFormat, string>(
  Object.entries({
    chatmd: '.chatmd',
    callout: '.md',
    'ui-messages': '.json',
    jsonl: '.jsonl',
    html: '.html',
    markdown: '.md',
  }),
)

const someFormats = `${[...endings.keys()].join(', ')}, or a syntax (argot models --syntaxes)`

function readTarget(name: string): TranscriptFormat {
  return exportFormats.has(name) ? name : readFormat(name, [...exportFormats])
}

function readFormat(name: string, more: unknown): TranscriptFormat {
  if (transcriptFormats.includes(name)) return name
  const others = Array.isArray(more) ? (more as string[]) : []
  const [nearest] = nearestNames(name, [...transcriptFormats, ...others], 1)
  const cure = nearest === undefined ? `It must be ${someFormats}.` : `Did you mean ${nearest}?`
  const { aliases = [], name: format } = listSyntaxes().find(one => one.aliases.includes(name)) ?? {}
  if (format !== undefined && aliases.length > 0 && transcriptFormats.includes(format)) return format
  throw new InvalidArgumentError(cure)
}

export function convertCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .requiredOption('--to <format>', `the format to write: ${someFormats}`, readTarget)
    .option('--from <format>', "the format to read, if the file name doesn't tell", readFormat)
    .option('-o, --output <path>', 'write to this file, or folder for several transcripts (default: standard output)')
    .addOption(
      new Option('--payloads <where>', 'where a document stores tool payloads')
        .choices(['inline', 'external'])
        .default('inline'),
    )
    .option('--strict', 'fail if something is lost')
    .option('--json', 'print the result as JSON, with diagnostics and losses')
    .action(async (files: string[], flags: ConvertFlags) => done(await convertAll(files, flags, io)))
}

async function convertAll(paths: readonly string[], flags: ConvertFlags, io: Io): Promise<number> {
  const files = await collectDocuments(paths)
  if (files.length > 1 && flags.output === undefined && flags.json !== true) {
    throw new UsageError('Several transcripts need an output folder: --output DIR.')
  }
  if (flags.payloads === 'external' && flags.output === undefined && flags.json !== true) {
    throw new UsageError('External payloads need an output file: --output FILE.')
  }
  let status = 0
  for (const file of files) status = Math.max(status, await convertFile(file, files.length > 1, flags, io))
  return status
}

async function convertFile(path: string, isSeveral: boolean, flags: ConvertFlags, io: Io): Promise<number> {
  const { file, content } = await readSource(path, io)
  if (!content.ok) {
    await report([{ ...content.problem, severity: 'error', file }], new Map(), flags.json === true, io)
    return 1
  }
  const { to, from, payloads } = flags
  const resolver = createResolver({ cwd: io.cwd() })
  const records = file === standardInputName ? undefined : await readSidecarRecords(file, { env: io.env })
  if (exportFormats.has(to)) return exportFile({ file, text: content.text, isSeveral, resolver, records }, flags, io)
  const result = await convert(content.text, { to, file, resolver, payloads, ...defined({ from, records }) })
  const hasFailed = result.diagnostics.some(({ severity }) => severity === 'error')
  let { losses } = result
  if (flags.json === true) {
    const { text, files, diagnostics, left } = result
    await print(io, jsonLine({ file, from: result.from, to, text, files, diagnostics, losses, left }))
  } else {
    const located = result.diagnostics.map(diagnostic => ({ file, ...diagnostic }))
    await report(located, new Map([[file, content.text]]), false, io)
    const output = outputFor(file, isSeveral, flags)
    if (!hasFailed) await writeOutput(result, output, flags, io)
    if (!hasFailed && to === 'chatmd' && output !== undefined) losses = await lossesOnDisk(output, result.messages, io)
    await reportLosses(file, to, { losses, left: result.left }, io)
  }
  const hasLosses = losses.length + result.left.length > 0
  return hasFailed || (flags.strict === true && hasLosses) ? 1 : 0
}

function outputFor(file: string, isSeveral: boolean, { output, to }: ConvertFlags): string | undefined {
  return isSeveral ? join(output!, basename(file, extname(file)) + (endings.get(to) ?? '.md')) : output
}

interface ExportInput {
  file: string
  text: string
  isSeveral: boolean
  resolver: Resolver
  records: Awaited<ReturnType<typeof readSidecarRecords>> | undefined
}

async function exportFile(
  { file, text: source, isSeveral, resolver, records }: ExportInput,
  flags: ConvertFlags,
  io: Io,
): Promise<number> {
  const { to, from = detectFormat(source, file) } = flags
  const sourceTranscript = await readTranscript(source, from, { file, resolver, ...defined({ records }) })
  const { diagnostics } = sourceTranscript
  const messages = sourceTranscript.messages.filter(({ role }) => role !== 'system')
  const title = file === standardInputName ? 'Conversation' : basename(file, extname(file))
  const text = to === 'html' ? await toHtml(title, messages) : writeTranscript(messages, 'callout').text
  if (flags.json === true) {
    await print(io, jsonLine({ file, from, to, text, files: [], diagnostics, losses: [], left: [] }))
  } else {
    const located = diagnostics.map(diagnostic => ({ file, ...diagnostic }))
    await report(located, new Map([[file, source]]), false, io)
  }
  const hasFailed = diagnostics.some(({ severity }) => severity === 'error')
  if (!hasFailed && flags.json !== true) {
    const transcript = { text, messages, preamble: '' }
    await writeOutput(transcript, outputFor(file, isSeveral, flags), flags, io)
  }
  return hasFailed ? 1 : 0
}

async function toHtml(title: string, messages: readonly Message[]): Promise<string> {
  const [{ writeHtmlFile }, { parser }] = await Promise.all([
    import('@argot/core/convert/internal'),
    import('markdown-to-jsx/html'),
  ])
  return writeHtmlFile(title, messages, text => parser(text, { disableParsingRawHTML: true }))
}

async function writeOutput(
  { text, messages, preamble }: Pick<Conversion, 'text' | 'messages' | 'preamble'>,
  output: string | undefined,
  { to, payloads }: ConvertFlags,
  io: Io,
): Promise<void> {
  if (output === undefined) return print(io, text)
  if (to === 'chatmd') return saveDocument(output, messages, payloads, preamble)
  makeFolders(dirname(output))
  try {
    createWhole(output, text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`${output} already exists. Remove it, or choose another file.`)
  }
}

/** A stored document has a sidecar, which keeps what its text omits. */
async function lossesOnDisk(output: string, messages: readonly Message[], io: Io): Promise<Loss[]> {
  const content = await readDocumentText(output)
  if (!content.ok) return []
  const resolver = createResolver({ cwd: io.cwd(), offline: true })
  const records = await readSidecarRecords(output, { env: io.env })
  const rereadTranscript = await readTranscript(content.text, 'chatmd', { file: output, resolver, records })
  return findLosses(messages, rereadTranscript.messages)
}

async function reportLosses(
  file: string,
  to: TranscriptFormat,
  { losses, left }: Pick<Conversion, 'losses' | 'left'>,
  io: Io,
): Promise<void> {
  if (losses.length + left.length === 0) return
  const lines = [...left, ...losses.map(({ field, count }) => `\`${field}\`${count === 1 ? '' : `, ${count} times`}`)]
  await tell(io, `${file}: ${to} can't carry:\n${lines.map(line => `  - ${line}\n`).join('')}`)
}
