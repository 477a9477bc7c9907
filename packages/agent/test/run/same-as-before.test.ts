import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Chunk, isToolPart, type Message } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import { expect, test } from 'vitest'
import { documentFolder, readMessages } from './document-folder.ts'
import { type Played, playedScenarios, playScenario, scenarioDocument } from './played-runs.ts'

/*
 * Each file of `fixtures/runs` is what a version of the past (commit f98f5b5) made of the runs of a scenario. The files
 * are the truth of that version: nothing rewrites them, not even `UPDATE=1`.
 */
const fixtures = fileURLToPath(new URL('../../../../fixtures/runs', import.meta.url))

test('every scenario has its file', () => {
  const names = readdirSync(fixtures).map(name => name.replace(/\.json$/, ''))
  expect(names.sort()).toEqual(Object.keys(playedScenarios).sort())
})

test.each(Object.entries(playedScenarios))(
  '%s: the same messages, results and log as before',
  async (name, scenario) => {
    const read = JSON.parse(reword(readFileSync(join(fixtures, `${name}.json`), 'utf8'))) as Played
    const before = blank.has(name) ? withoutBlanks(read) : read
    const folder = await documentFolder(scenarioDocument(scenario))
    const { results, files, logs } = JSON.parse(JSON.stringify(await playScenario(folder, scenario))) as Played
    expect(results.map(withoutHalfText)).toEqual(before.results.map(withoutHalfText))
    const old = await documentFolder(before.files)
    for (const document of Object.keys(files).filter(file => file.endsWith('.chatmd') && !file.startsWith('.'))) {
      const [now, then] = [await readMessages(join(folder, document)), await readMessages(join(old, document))]
      expect(now.map(asBefore)).toEqual(then.map(asBefore))
      expect(files[document]!.replace(/<!--.*?-->/g, '')).not.toMatch(
        / (?:offset|run|message|step|phase|ms|started|created|meta|argot)(?:=| |>)/,
      )
    }
    const isResumed = resumed.has(name) || blank.has(name)
    if (isResumed) return expect(answersIn(named(logs))).toEqual(answersIn(named(before.logs)))
    expect(Object.keys(logs)).toEqual(Object.keys(before.logs))
    for (const [log, lines] of Object.entries(logs))
      expect(givenNames(lines).map(outline)).toEqual(givenNames(before.logs[log]!).map(outline))
  },
)

function named(logs: Played['logs']): Played['logs'] {
  return Object.fromEntries(Object.entries(logs).map(([name, lines]) => [name, givenNames(lines)]))
}

/** A message as the old version had it: ids of calls are the model's, and nobody compares what names a run. */
function asBefore(message: Message): unknown {
  const { id: _, createdAt: __, metadata: ___, parts, ...rest } = message
  return { ...rest, parts: parts.map(part => JSON.parse(JSON.stringify(part, nameCalls(parts)))) }
}

/** Replaces the ids of calls by their numbers, and the ids of questions about them. */
function nameCalls(parts: Message['parts']): (key: string, value: unknown) => unknown {
  const ids = new CallNumbers()
  for (const part of parts) if (isToolPart(part)) ids.add(part.toolInvocation.toolCallId)
  return (key, value) => {
    if (key === 'toolCallId' || key === 'key' || key === 'id') return ids.of(value)
    return key === 'callProviderMetadata' ? undefined : value
  }
}

class CallNumbers {
  readonly #numbers: Map<unknown, string> = new Map()

  add(id: unknown): void {
    if (!this.#numbers.has(id)) this.#numbers.set(id, `call ${this.#numbers.size + 1}`)
  }

  /** A question has the id of its call, and since then something that no other question has. */
  of(id: unknown): unknown {
    const call = typeof id === 'string' ? id.replace(/-[\w-]{12}$/, '') : id
    return this.#numbers.get(id) ?? this.#numbers.get(call) ?? id
  }
}

/** The lines with calls by their numbers, and without the ids that the model gave them. */
function givenNames(lines: readonly LogLine[]): LogLine[] {
  const ids = new CallNumbers()
  for (const { chunk } of lines) if (chunk.type === 'tool-input-start') ids.add(chunk.toolCallId)
  const numbered = (key: string, value: unknown): unknown => {
    if (key === 'toolCallId' || key === 'approvalId') return ids.of(value)
    return key === 'callId' ? undefined : value
  }
  return (JSON.parse(JSON.stringify(lines, numbered)) as LogLine[]).map(withoutEmptyMetadata)
}

function withoutEmptyMetadata(line: LogLine): LogLine {
  const { providerMetadata, ...chunk } = line.chunk as Chunk & { providerMetadata?: { argot?: object } }
  const { argot, ...others } = providerMetadata ?? {}
  const own = argot === undefined || Object.keys(argot).length === 0 ? others : providerMetadata
  return {
    ...line,
    chunk: (Object.keys(own ?? {}).length === 0 ? chunk : { ...chunk, providerMetadata: own }) as Chunk,
  }
}

/** Since then some messages say the same in other words. */
const reworded: ReadonlyMap<string, string> = new Map([
  ['Run it again to go on,', 'Run it again to continue,'],
  [
    'The call was not run: the user went on before it was answered',
    "The call didn't run: the user continued before it was answered",
  ],
  [
    'was not run: the run was stopped before anybody approved it',
    "didn't run: the run was stopped before anyone approved it",
  ],
  ['failed in a way that is not known', 'failed with an unknown error'],
  ['`look` was not run: ', "`look` didn't run: "],
  ['This is how it is called:', 'This is how to call it:'],
  ['Nothing may stand behind the header', 'Nothing may follow the header'],
])

function reword(text: string): string {
  let result = text
  for (const [before, now] of reworded) result = result.replaceAll(before, now)
  return result
}

/** Since then blanks around a call in a text are no part of the message, and make no element. */
const blank: ReadonlySet<string> = new Set(['xml', 'caret', 'callout'])

function withoutBlanks({ results, files, logs }: Played): Played {
  const element = /\n<assistant [^>]*>\s*<\/assistant>\n/g
  const texts = Object.entries(files).map(([name, text]) => [name, text.replace(element, '')])
  const lines = Object.entries(logs).map(([name, list]) => {
    const said = new Map<string, string>()
    for (const { chunk } of list)
      if (chunk.type === 'text-delta') said.set(chunk.id, (said.get(chunk.id) ?? '') + chunk.delta)
    const isBlank = (chunk: Chunk): boolean =>
      chunk.type.startsWith('text-') && said.get((chunk as { id: string }).id)?.trim() === ''
    return [name, list.filter(({ chunk }) => !isBlank(chunk))]
  })
  return { results, files: Object.fromEntries(texts), logs: Object.fromEntries(lines) }
}

/**
 * Since then a run that was parked is continued in its own log, under its own name, and does not name its calls again
 * there. So which run wrote an element, and at which offset, is another in these, and its end counts the steps and tokens
 * of the whole run; everything else is the same.
 */
const resumed: ReadonlySet<string> = new Set(['parked', 'more-input'])

/**
 * What the logs say, from the first to the last, without what only names messages and calls. A question that is put again
 * says since then that it is known.
 */
function answersIn(logs: Played['logs']): unknown[] {
  const silent = new Set(['start', 'tool-input-start', 'tool-input-available'])
  return Object.values(logs)
    .flat()
    .filter(({ chunk }) => !chunk.type.startsWith('data-argot-') && !silent.has(chunk.type))
    .map(({ chunk: { known: _, ...chunk } }: { chunk: Chunk & { known?: boolean } }) => withoutFacts(chunk as Chunk))
    .map(chunk => (chunk.type === 'finish' ? withoutCounts(chunk) : chunk))
}

function withoutCounts(chunk: Extract<Chunk, { type: 'finish' }>): Chunk {
  const {
    usage: _,
    steps: __,
    ...messageMetadata
  } = { ...(chunk.messageMetadata as object | undefined) } as {
    usage?: unknown
    steps?: unknown
  }
  return { ...chunk, messageMetadata }
}

/** A line as it is compared: of the marks that only a log has, what they are and where. */
function outline({ o, t, chunk }: LogLine): unknown {
  const { type } = chunk
  return type.startsWith('data-argot-') ? { o, t, type } : { o, t, chunk: withoutFacts(chunk) }
}

/** Since then a question says what a person needs to know besides the call. */
function withoutFacts(chunk: Chunk): Chunk {
  if (chunk.type !== 'tool-approval-request') return chunk
  const { providerMetadata: _, ...rest } = chunk
  return rest
}

/** The text of a run that did not end well was empty then; now it is what was said until then. */
function withoutHalfText(result: { status: string; text?: string }): object {
  return result.status === 'done' ? result : { ...result, text: '' }
}
