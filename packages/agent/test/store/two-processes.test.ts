import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderStore, type RunOptions, runDocument, type Store } from '@argot/agent'
import type { Chunk } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import { expect, onTestFinished, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { documentFolder, follow } from '../run/document-folder.ts'
import { documentName, documentText, effectsName, type How, runningOptions } from './running.ts'

const [runner] = bundlePrograms([join(import.meta.dirname, 'running.ts')])

async function makeFolder(): Promise<{ folder: string; store: Store; options: (how: How) => RunOptions }> {
  const folder = await documentFolder({ [documentName]: documentText })
  return {
    folder,
    store: folderStore(folder, { configFolder: join(folder, 'config'), env: {} }),
    options: how => runningOptions(folder, how),
  }
}

/** Runs the document of the folder in a process of its own, and gives what that says in the end. */
function runElsewhere(folder: string, how: How): Promise<unknown> {
  const child = spawn(process.execPath, [runner!, folder, how], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(JSON.parse(said)))
  })
}

async function findRun(store: Store): Promise<string> {
  await expect.poll(() => store.logs.list({ state: 'running' }), { timeout: 60_000 }).toHaveLength(1)
  return (await store.logs.list())[0]!.run
}

/** The id of the question in a line. */
function questionIn({ chunk }: LogLine): string | undefined {
  return chunk.type === 'tool-approval-request' ? chunk.approvalId : undefined
}

function questionAmong(chunks: readonly Chunk[]): string {
  return chunks.flatMap(chunk => (chunk.type === 'tool-approval-request' ? [chunk.approvalId!] : []))[0]!
}

function effects(folder: string): string {
  return existsSync(join(folder, effectsName)) ? readFileSync(join(folder, effectsName), 'utf8') : ''
}

const yes = { approved: true, by: 'somebody elsewhere' }

test('another process follows a run and answers its question, and the first answer counts', async () => {
  const { folder, store } = await makeFolder()
  const ended = runElsewhere(folder, 'asks')
  const run = await findRun(store)
  const chunks: Chunk[] = []
  for await (const line of store.logs.follow(run)) {
    chunks.push(line.chunk)
    const approvalId = questionIn(line)
    if (approvalId === undefined) continue
    expect(effects(folder)).toBe('')
    await expect(runDocument(documentName, runningOptions(folder, 'asks')).result).resolves.toMatchObject({
      code: 'RUN_LOCKED',
    })
    const post = { id: 'p1', type: 'answer', approvalId, answer: yes } as const
    expect(await store.inbox.post(run, post)).toBe('accepted')
    expect(await store.inbox.post(run, { ...post, answer: { approved: false } })).toBe('already')
    await store.inbox.post(run, { ...post, id: 'p2', answer: { approved: false } })
  }
  expect(await ended).toEqual({ status: 'done', said: 'It is changed.' })
  expect(chunks.filter(({ type }) => type === 'tool-approval-response')).toMatchObject([
    { approved: true, providerMetadata: { argot: { by: 'somebody elsewhere' } } },
  ])
  expect(chunks).toContainEqual({ type: 'tool-output-available', toolCallId: 'c1', output: 'changed one' })
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  expect(effects(folder)).toBe('one\n')
  expect(await store.logs.list()).toEqual([{ run, path: documentName, state: 'ended' }])
})

test('another process stops a run, and whoever follows it sees the end', async () => {
  const { folder, store } = await makeFolder()
  const ended = runElsewhere(folder, 'talks')
  const run = await findRun(store)
  const chunks: Chunk[] = []
  for await (const { chunk } of store.logs.follow(run)) {
    chunks.push(chunk)
    if (chunks.length === 5) await store.inbox.post(run, { id: 'p', type: 'stop', reason: 'Enough.' })
  }
  expect(await ended).toMatchObject({ status: 'stopped' })
  expect(chunks.at(-1)).toMatchObject({ type: 'abort', reason: 'Enough.' })
  expect(await store.logs.find(run)).toMatchObject({ state: 'ended' })
  expect(readFileSync(join(folder, documentName), 'utf8')).toContain('word word')
})

test('an answer that is posted while nobody holds the run counts in the next run, which asks nobody', async () => {
  const { folder, store, options } = await makeFolder()
  const first = runDocument(documentName, { ...options('asks'), ask: async () => undefined })
  const { result, chunks } = await follow(first)
  expect(result.status).toBe('parked')
  expect(await store.logs.find(first.id)).toMatchObject({ state: 'waiting' })
  const post = { id: 'p', type: 'answer', approvalId: questionAmong(chunks), answer: yes } as const
  expect(await store.inbox.post(first.id, post)).toBe('accepted')
  const asked: unknown[] = []
  const ask = async (request: unknown) => {
    asked.push(request)
    return { approved: false }
  }
  const second = runDocument(documentName, { ...options('asks'), ask })
  expect(await second.result).toMatchObject({ status: 'done', text: 'It is changed.' })
  expect([second.id, asked, effects(folder)]).toEqual([first.id, [], 'one\n'])
})

test('an answer that is posted for a pipe, where nobody can be asked, counts too', async () => {
  const { folder, store, options } = await makeFolder()
  const first = runDocument(documentName, { ...options('asks'), ask: async () => undefined })
  const approvalId = questionAmong((await follow(first)).chunks)
  const no = { approved: false, reason: 'Not now.' }
  await store.inbox.post(first.id, { id: 'p', type: 'answer', approvalId, answer: no })
  const { ask: _, ...pipe } = options('asks')
  const { chunks } = await follow(runDocument(documentName, pipe))
  expect(chunks).toContainEqual({ type: 'tool-output-denied', toolCallId: 'c1', reason: 'Not now.' })
  expect(effects(folder)).toBe('')
})

test('a run is followed and answered in its own process, once', async () => {
  const { folder, options } = await makeFolder()
  const run = runDocument(documentName, options('asks'))
  const lines: LogLine[] = []
  expect(run.answer('c1', yes)).toBe(false)
  for await (const line of run.follow()) {
    lines.push(line)
    const approvalId = questionIn(line)
    if (approvalId === undefined) continue
    expect(run.answer('another', yes)).toBe(false)
    expect(run.answer(approvalId, yes)).toBe(true)
    expect(run.answer(approvalId, { approved: false })).toBe(false)
  }
  expect(await run.result).toMatchObject({ status: 'done', text: 'It is changed.' })
  expect(effects(folder)).toBe('one\n')
  const again: LogLine[] = []
  for await (const line of run.follow(lines[3]!.o)) again.push(line)
  expect(again).toEqual(lines.slice(3))
})

test('who leaves `follow` does not stop the run, who leaves the run does', async () => {
  const followed = await makeFolder()
  const run = runDocument(documentName, { ...followed.options('asks'), approve: 'all' })
  for await (const _ of run.follow()) break
  expect(await run.result).toMatchObject({ status: 'done' })
  const left = await makeFolder()
  const other = runDocument(documentName, left.options('talks'))
  for await (const _ of other) break
  expect(await other.result).toMatchObject({ status: 'stopped' })
})

test('a run that is stopped says so to its followers, and is stopped once', async () => {
  const { options } = await makeFolder()
  for (const how of ['asks', 'talks'] as const) {
    const run = runDocument(documentName, { ...options(how), input: 'Go on.' })
    const chunks: Chunk[] = []
    for await (const { chunk } of run.follow()) {
      chunks.push(chunk)
      if (chunk.type !== 'tool-approval-request' && chunks.length !== 20) continue
      run.stop('Enough.')
      run.stop('Never.')
    }
    expect(await run.result).toMatchObject({ status: 'stopped' })
    expect(chunks.at(-1)).toMatchObject({ type: 'abort', reason: 'Enough.' })
  }
})
