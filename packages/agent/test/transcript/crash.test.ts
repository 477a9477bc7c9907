import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { accumulate, type Chunk, type Message } from '@argot/core'
import { parseTree } from '@argot/core/chatmd'
import { isSettled, parseLog } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import { streams } from './fixture-streams.ts'
import {
  clock,
  dropLock,
  forgetWritten,
  logPathOf,
  makeDocument,
  openOn,
  type Payloads,
  plain,
  prompt,
  pushAll,
  readBack,
  record,
} from './runs.ts'
import { ownStreams, parked, resumed } from './streams.ts'
import { DeadlyDisk, ForgetfulDisk, fastDisk, Killed } from './unsafe-disk.ts'

const modes: Payloads[] = ['inline', 'external']
/**
 * How many bytes lie between two cuts, and twenty times as many without `CUTS=all`. One stream is cut at every byte then, the
 * others at bytes of every kind of place: each stride is prime, so that the cuts fall everywhere.
 */
const strides: ReadonlyMap<string, number> = new Map([
  ['inline stopped', 1],
  ['stopped', 13],
  ['parked', 11],
  ['failed', 17],
  ['rich', 29],
])
const isAll = process.env.CUTS === 'all'
const moments = ['before', 'within', 'behind'] as const

/** The moments of an operation at which it is cut off: each in turn without `CUTS=all`. */
function momentsOf(operation: number): readonly (typeof moments)[number][] {
  return isAll ? moments : [moments[operation % 3]!]
}

const promptSize = Buffer.byteLength(prompt)

/** Opens the document and gives it free again: what is repaired and recovered is done by then. */
async function reopen(file: string): Promise<{ source: string; notices: readonly string[] }> {
  const transcript = await openOn(file, fastDisk)
  const { source, notices } = transcript
  await transcript.close()
  expect(readFileSync(file, 'utf8')).toBe(source)
  return { source, notices }
}

/** Takes away what an earlier opening has left in a folder. */
function removeOthers(folder: string, names: readonly string[]): void {
  for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(join(folder, name), { recursive: true })
}

/** Where the last element ends that is whole in this text. */
function lastWhole(text: string): number {
  const elements = parseTree(text).children.filter(node => node.type === 'element')
  return elements.filter(node => node.closed).at(-1)?.end ?? 0
}

describe.each(modes)('with payloads %s', payloads => {
  test.each(streams)('%s: a document that is cut at any byte is made whole from the log', async (name, chunks) => {
    const file = await makeDocument()
    const message = await record(file, chunks, { payloads, disk: fastDisk })
    forgetWritten(file)
    const whole = readFileSync(file)
    const log = readFileSync(logPathOf(file))
    const step = (strides.get(`${payloads} ${name}`) ?? strides.get(name) ?? 151) * (isAll ? 1 : 20)
    const names = readdirSync(join(dirname(file), '.chatmd'))
    for (let size = promptSize; size < whole.length; size += step) {
      writeFileSync(file, whole.subarray(0, size))
      writeFileSync(logPathOf(file), log)
      removeOthers(join(dirname(file), '.chatmd'), names)
      const { source } = await reopen(file)
      const cut = whole.subarray(0, size).toString()
      const kept = cut.slice(0, lastWhole(cut))
      if (!source.startsWith(kept)) throw new Error(`Cut at ${size}: what was whole is gone.`)
      expect(await readBack(file), `cut at ${size}`).toEqual([plain(message)])
    }
  })

  test.each(payloads === 'external' ? ownStreams : ownStreams.slice(1))(
    '%s: killed at any operation on the disk, nothing is lost and nothing doubled',
    async (_, chunks) => {
      const file = await makeDocument()
      const start = `${dirname(file)}-start`
      cpSync(dirname(file), start, { recursive: true })
      for (let at = 0; ; at++) {
        const deaths = []
        for (const when of momentsOf(at)) {
          rmSync(dirname(file), { recursive: true })
          cpSync(start, dirname(file), { recursive: true })
          const disk = new DeadlyDisk(at, when)
          const death = await record(file, chunks, { payloads, disk }).then(() => false, isKilled)
          deaths.push(death)
          if (!death) continue
          disk.bury()
          dropLock(file)
          await checkRecovered(file, `${when} ${at}`)
        }
        if (!deaths.includes(true)) break
      }
      rmSync(start, { recursive: true })
    },
  )

  test('a run that goes on with a message is recovered like any other', async () => {
    const file = await makeDocument()
    await record(file, parked, { payloads, disk: fastDisk })
    const [before] = await readBack(file)
    const start = `${dirname(file)}-start`
    cpSync(dirname(file), start, { recursive: true })
    await record(file, resumed, { payloads, id: 'run-2', before: before!, disk: fastDisk })
    const [expected] = await readBack(file)
    forgetWritten(file, 'run-2')
    const whole = readFileSync(file)
    const log = readFileSync(logPathOf(file, 'run-2'))
    const from = readFileSync(join(start, 'chat.chatmd')).length
    for (let size = from; size < whole.length; size += isAll ? 19 : 95) {
      writeFileSync(file, whole.subarray(0, size))
      writeFileSync(logPathOf(file, 'run-2'), log)
      await reopen(file)
      expect(await readBack(file), `cut at ${size}`).toEqual([expected])
    }
    rmSync(start, { recursive: true })
  })
})

function isKilled(error: unknown): boolean {
  if (error instanceof Killed) return true
  throw error
}

/**
 * What the document must have, worked out from the log alone: a step that the model had finished counts, one that it
 * had not does not. Open calls are compared by their ids only.
 */
function expectedParts(file: string): unknown[] {
  let lines: { chunk: Chunk; t: number }[] = []
  try {
    // What comes after the last signature is not believed; a run says nothing there that it would not say again.
    const text = readFileSync(logPathOf(file), 'utf8').split('\n')
    lines = parseLog(text.slice(0, text.findLastIndex(line => /,"m":"[\w-]{22}"\}$/.test(line)) + 1).join('\n')).lines
  } catch {
    return []
  }
  const chunks = lines.map(line => line.chunk)
  const last = chunks.findLastIndex(chunk => chunk.type === 'start-step' || chunk.type === 'finish-step')
  const isOpen =
    chunks[last]?.type === 'start-step' && !chunks.some(({ type }) => type === 'finish' || type === 'abort')
  const isKept = chunks.slice(last).some(({ type }) => type === 'data-argot-step' || type === 'error')
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  if (isOpen) fold.push({ type: isKept ? 'finish-step' : 'reset-step' })
  return comparable(fold.message)
}

function comparable(message: Message | undefined): unknown[] {
  const parts = (message?.parts ?? []).map(part => {
    if (!('toolInvocation' in part)) return plain(part)
    const { startedAt: _, endedAt: _e, ...call } = part.toolInvocation
    return isSettled(call) ? plain(call) : { open: call.toolCallId }
  })
  while ((parts.at(-1) as { type?: string } | undefined)?.type === 'step-start') parts.pop()
  return parts
}

async function checkRecovered(file: string, name: string): Promise<void> {
  const parts = expectedParts(file)
  const first = await reopen(file)
  expect(first.source.startsWith(prompt), name).toBe(true)
  const messages = await readBack(file)
  expect(messages.flatMap(comparable), name).toEqual(parts)
  const again = await reopen(file)
  expect(again.source, `${name}, opened again`).toBe(first.source)
}

test('killed at any operation while a document is repaired and recovered, the next opening does the same', async () => {
  const [, chunks] = ownStreams[0]!
  const file = await makeDocument()
  const message = await record(file, chunks, { disk: fastDisk })
  forgetWritten(file)
  const whole = readFileSync(file)
  writeFileSync(file, whole.subarray(0, Math.floor((promptSize + whole.length) / 2)))
  const start = `${dirname(file)}-start`
  cpSync(dirname(file), start, { recursive: true })
  for (let at = 0, died = true; died; at++) {
    died = false
    for (const when of momentsOf(at)) {
      rmSync(dirname(file), { recursive: true })
      cpSync(start, dirname(file), { recursive: true })
      const disk = new DeadlyDisk(at, when)
      const dies = await openOn(file, disk).then(transcript => transcript.close().then(() => false, isKilled), isKilled)
      died ||= dies
      disk.bury()
      await reopen(file)
      expect(await readBack(file), `${when} ${at}`).toEqual([plain(message)])
    }
  }
  rmSync(start, { recursive: true })
})

test.each(
  modes.flatMap(payloads => [
    { payloads, sync: 'sync' as const },
    { payloads, sync: 'syncStep' as const },
  ]),
)('a power failure takes at most what was not synced (payloads $payloads, $sync)', async ({ payloads, sync }) => {
  let seed = 1
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647
  for (let round = 0; round < 60; round++) {
    const [, chunks] = ownStreams[round % 2 === 0 ? 0 : 2]!
    const file = await makeDocument()
    const disk = new ForgetfulDisk()
    const transcript = await openOn(file, disk)
    await transcript.begin({ id: 'run-1', payloads })
    const count = 1 + Math.floor(random() * chunks.length)
    await pushAll(transcript, chunks.slice(0, count), undefined, sync)
    const synced = chunks.slice(0, count).findLastIndex(({ type }) => type === 'finish-step')
    disk.fail(() => [0, 1, random()][Math.floor(random() * 3)]!)
    dropLock(file)
    await reopen(file)
    const [message] = await readBack(file)
    const fold = accumulate()
    for (const chunk of chunks.slice(0, synced + 1)) fold.push(chunk)
    const least = comparable(fold.message)
    expect(comparable(message).slice(0, least.length), `round ${round}`).toEqual(least)
    for (const chunk of chunks.slice(synced + 1, count)) fold.push(chunk)
    expect(comparable(message).length).toBeLessThanOrEqual(comparable(fold.message).length + 4)
    const before = readFileSync(file, 'utf8')
    expect((await reopen(file)).source).toBe(before)
  }
})

test('a log that is cut at any byte of its last lines is gone on from its last whole line', async () => {
  const [, chunks] = ownStreams[0]!
  const file = await makeDocument()
  await record(file, chunks, { disk: fastDisk })
  forgetWritten(file)
  const document = readFileSync(file)
  const log = readFileSync(logPathOf(file))
  for (let size = log.length; size > log.length - 900; size -= 7) {
    writeFileSync(file, document)
    writeFileSync(logPathOf(file), log.subarray(0, size))
    const parts = expectedParts(file)
    await reopen(file)
    expect((await readBack(file)).flatMap(comparable), `log cut at ${size}`).toEqual(parts)
    const transcript = await openOn(file, fastDisk)
    if (transcript.unfinished !== undefined) await transcript.resume()
    await transcript.close()
    expect(parseLog(readFileSync(logPathOf(file), 'utf8')).diagnostics, `log cut at ${size}`).toEqual([])
  }
})

test('the times of calls are those of the log', async () => {
  const [, chunks] = ownStreams[0]!
  const file = await makeDocument()
  const message = await record(file, chunks, { disk: fastDisk })
  forgetWritten(file)
  writeFileSync(file, prompt)
  clock.time += 1_000_000
  await reopen(file)
  expect(await readBack(file)).toEqual([plain(message)])
})
