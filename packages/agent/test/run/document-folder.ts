import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { folderStore, type Run, type RunResult } from '@argot/agent'
import { type DocumentRecords, matchDocument, toRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { Chunk, Message } from '@argot/core'
import { checkChatMd, expand, parseChatMd } from '@argot/core/chatmd'
import { onTestFinished } from 'vitest'

/** A folder of its own for a test, with these files. */
export async function documentFolder(files: Record<string, string> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-run-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** Reads a run to its end. */
export async function follow(run: Run): Promise<{ chunks: Chunk[]; result: RunResult }> {
  const chunks: Chunk[] = []
  for await (const chunk of run) chunks.push(chunk)
  return { chunks, result: await run.result }
}

/** The messages of a document on disk; it must be readable without errors. */
export async function readMessages(file: string): Promise<Message[]> {
  const source = await readFile(file, 'utf8')
  const { document, diagnostics } = parseChatMd(source, { file })
  const errors = [...diagnostics, ...checkChatMd(source)].filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(`${file} has errors: ${JSON.stringify(errors)}\n${source}`)
  const records = matchDocument(document.tree, await recordsOf(file))
  const expanded = await expand(document, { resolver: createResolver({ directory: dirname(file) }), records })
  if (expanded.diagnostics.length > 0) throw new Error(JSON.stringify(expanded.diagnostics))
  return expanded.messages.map(({ message }) => message)
}

/** What the sidecar of a document says. The key of the run is not known here: each record counts as its user's. */
export async function recordsOf(file: string): Promise<DocumentRecords> {
  const { records } = await folderStore(dirname(file)).sidecars.read(basename(file))
  return toRecords({ records: records.map(({ value }) => ({ value, isSigned: true })) })
}

/** The names of all files below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
