import { basename, dirname } from 'node:path'
import { folderStore } from '@argot/agent'
import { accumulate, getMessageText, type Message } from '@argot/core'
import { type LogLine, parseLog } from '@argot/core/stream'

/** Older logs are not searched. */
const MOST_LOGS = 100

/** A run log's lines and the ids of their messages. Undefined if the text isn't a run log. */
export function readRunLog(text: string): { lines: LogLine[]; messageIds: ReadonlySet<string> } | undefined {
  const isLog = /^\s*\{"argot":\s*"run-log"/.test(text) || /^\s*\{[^{}]*"t":[^{}]*"chunk":\s*\{/.test(text)
  if (!isLog) return undefined
  const { lines } = parseLog(text)
  if (lines.length === 0) return undefined
  return { lines, messageIds: collectMessageIds(lines) }
}

/**
 * The log of the run that wrote a message: the newest log that contains the message's id or, if the document has no id
 * for it, its answer.
 */
export async function findRunLog(file: string, message: Message): Promise<readonly LogLine[] | undefined> {
  const answer = getMessageText(message).trim()
  for (const lines of await newestLogs(file)) {
    if (collectMessageIds(lines).has(message.id) || (answer !== '' && findAnswer(lines) === answer)) return lines
  }
  return undefined
}

async function newestLogs(file: string): Promise<(readonly LogLine[])[]> {
  const { logs } = folderStore(dirname(file))
  const entries = (await logs.list({ path: basename(file) })).slice(-MOST_LOGS)
  const storedLogs = await Promise.all(entries.map(({ run }) => logs.read(run)))
  const nonEmpty = storedLogs.flatMap(log => (log === undefined || log.lines.length === 0 ? [] : [log.lines]))
  return nonEmpty.sort((a, b) => b.at(-1)!.t - a.at(-1)!.t)
}

/** A run has several messages if users joined it. */
function collectMessageIds(lines: readonly LogLine[]): Set<string> {
  return new Set(lines.flatMap(({ chunk }) => (chunk.type === 'start' ? (chunk.messageId ?? []) : [])))
}

function findAnswer(lines: readonly LogLine[]): string | undefined {
  const fold = accumulate()
  for (const { chunk } of lines) fold.push(chunk)
  fold.end()
  return fold.message === undefined ? undefined : getMessageText(fold.message).trim()
}
