import { cleanDocument, rewriteDocument } from '@argot/agent/internal'
import type { Diagnostic } from '@argot/core'
import { cleanChatMd, formatChatMd, parseChatMd, repairChatMd } from '@argot/core/chatmd'
import { cleanWithRecords } from '@argot/core/chatmd/internal'
import type { Command } from 'commander'
import { collectDocuments } from '../documents/collect-documents.ts'
import { readSource, standardInput } from '../documents/read-source.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { report } from '../io/report.ts'

interface FmtFlags {
  check?: boolean
  write?: boolean
  repair?: boolean
  clean?: boolean
  json?: boolean
}

/** The layout changes, the meaning never does. */
export function fmtCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--check', 'print nothing; list the documents whose layout differs')
    .option('--write', 'update the documents in place')
    .option(
      '--repair',
      "fix what can be fixed automatically: missing quotes, marks and closing tags, and tags in a model's text",
    )
    .option('--clean', 'move run bookkeeping (ids, times, usage) out of the text; with --write, into .chatmd/sidecars')
    .option('--json', 'print each document as a line of JSON on stdout')
    .action(async (paths: string[], flags: FmtFlags) => done(await fmt(paths, flags, io)))
}

async function fmt(paths: readonly string[], flags: FmtFlags, io: Io): Promise<number> {
  if (flags.check === true && flags.write === true) throw new UsageError('Use either --check or --write.')
  const files = await collectDocuments(paths)
  if (files.length > 1 && flags.check !== true && flags.write !== true && flags.json !== true) {
    throw new UsageError("Several documents can't be printed as one. Use --write, --check or --json.")
  }
  let status = 0
  for (const file of files) {
    const result = await fmtFile(file, flags, io)
    if (result === 'failed' || (result === 'differs' && flags.check === true)) status = 1
  }
  return status
}

async function fmtFile(path: string, flags: FmtFlags, io: Io): Promise<'failed' | 'differs' | 'same'> {
  if (path === standardInput && flags.write === true) throw new UsageError("--write can't update standard input.")
  const { file, content } = await readSource(path, io)
  if (!content.ok) {
    await report([{ ...content.problem, severity: 'error', file }], new Map(), flags.json === true, io)
    return 'failed'
  }
  const repaired = flags.repair === true ? repairChatMd(content.text) : { text: content.text, count: 0 }
  const errors = findErrors(repaired.text, file)
  if (errors.length > 0) {
    await report(errors, new Map([[file, repaired.text]]), flags.json === true, io)
    if (repaired.count > 0) await saveRepairs(file, repaired, flags, io)
    return 'failed'
  }
  const formatted = formatText(content.text, flags)
  const differs = formatted !== content.text
  // Format again once no other process can write: a run may have ended in between.
  if (flags.write === true && differs) await writeBack(file, flags, io)
  if (flags.clean === true && flags.write !== true && flags.check !== true) await tellOmitted(file, repaired.text, io)
  if (repaired.count > 0) await tell(io, `${file}: ${countPlaces(repaired.count)} repaired\n`)
  if (flags.json === true)
    await print(
      io,
      jsonLine({ file, differs, ...(flags.write !== true && flags.check !== true && { text: formatted }) }),
    )
  else if (flags.check === true || flags.write === true) {
    if (differs)
      await tell(io, `${file}: ${flags.write === true ? 'formatted' : 'layout differs; run argot fmt --write'}\n`)
  } else await print(io, formatted)
  return differs ? 'differs' : 'same'
}

/** Saves the repairs although other errors have to be fixed by hand. The layout only changes after that. */
async function saveRepairs(
  file: string,
  { text, count }: { text: string; count: number },
  flags: FmtFlags,
  io: Io,
): Promise<void> {
  if (flags.write === true) await rewriteDocument(file, current => repairChatMd(current).text)
  else if (flags.json === true && flags.check !== true) await print(io, jsonLine({ file, differs: true, text }))
  else if (flags.check !== true) await print(io, text)
  const rest = 'fix the problems listed above by hand'
  await tell(io, `${file}: ${countPlaces(count)} ${flags.check === true ? 'can be repaired' : 'repaired'}; ${rest}\n`)
}

function countPlaces(count: number): string {
  return count === 1 ? 'one place' : `${count} places`
}

async function writeBack(file: string, flags: FmtFlags, io: Io): Promise<void> {
  const change = (text: string): string | undefined => {
    const changed = flags.clean === true ? repair(text, flags) : formatText(text, flags)
    return findErrors(changed, file).length === 0 ? changed : undefined
  }
  if (flags.clean !== true) return rewriteDocument(file, change)
  const { moved, signed } = await cleanDocument(file, change)
  if (moved === 0) return
  const confirmed = signed === 0 ? '' : `, ${signed} of them confirmed by a signed log`
  await tell(io, `${file}: ${describeBookkeeping(moved)} moved to the sidecar${confirmed}\n`)
}

/** Printed text has no sidecar that could keep it. */
async function tellOmitted(file: string, text: string, io: Io): Promise<void> {
  const { records } = cleanWithRecords(text)
  if (records.length === 0) return
  const cure = file === standardInput ? '' : '; to keep it in the sidecar, run argot fmt --clean --write'
  await tell(io, `${file}: ${describeBookkeeping(records.length)} omitted${cure}\n`)
}

function describeBookkeeping(records: number): string {
  return `the bookkeeping of ${records === 1 ? 'one element' : `${records} elements`}`
}

function repair(text: string, flags: FmtFlags): string {
  return flags.repair === true ? repairChatMd(text).text : text
}

function formatText(text: string, flags: FmtFlags): string {
  const repaired = repair(text, flags)
  return formatChatMd(flags.clean === true ? cleanChatMd(repaired) : repaired)
}

function findErrors(text: string, file: string): Diagnostic[] {
  return parseChatMd(text, { file }).diagnostics.filter(({ severity }) => severity === 'error')
}
