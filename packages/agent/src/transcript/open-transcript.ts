import { constants, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ArgotError } from 'argot'
import { parseTree, type Tree } from 'argot/chatmd'
import { AppendedDocument } from './appended-document.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { DiskTranscript, type Opened } from './disk-transcript.ts'
import { type DocumentLock, lockDocument } from './document-lock.ts'
import { compareRun, currentLog, findUnlogged, isSameDocument, type Recovery, restorePayloads } from './recover-run.ts'
import { cutDocument, repairTail } from './repair-tail.ts'
import { closeStep } from './replay-run.ts'
import { type Beginning, type BegunLog, endLog, findOpenLogs, recoveredMark, writtenMark } from './run-log-file.ts'
import type { Transcript, TranscriptOptions } from './transcript.ts'
import { callNumbers } from './written-element.ts'

/**
 * Takes the document for one run at a time, repairs an end that a crash cut off, and appends what the log of a run that
 * died still has to say. `file` of the transcript is the real path, links resolved. Throws `RUN_LOCKED` while another run
 * has it; a file that cannot be read rejects with the system's error.
 */
export function openTranscript(file: string, options: TranscriptOptions = {}): Promise<Transcript> {
  return openTranscriptOn(nodeDisk, file, options)
}

/** The same on a disk that a test can stop. */
export async function openTranscriptOn(disk: Disk, file: string, options: TranscriptOptions): Promise<Transcript> {
  const real = await realpath(file)
  await access(real, constants.R_OK | constants.W_OK)
  const folder = makeFolder(dirname(real))
  mkdirSync(join(folder, 'locks'), { recursive: true })
  const lock = await lockDocument(join(folder, 'locks', `${basename(real)}.lock`), options)
  try {
    return await openLocked(disk, real, lock, options.now ?? Date.now)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** `.chatmd` beside the document. One that is a link would take what is written elsewhere. */
function makeFolder(parent: string): string {
  const folder = join(parent, '.chatmd')
  mkdirSync(folder, { recursive: true })
  if (lstatSync(folder).isDirectory()) return folder
  throw new ArgotError('RUN_UNSAFE_FOLDER', '`.chatmd` beside the document is a link, so nothing is written there.')
}

async function openLocked(disk: Disk, file: string, lock: DocumentLock, now: () => number): Promise<Transcript> {
  const runs = join(dirname(file), '.chatmd', 'runs', basename(file))
  const logs = findOpenLogs(runs)
  const found = currentLog(logs)
  const notices: string[] = []
  const { source, tree, isSame } = await readSound(disk, file, found, notices)
  const log = found === undefined ? undefined : await closeStep(disk, runs, found, now)
  const unsealed = logs.map(one => (one === found ? log! : one))
  const document = new AppendedDocument(disk, file, source, callNumbers(tree))
  const opened: Opened = { disk, lock, now, runs, document, notices, unsealed, recovered: undefined }
  try {
    if (log === undefined) return new DiskTranscript(opened)
    const recovery = compareRun(runs, log, tree)
    if (!isSame && recovery.present.length === 0) {
      notices.push(
        `\`${basename(file)}\` was changed since its last run (\`${log.beginning.run}\`) began. What that run said stays in its log, ${log.path}.`,
      )
      return new DiskTranscript(opened)
    }
    await appendMissing(disk, document, log.beginning, recovery, notices)
    const { recovered } = recovery
    if (recovered !== undefined) return new DiskTranscript({ ...opened, recovered })
    for (const one of unsealed) {
      const type = one === log ? writtenMark : recoveredMark
      await endLog(disk, runs, one, [{ type, transient: true, data: {} }], now)
    }
    return new DiskTranscript({ ...opened, unsealed: [] })
  } catch (error) {
    document.close()
    throw error
  }
}

/** Reads the document and takes away what a crash has spoiled. `isSame`: it is the one with which the run began. */
async function readSound(
  disk: Disk,
  file: string,
  log: BegunLog | undefined,
  notices: string[],
): Promise<{ source: string; tree: Tree; isSame: boolean }> {
  const bytes = readFileSync(file)
  const isSame = log !== undefined && isSameDocument(bytes, log.beginning)
  const repaired = await repairTail(disk, file, bytes, isSame ? log.beginning.size : undefined)
  if (repaired.notice !== undefined) notices.push(repaired.notice)
  const unlogged = log === undefined ? undefined : findUnlogged(log, repaired.tree)
  if (unlogged === undefined) return { source: repaired.source, tree: repaired.tree, isSame }
  const { name, kept } = await cutDocument(disk, file, repaired.source, unlogged)
  notices.push(
    `The last elements of \`${basename(file)}\` were not in the log of their run and were moved to \`${name}\`.`,
  )
  return { source: kept, tree: parseTree(kept), isSame }
}

async function appendMissing(
  disk: Disk,
  document: AppendedDocument,
  { run, payloads }: Beginning,
  { missing, present, ended }: Recovery,
  notices: string[],
): Promise<void> {
  for (const path of restorePayloads(disk, document.file, present, payloads)) document.noteFile(path)
  const records = missing.flatMap(element => element.records)
  if (records.length > 0) document.append(records, payloads)
  await document.sync()
  const name = basename(document.file)
  if (!ended) notices.push(`The last run of \`${name}\` (\`${run}\`) was interrupted before it ended.`)
  if (missing.length === 0) return
  const what = missing.length === 1 ? 'One element was' : `${missing.length} elements were`
  notices.push(`${what} missing in \`${name}\` and appended from the log of the run \`${run}\`.`)
}
