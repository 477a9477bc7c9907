import { readDocumentText, rewriteDocument } from '@argot/agent'
import type { Diagnostic } from 'argot'
import { formatChatMd, parseChatMd } from 'argot/chatmd'
import type { Command } from 'commander'
import { collectDocuments } from '../documents/collect-documents.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { report } from '../io/report.ts'

interface FmtFlags {
  check?: boolean
  write?: boolean
  json?: boolean
}

/** `argot fmt`: the canonical layout of documents; what they mean stays exactly the same. */
export function fmtCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--check', 'print nothing; list the documents whose layout differs')
    .option('--write', 'write the documents back')
    .option('--json', 'print one JSON per document on stdout')
    .action(async (paths: string[], flags: FmtFlags) => done(await fmt(paths, flags, io)))
}

async function fmt(paths: readonly string[], flags: FmtFlags, io: Io): Promise<number> {
  if (flags.check === true && flags.write === true) throw new UsageError('Use either --check or --write.')
  const files = await collectDocuments(paths)
  if (files.length > 1 && flags.check !== true && flags.write !== true && flags.json !== true) {
    throw new UsageError('Several documents cannot be printed as one: use --write, --check or --json.')
  }
  let status = 0
  for (const file of files) {
    const result = await fmtFile(file, flags, io)
    if (result === 'failed' || (result === 'differs' && flags.check === true)) status = 1
  }
  return status
}

async function fmtFile(file: string, flags: FmtFlags, io: Io): Promise<'failed' | 'differs' | 'same'> {
  const read = await readDocumentText(file)
  if (!read.ok) {
    await report([{ ...read.problem, severity: 'error', file }], new Map(), flags.json === true, io)
    return 'failed'
  }
  const errors = errorsOf(read.text, file)
  if (errors.length > 0) {
    await report(errors, new Map([[file, read.text]]), flags.json === true, io)
    return 'failed'
  }
  const formatted = formatChatMd(read.text)
  const differs = formatted !== read.text
  // The text is formatted again once nobody else can write it: a run may have ended in between.
  if (flags.write === true && differs)
    await rewriteDocument(file, text => (errorsOf(text, file).length === 0 ? formatChatMd(text) : undefined))
  if (flags.json === true)
    await print(
      io,
      jsonLine({ file, differs, ...(flags.write !== true && flags.check !== true && { text: formatted }) }),
    )
  else if (flags.check === true || flags.write === true) {
    if (differs)
      await tell(io, `${file}: ${flags.write === true ? 'formatted' : 'its layout differs; run argot fmt --write'}\n`)
  } else await print(io, formatted)
  return differs ? 'differs' : 'same'
}

function errorsOf(text: string, file: string): Diagnostic[] {
  return parseChatMd(text, { file }).diagnostics.filter(({ severity }) => severity === 'error')
}
