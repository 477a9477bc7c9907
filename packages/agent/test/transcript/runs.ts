import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Store } from '@argot/agent'
import { matchDocument, readRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import { type Accumulator, accumulate, type Chunk, type Message } from '@argot/core'
import { expand, parseChatMd } from '@argot/core/chatmd'
import { onTestFinished } from 'vitest'
import { type Disk, nodeDisk } from '../../src/store/folder/disk.ts'
import { folderStoreOn } from '../../src/store/folder/folder-store.ts'
import { openTranscript } from '../../src/transcript/open-transcript.ts'
import type { Transcript } from '../../src/transcript/transcript.ts'

export type Payloads = 'inline' | 'external'

/** No newline at its end, and characters of two, three and four bytes. */
export const prompt = '<config model="demo"/>\n\n<user>\nTu es — naïve 🙂.\n</user>'

/** A document in a folder of its own, removed when the test is over. */
export async function makeDocument(source: string = prompt, name = 'chat.chatmd'): Promise<string> {
  const folder = await realpath(mkdtempSync(join(tmpdir(), 'argot-transcript-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, name)
  writeFileSync(file, source)
  return file
}

export interface Recording {
  id?: string
  payloads?: Payloads
  before?: Message
  disk?: Disk
}

/** A clock that stands still within a chunk, for the fold and for the log. */
export const clock = { time: Date.UTC(2030, 0, 1) }

/** Pushes the chunks into an open transcript as a loop does, synced where a loop syncs. */
export async function pushAll(
  transcript: Transcript,
  chunks: readonly Chunk[],
  fold: Accumulator = accumulate({ now: () => clock.time }),
  sync: 'sync' | 'syncStep' = 'sync',
): Promise<Message | undefined> {
  for (const chunk of chunks) {
    clock.time += 3
    fold.push(chunk)
    transcript.push(chunk, fold)
    await transcript.flush()
    if (chunk.type === 'finish-step' || chunk.type.startsWith('tool-output-')) await transcript[sync]()
  }
  return fold.message
}

/** The key of the user. */
export const key: Uint8Array = Buffer.from('the key of the user of these tests')

export function storeOf(file: string, disk: Disk = nodeDisk): Store {
  return folderStoreOn(disk, dirname(file), { key, now: () => clock.time })
}

export function openOn(file: string, disk: Disk = nodeDisk): Promise<Transcript> {
  return openTranscript(storeOf(file, disk), basename(file), { now: () => clock.time })
}

/** Opens, writes a whole run and closes; gives the message that the run had in memory. */
export async function record(
  file: string,
  chunks: readonly Chunk[],
  { id = 'run-1', payloads = 'external', before, disk }: Recording = {},
): Promise<Message | undefined> {
  const transcript = await openOn(file, disk)
  if (transcript.unfinished?.runId === id) await transcript.resume()
  else await transcript.begin({ id, payloads, message: before })
  const message = await pushAll(transcript, chunks)
  await transcript.close()
  return message
}

/** The messages of the assistant that the document holds. Fails for a document with errors or lost files. */
export async function readBack(file: string): Promise<Message[]> {
  const { document, diagnostics } = parseChatMd(readFileSync(file, 'utf8'), { file })
  const records = matchDocument(document.tree, await readRecords(storeOf(file), basename(file)))
  const expanded = await expand(document, { resolver: createResolver({ cwd: dirname(file) }), records })
  const problems = [...diagnostics, ...expanded.diagnostics]
  if (problems.length > 0) throw new Error(problems.map(one => `${one.code}: ${one.message}`).join('\n'))
  return expanded.messages.map(one => one.message).filter(message => message.role === 'assistant')
}

/** The same value without what JSON does not keep. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

export function logPathOf(file: string, id = 'run-1'): string {
  return join(dirname(file), '.chatmd', 'runs', basename(file), `${id}.jsonl`)
}

/** The process that held the document is gone. */
export function dropLock(file: string): void {
  rmSync(join(dirname(file), '.chatmd', 'locks', `${basename(file)}.lock`), { force: true })
}

/** The log as it was before it said that all of it was written: the run was killed right behind its end. */
export function forgetWritten(file: string, id = 'run-1'): void {
  const path = logPathOf(file, id)
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.filter(line => !line.includes('"data-argot-written"')).join('\n'))
}
