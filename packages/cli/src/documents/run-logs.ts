import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { accumulate, getMessageText, type LogLine, type Message, parseLog } from 'argot'

/** More logs than this are not looked into. */
const mostLogs = 100

/** The lines of a run log and the message that they make; undefined for a text that is none. */
export function readRunLog(text: string): { lines: LogLine[]; messageId: string | undefined } | undefined {
  const isLog = /^\s*\{"argot":\s*"run-log"/.test(text) || /^\s*\{[^{}]*"t":[^{}]*"chunk":\s*\{/.test(text)
  if (!isLog) return undefined
  const { lines } = parseLog(text)
  if (lines.length === 0) return undefined
  const start = lines.find(({ chunk }) => chunk.type === 'start')?.chunk
  return { lines, messageId: start?.type === 'start' ? start.messageId : undefined }
}

/**
 * The log of the run that made a message of a document: `.chatmd/runs/<document>/*.jsonl` beside it, the newest that
 * has this message by its id or, where the document gives it none, by its answer.
 */
export async function findRunLog(file: string, message: Message): Promise<LogLine[] | undefined> {
  const answer = getMessageText(message).trim()
  for (const path of await listLogs(file)) {
    const log = readRunLog(await readFile(path, 'utf8'))
    if (log === undefined) continue
    if (log.messageId === message.id || (answer !== '' && answerOf(log.lines) === answer)) return log.lines
  }
  return undefined
}

/** Newest first. */
async function listLogs(file: string): Promise<string[]> {
  const name = basename(file)
  const logs: { path: string; time: number }[] = []
  for (const folder of new Set([name, name.replace(/\.chatmd$/, '')])) {
    const runs = join(dirname(file), '.chatmd', 'runs', folder)
    const names = await readdir(runs).catch(() => [])
    for (const log of names.filter(one => one.endsWith('.jsonl'))) {
      const path = join(runs, log)
      const found = await stat(path).catch(() => undefined)
      if (found?.isFile() === true) logs.push({ path, time: found.mtimeMs })
    }
  }
  logs.sort((a, b) => b.time - a.time)
  return logs.slice(0, mostLogs).map(({ path }) => path)
}

function answerOf(lines: readonly LogLine[]): string | undefined {
  const fold = accumulate()
  for (const { chunk } of lines) fold.push(chunk)
  fold.end()
  return fold.message === undefined ? undefined : getMessageText(fold.message).trim()
}
