import type { JsonSchema } from '@argot/core'
import type { Workspace } from '../../files/workspace.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { askAboutDocuments } from '../ask-about-documents.ts'
import { defineBuiltinTool, withDetails } from '../define-tool.ts'
import { foreseeChange } from '../foreseen-change.ts'
import { renameKeys } from '../schema/rename-keys.ts'
import type { Tool } from '../tool.ts'
import { describeChange } from './describe-change.ts'
import { fileParameter } from './path-parameter.ts'

const MAX_BYTES = 10 * 1024 * 1024
const NAMED_LINES = 10

const description =
  'Replaces a text in a file by another one. The text must be in the file exactly as it is given, blanks and indentation included, and only once unless "all" is true: add lines around it to make it unique. It is not a regular expression. Line ends are matched whether the file has LF or CRLF.'

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: fileParameter('The file to change', 'README.md'),
    search: {
      type: 'string',
      minLength: 1,
      description: 'The text to find, copied exactly from the file.',
      examples: ['old text'],
    },
    replace: {
      type: 'string',
      description: 'The text to put in its place, taken literally; empty to remove it.',
      examples: ['new text'],
    },
    all: {
      type: 'boolean',
      description: 'Whether to replace every occurrence; false if left out.',
      examples: [false],
    },
  },
  required: ['path', 'search', 'replace'],
  additionalProperties: false,
}

interface FindAndReplaceInput {
  path: string
  search: string
  replace: string
  all?: boolean
}

export function createFindAndReplace(workspace: Workspace): Tool {
  return defineBuiltinTool<FindAndReplaceInput>(
    {
      name: 'find_and_replace',
      title: 'Replace in file',
      description,
      inputSchema,
      effect: 'write',
      subject: ({ path }) => ({ kind: 'path', paths: [path] }),
      async foresee({ path, search, replace, all = false }, signal) {
        const real = await workspace.locateNew(await workspace.locate(path))
        const before = await workspace.read(real, MAX_BYTES, signal)
        const { places, needle, replacement } = findMatches(before, search, replace)
        const shownPath = workspace.show(real)
        if (places.length === 0) throw noMatch(shownPath, before, search)
        if (places.length > 1 && !all) throw severalMatches(shownPath, before, places)
        return [foreseeChange(shownPath, true, before, replaceAt(before, places, needle.length, replacement))]
      },
      async execute({ path, search, replace, all = false }, { signal, keepFiles }) {
        const real = await workspace.locateNew(await workspace.locate(path))
        return workspace.alone(real, async () => {
          const before = await workspace.read(real, MAX_BYTES, signal)
          const shownPath = workspace.show(real)
          const { places, needle, replacement } = findMatches(before, search, replace)
          if (places.length === 0) throw noMatch(shownPath, before, search)
          if (places.length > 1 && !all) throw severalMatches(shownPath, before, places)
          const after = replaceAt(before, places, needle.length, replacement)
          await keepFiles?.([{ real, after }])
          if (after === before) return `Nothing changed in ${quoted(shownPath)}: both texts are the same.`
          signal.throwIfAborted()
          await workspace.write(real, after)
          const count = places.length === 1 ? 'one place' : `${places.length} places`
          const output = `Replaced the text in ${quoted(shownPath)} at ${count}: ${describeLines(before, places)}.`
          return withDetails(output, describeChange(shownPath, false, before, after))
        })
      },
    },
    {
      mustAsk: ({ path }) => askAboutDocuments(workspace, [path]),
      reshape: input => renameKeys(input, { find: 'search', file: 'path' }),
    },
  )
}

interface ReplaceMatches {
  places: readonly number[]
  needle: string
  replacement: string
}

/** LF and CRLF match each other; the replacement gets the line endings of the match. */
function findMatches(text: string, search: string, replace: string): ReplaceMatches {
  const literal = { needle: search, replacement: replace }
  const adapted = search.includes('\r\n')
    ? { needle: search.replaceAll('\r\n', '\n'), replacement: replace.replaceAll('\r\n', '\n') }
    : { needle: withCrlf(search), replacement: withCrlf(replace) }
  const hasCrlf = text[text.indexOf('\n') - 1] === '\r'
  const order = hasCrlf && !search.includes('\r\n') ? [adapted, literal] : [literal, adapted]
  for (const { needle, replacement } of order) {
    const places = findPlaces(text, needle)
    if (places.length > 0) return { places, needle, replacement }
  }
  return { ...literal, places: [] }
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}

function findPlaces(text: string, needle: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) places.push(at)
  return places
}

function replaceAt(text: string, places: readonly number[], length: number, replacement: string): string {
  const pieces: string[] = []
  let end = 0
  for (const place of places) {
    pieces.push(text.slice(end, place), replacement)
    end = place + length
  }
  pieces.push(text.slice(end))
  return pieces.join('')
}

function severalMatches(path: string, text: string, places: readonly number[]): ToolFailure {
  const message = `The text is in ${quoted(path)} ${places.length} times: ${describeLines(text, places)}.`
  const cure = 'Add lines around it to `search` until only one place is meant, or set `all` to true.'
  return new ToolFailure('TOOL_SEVERAL_MATCHES', `${message} ${cure}`)
}

/** `line 3`, or `lines 3, 8 and 2 more`. Places are in order, so each part of the text is counted only once. */
function describeLines(text: string, places: readonly number[]): string {
  let [line, at] = [1, 0]
  const lines = places.slice(0, NAMED_LINES).map(place => {
    for (let next = text.indexOf('\n', at); next !== -1 && next < place; next = text.indexOf('\n', at)) {
      line++
      at = next + 1
    }
    return line
  })
  const more = places.length - lines.length
  return `${places.length === 1 ? 'line' : 'lines'} ${[...new Set(lines)].join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function noMatch(path: string, text: string, search: string): ToolFailure {
  const near = findLineIgnoringSpace(text, search)
  const first = search.split('\n').find(line => line.trim() !== '')
  const place = first === undefined ? -1 : text.indexOf(first.trim())
  const hint =
    near !== undefined
      ? `Line ${near} is the same except for blanks and line breaks: copy it exactly.`
      : place !== -1
        ? `Its first line is in ${describeLines(text, [place])}, but what follows differs there: read the file again.`
        : 'Read the file again and copy the text exactly.'
  return new ToolFailure('TOOL_NO_MATCH', `The text is not in ${quoted(path)}. ${hint}`)
}

function findLineIgnoringSpace(text: string, search: string): number | undefined {
  const needle = search.replace(/\s+/g, '')
  const place = needle === '' ? -1 : text.replace(/\s+/g, '').indexOf(needle)
  if (place === -1) return undefined
  let line = 1
  let left = place
  for (const [piece] of text.matchAll(/\n|\S+/g)) {
    if (piece === '\n') line++
    else if ((left -= piece.length) < 0) return line
  }
  return undefined
}
