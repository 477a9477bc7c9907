import type { DocumentCheck } from '@argot/agent/internal'
import { checkDocument } from '@argot/agent/workshop'
import type { Diagnostic } from '@argot/core'
import { type Command, Option } from 'commander'
import { collectDocuments } from '../documents/collect-documents.ts'
import { readSource } from '../documents/read-source.ts'
import { githubLine } from '../io/github.ts'
import { type Io, print, tell } from '../io/io.ts'
import { report, summariseDiagnostics } from '../io/report.ts'

interface CheckFlags {
  json?: boolean
  format?: 'text' | 'json' | 'github'
  allowPath?: string[]
  allowPrivate?: boolean
  allowEnv?: string[]
  tools?: string[]
  quiet?: boolean
}

export function checkCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--json', 'print each diagnostic as a line of JSON on stdout; same as --format json')
    .addOption(
      new Option(
        '--format <format>',
        'output format: text (excerpts on stderr), json, or github (workflow annotations)',
      ).choices(['text', 'json', 'github']),
    )
    .option(
      '--allow-path <dir>',
      'let documents also refer to files in this folder; may be repeated',
      (dir, all: string[] = []) => [...all, dir],
    )
    .option('--allow-private', 'let documents use addresses on this machine and its network')
    .option(
      '--allow-env <name>',
      'let documents send this variable to MCP servers as a token; may be repeated',
      (name, all: string[] = []) => [...all, name],
    )
    .option(
      '--tools <file>',
      'a tool module for the run; it is not executed, so tool names it might define are not checked',
      (file, all: string[] = []) => [...all, file],
    )
    .option('-q, --quiet', 'print only errors, without warnings and the summary')
    .addHelpText(
      'after',
      '\nReports what argot run would refuse before it calls a model, and what it would\nwarn about. Nothing is run or fetched; only files on this machine are looked up.\nWith only hints, the exit status is 0.',
    )
    .action(async (paths: string[], flags: CheckFlags) => done(await check(paths, flags, io)))
}

async function check(paths: readonly string[], flags: CheckFlags, io: Io): Promise<number> {
  const files = await collectDocuments(paths)
  const format = flags.format ?? (flags.json === true ? 'json' : 'text')
  const all: Diagnostic[] = []
  for (const file of files) {
    const report = await checkFile(file, flags, io)
    const visible =
      flags.quiet === true ? report.diagnostics.filter(({ severity }) => severity === 'error') : report.diagnostics
    await show(visible, report.sources, format, io)
    all.push(...visible)
  }
  if (format !== 'json' && flags.quiet !== true) {
    await tell(io, `${files.length === 1 ? files[0] : `${files.length} documents`}: ${summariseDiagnostics(all)}.\n`)
  }
  return all.some(({ severity }) => severity !== 'info') ? 1 : 0
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

async function checkFile(path: string, flags: CheckFlags, io: Io): Promise<DocumentCheck> {
  const { file, content } = await readSource(path, io)
  if (!content.ok) return { diagnostics: [{ ...content.problem, severity: 'error', file }], sources: new Map() }
  return checkDocument(
    { file, text: content.text },
    {
      cwd: io.cwd(),
      env: io.env,
      allowPaths: flags.allowPath,
      allowPrivateAddresses: flags.allowPrivate,
      allowEnv: flags.allowEnv,
      toolModules: flags.tools,
    },
  )
}
