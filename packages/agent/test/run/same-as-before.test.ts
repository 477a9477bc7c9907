import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Chunk } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import { expect, test } from 'vitest'
import { documentFolder } from './document-folder.ts'
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

test.each(Object.entries(playedScenarios))('%s: the same document, files and log as before', async (name, scenario) => {
  const read = JSON.parse(reword(readFileSync(join(fixtures, `${name}.json`), 'utf8'))) as Played
  const before = blank.has(name) ? withoutBlanks(read) : read
  const folder = await documentFolder(scenarioDocument(scenario))
  const { results, files, logs } = JSON.parse(JSON.stringify(await playScenario(folder, scenario))) as Played
  expect(results.map(withoutHalfText)).toEqual(before.results.map(withoutHalfText))
  delete files['no-such-config/state.key']
  if (resumed.has(name) || blank.has(name)) {
    expect(withoutPlaces(files)).toEqual(withoutPlaces(before.files))
    expect(answersIn(logs)).toEqual(answersIn(before.logs))
    return
  }
  expect(withoutNames(files)).toEqual(withoutNames(before.files))
  expect(Object.keys(logs)).toEqual(Object.keys(before.logs))
  for (const [log, lines] of Object.entries(logs)) expect(lines.map(outline)).toEqual(before.logs[log]!.map(outline))
})

/** Since then some messages say the same in other words. */
const reworded: ReadonlyMap<string, string> = new Map([
  ['Run it again to go on,', 'Run it again to continue,'],
  ['the user went on before it was answered', 'the user continued before it was answered'],
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

function withoutPlaces(files: Record<string, string>): Record<string, string> {
  const texts = Object.entries(withoutNames(files)).map(([name, text]) => [
    name,
    text
      .replace(/ offset="\d+"/g, '')
      .replace(/"usage":\{[^}]*\}/g, '"usage":{}')
      .replace(/"steps":\d+/g, '"steps":0'),
  ])
  return Object.fromEntries(texts)
}

/** Since then a run names itself and its message with its first element only. */
function withoutNames(files: Record<string, string>): Record<string, string> {
  const texts = Object.entries(files).map(([name, text]) => [name, text.replace(/ (?:run|message)="[^"]*"/g, '')])
  return Object.fromEntries(texts)
}

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
