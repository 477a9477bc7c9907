import { localOnly, readDocumentText, readSidecarRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import { accumulate, type Chunk, getMessageText, type Message, replay } from '@argot/core'
import { detectFormat, readTranscript } from '@argot/core/convert'
import { Commentary, type LogLine } from '@argot/core/stream'
import { nearestNames } from '@argot/core/stream/internal'
import { type Command, InvalidArgumentError } from 'commander'
import { findRunLog, readRunLog } from '../documents/run-logs.ts'
import { type Io, print, UsageError } from '../io/io.ts'
import { report } from '../io/report.ts'
import { safeText } from '../io/safe-text.ts'
import { watchStop } from '../io/stop.ts'
import { createView, isLive } from '../view/create-view.ts'
import { ReplayClock } from '../view/replay-clock.ts'
import { Tally } from '../view/tally.ts'
import type { View } from '../view/view.ts'

interface ReplayFlags {
  speed?: number
  message?: string
  all?: boolean
  json?: boolean
  quiet?: boolean
}

export function replayCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option(
      '--speed <n>',
      'the speed: 1 (original; default on a terminal), 2 (twice as fast) or max (no waiting; default in a pipe)',
      parseSpeed,
    )
    .option(
      '--message <message>',
      'replay this message: its number in argot show, or its id (default: the last answer)',
    )
    .option('--all', 'replay the whole conversation')
    .option('--json', 'print each chunk as a line of JSON')
    .option('-q, --quiet', 'print only the answer')
    .action(async (file: string, flags: ReplayFlags) => done(await replayFile(file, flags, io)))
}

type ReplaySource = readonly Message[] | { log: readonly LogLine[] }

async function replayFile(file: string, flags: ReplayFlags, io: Io): Promise<number> {
  if (flags.all === true && flags.message !== undefined) throw new UsageError('Use either --all or --message.')
  const recording = await openRecording(file, flags, io)
  if (recording === undefined) return 1
  const isLiveView = isLive(io, flags)
  const clock = new ReplayClock(flags.speed ?? (io.stdout.isTTY === true ? 1 : Number.POSITIVE_INFINITY))
  const view = createView(io, flags, { now: clock.now })
  const stop = watchStop(io, () => {})
  try {
    const sources = 'log' in recording ? [recording.log] : recording
    for (const source of sources) {
      if (stop.signal.aborted) break
      const answer = await play(source, { view, clock, signal: stop.signal, json: flags.json === true })
      if (!isLiveView && flags.json !== true && answer !== undefined && !stop.signal.aborted) {
        await print(io, `${answer}\n`)
      }
    }
  } finally {
    await view.end()
    stop.release()
  }
  return stop.status ?? 0
}

async function play(
  source: Message | readonly LogLine[],
  { view, clock, signal, json }: { view: View; clock: ReplayClock; signal: AbortSignal; json: boolean },
): Promise<string | undefined> {
  if ('role' in source && source.role !== 'assistant') {
    view.quote(source)
    return undefined
  }
  clock.follow(source)
  const tally = new Tally()
  const fold = accumulate({ now: clock.now })
  let slow: Promise<void> | undefined
  const show = (chunk: Chunk): void => {
    slow = view.push(chunk) ?? slow
  }
  // Programs get the recording unchanged. People also see what each text is for.
  const commentary = json ? undefined : new Commentary(show)
  for await (const chunk of replay(source, { signal, pause: clock.pause })) {
    clock.reach(chunk)
    tally.push(chunk)
    fold.push(chunk)
    if (commentary === undefined) show(chunk)
    else commentary.push(chunk)
    if (slow !== undefined) await slow
    slow = undefined
  }
  commentary?.end()
  fold.end()
  if (tally.error !== undefined) view.notice(`The run failed: ${tally.error}`)
  const answer = fold.message === undefined ? '' : getMessageText(fold.message)
  return answer === '' ? undefined : answer
}

async function openRecording(file: string, flags: ReplayFlags, io: Io): Promise<ReplaySource | undefined> {
  const content = await readDocumentText(file)
  if (!content.ok) {
    await report([{ ...content.problem, severity: 'error', file }], new Map(), false, io)
    return undefined
  }
  const format = detectFormat(content.text, file)
  const log = format === 'jsonl' && flags.all !== true ? readRunLog(content.text) : undefined
  if (log !== undefined && (flags.message === undefined || log.messageIds.has(flags.message))) return { log: log.lines }
  const resolver = localOnly(createResolver({ cwd: io.cwd() }))
  const records = await readSidecarRecords(file, { env: io.env })
  const { messages, diagnostics } = await readTranscript(content.text, format, { file, resolver, records })
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(one => ({ file, ...one }))
  if (errors.length > 0) {
    await report(errors, new Map([[file, content.text]]), false, io)
    return undefined
  }
  if (flags.all === true) return messages
  const message = choose(messages, flags.message, file)
  const lines = format === 'chatmd' ? await findRunLog(file, message) : undefined
  return lines === undefined ? [message] : { log: lines }
}

function choose(messages: readonly Message[], id: string | undefined, file: string): Message {
  const answers = messages.filter(({ role }) => role === 'assistant')
  const message =
    id === undefined ? answers.at(-1) : (answers.find(one => one.id === id) ?? messageWithNumber(messages, id))
  if (message !== undefined) return message
  if (answers.length === 0) throw new UsageError(`${file} has no assistant message to replay.`)
  const ids = answers.slice(-20).map(one => safeText(one.id))
  const [nearest] = nearestNames(id ?? '', ids, 1)
  const cure = nearest === undefined ? `It has: ${ids.join(', ')}.` : `Did you mean "${nearest}"?`
  throw new UsageError(`${file} has no assistant message "${id}". ${cure}`)
}

/** An answer by its position among all messages. */
function messageWithNumber(messages: readonly Message[], number: string): Message | undefined {
  const message = /^[1-9][0-9]{0,8}$/.test(number) ? messages[Number(number) - 1] : undefined
  return message?.role === 'assistant' ? message : undefined
}

function parseSpeed(value: string): number {
  const speed = value === 'max' ? Number.POSITIVE_INFINITY : Number(value)
  if (value.trim() === '' || !(speed > 0)) throw new InvalidArgumentError('It must be a number above 0, or max.')
  return speed
}
