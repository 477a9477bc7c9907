import { createResolver, localOnly } from '@argot/agent'
import type { Diagnostic } from 'argot'
import { checkChatMd, expand, parseChatMd } from 'argot/chatmd'
import { type Command, Option } from 'commander'
import { collectDocuments } from '../documents/collect-documents.ts'
import { readSource } from '../documents/read-source.ts'
import { githubLine } from '../io/github.ts'
import { type Io, print, tell } from '../io/io.ts'
import { report, summary } from '../io/report.ts'

interface CheckFlags {
  json?: boolean
  format?: 'text' | 'json' | 'github'
  allowPath: string[]
  quiet?: boolean
}

/** `argot check`: what is wrong with documents, with line, column, a picture of the line and the cure. */
export function checkCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--json', 'print one JSON per diagnostic on stdout; the same as --format json')
    .addOption(
      new Option('--format <format>', 'text (pictures on stderr), json, or github (annotations of a workflow)').choices(
        ['text', 'json', 'github'],
      ),
    )
    .option(
      '--allow-path <dir>',
      'let documents refer to files in this folder too',
      (dir, all: string[]) => [...all, dir],
      [],
    )
    .option('-q, --quiet', 'print errors only, no warnings and no summary')
    .addHelpText('after', '\nNothing is run and nothing is fetched: only files on this machine are looked up.')
    .action(async (paths: string[], flags: CheckFlags) => done(await check(paths, flags, io)))
}

async function check(paths: readonly string[], flags: CheckFlags, io: Io): Promise<number> {
  const files = await collectDocuments(paths)
  const format = flags.format ?? (flags.json === true ? 'json' : 'text')
  const all: Diagnostic[] = []
  for (const file of files) {
    const found = await checkFile(file, flags, io)
    const shown =
      flags.quiet === true ? found.diagnostics.filter(({ severity }) => severity === 'error') : found.diagnostics
    await show(shown, found.sources, format, io)
    all.push(...shown)
  }
  if (format !== 'json' && flags.quiet !== true) {
    await tell(io, `${files.length === 1 ? files[0] : `${files.length} documents`}: ${summary(all)}.\n`)
  }
  return all.length > 0 ? 1 : 0
}

async function show(
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string | undefined, string>,
  format: 'text' | 'json' | 'github',
  io: Io,
): Promise<void> {
  if (format !== 'github') return report(diagnostics, sources, format === 'json', io)
  await print(io, diagnostics.map(githubLine).join(''))
}

/** The rules of the language, and whether the files that the document names can be read. */
async function checkFile(
  path: string,
  flags: CheckFlags,
  io: Io,
): Promise<{ diagnostics: Diagnostic[]; sources: Map<string | undefined, string> }> {
  const { file, read } = await readSource(path, io)
  if (!read.ok) return { diagnostics: [{ ...read.problem, severity: 'error', file }], sources: new Map() }
  const resolver = createResolver({ cwd: io.cwd(), allowPaths: flags.allowPath })
  const { diagnostics, sources } = await expand(parseChatMd(read.text, { file }).document, {
    resolver: localOnly(resolver),
  })
  return {
    diagnostics: [...checkChatMd(read.text, { file }), ...diagnostics],
    sources: new Map([...sources, [file, read.text]]),
  }
}
