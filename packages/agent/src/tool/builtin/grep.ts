import { stat } from 'node:fs/promises'
import type { JsonSchema } from '@argot/core'
import type { Workspace } from '../../files/workspace.ts'
import { describeBytes } from '../../words/describe-bytes.ts'
import { quoted } from '../../words/quoted.ts'
import { toMessage } from '../../words/to-message.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { defineTool } from '../define-tool.ts'
import { OUTPUT_BYTES } from '../output/cut-output.ts'
import { textParameter } from '../text-parameter.ts'
import type { Tool } from '../tool.ts'
import { createEnterCheck, readGlob } from './glob.ts'
import { LineSearch, type SearchLine } from './line-search.ts'
import { placeParameter } from './path-parameter.ts'
import { plainName } from './plain-name.ts'
import { walkFolder } from './walk-folder.ts'

const MAX_MATCHES = 500
const MAX_CONTEXT = 20
const LINE_CHARACTERS = 500
const FILE_BYTES = 10 * 1024 * 1024
const MAX_ENTRIES = 200_000
const BATCH = 8

const description = `Searches the lines of text files with a JavaScript regular expression and returns "path:line:text" for each match; lines around it, if asked for, have "-" in place of ":". Searches a folder and all folders below it, or one file. Folders that begin with a dot, node_modules, symbolic links, binary files and files over 10 MiB are left out, unless "path" or "glob" names such a folder. A match never crosses the end of a line. Returns at most ${MAX_MATCHES} matches, in the order of the paths; long lines are cut.`

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    pattern: textParameter(
      'The regular expression. Escape characters that have a meaning in it, such as ( . [ {, with a backslash.',
      2000,
      'TODO|FIXME',
    ),
    path: placeParameter('The folder or file to search'),
    glob: textParameter(
      'Only files whose path below the folder matches this; a pattern without "/" is compared with the name alone.',
      1000,
      '*.{ts,md}',
    ),
    ignore_case: {
      type: 'boolean',
      description: 'Whether upper and lower case are the same; false if left out.',
      examples: [true],
    },
    context: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_CONTEXT,
      description: 'How many lines before and after each match to return; 0 if left out.',
      examples: [2],
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_MATCHES,
      description: `How many matches to return at most; ${MAX_MATCHES} if left out.`,
      examples: [100],
    },
  },
  required: ['pattern'],
  additionalProperties: false,
}

interface GrepInput {
  pattern: string
  path?: string
  glob?: string
  ignore_case?: boolean
  context?: number
  limit?: number
}

export interface GrepLimits {
  /** The limit on the time that a pattern takes on one batch of files, in milliseconds; 10 s. */
  matchMs: number
}

export function createGrep(workspace: Workspace, limits: GrepLimits = { matchMs: 10_000 }): Tool {
  return defineTool<GrepInput>({
    name: 'grep',
    title: 'Search files',
    description,
    inputSchema,
    effect: 'read',
    subject: ({ path = '.' }) => ({ kind: 'path', paths: [path], tree: true }),
    async execute({ pattern, path = '.', glob, ignore_case = false, context = 0, limit = MAX_MATCHES }, { signal }) {
      const search = new LineSearch({
        pattern: readPattern(pattern, ignore_case),
        context,
        width: LINE_CHARACTERS,
        milliseconds: limits.matchMs,
        signal,
      })
      const start = await workspace.locate(path)
      const report = new GrepReport(limit, context)
      const { files, notices } = listFiles(start, glob, signal)
      try {
        for await (const batch of inBatches(files)) {
          const texts = await Promise.all(batch.map(file => readText(workspace, file, file === start, report, signal)))
          const readable = batch.filter((_, index) => texts[index] !== undefined)
          const names = readable.map(file => plainName(workspace.show(file)))
          // One more than is shown, to know whether there are more.
          const room = limit + 1 - report.matches
          const result = await search.search(texts.filter(isText), names, room)
          report.add(names, result.lines)
          if (report.isFull) break
        }
      } finally {
        await search.end()
      }
      return report.toString(notices())
    },
  })
}

function readPattern(pattern: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'i' : ''
  try {
    // Strict and with whole characters if possible. Otherwise `\-` and the like are fine.
    return new RegExp(pattern, `${flags}u`)
  } catch {
    try {
      return new RegExp(pattern, flags)
    } catch (error) {
      const reason = toMessage(error)
      const cure = /^\(\?[a-z]+\)/.test(pattern)
        ? 'Set `ignore_case` instead of writing flags into the pattern.'
        : 'Correct it; a character that has a meaning is escaped with a backslash.'
      throw new ToolFailure('TOOL_BAD_PATTERN', `${quoted(reason)}. ${cure}`)
    }
  }
}

interface SearchedFiles {
  /** Real paths. */
  files: AsyncIterable<string>
  notices: () => string[]
}

function listFiles(start: string, glob: string | undefined, signal: AbortSignal): SearchedFiles {
  const pattern = glob === undefined || glob.includes('/') ? glob : `**/${glob}`
  const matcher = pattern === undefined ? undefined : readGlob(pattern)
  const enter =
    matcher === undefined || pattern === undefined
      ? (_: string, name: string) => !name.startsWith('.') && name !== 'node_modules'
      : createEnterCheck(matcher, pattern)
  const walk = walkFolder(start, { enter, signal, limit: MAX_ENTRIES })
  async function* files(): AsyncGenerator<string> {
    if (!(await stat(start)).isDirectory()) {
      yield start
      return
    }
    for await (const { path, real, link } of walk.files) {
      if (!link && (matcher === undefined || matcher.matches(path))) yield real
    }
  }
  return { files: files(), notices: walk.notices }
}

async function* inBatches(files: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const file of files) {
    batch.push(file)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Undefined if the file is skipped. A file that the model named is never skipped. */
async function readText(
  workspace: Workspace,
  file: string,
  isNamed: boolean,
  report: GrepReport,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const text = await workspace.read(file, FILE_BYTES, signal)
    report.searched++
    return text
  } catch (error) {
    if (isNamed || !(error instanceof ToolFailure)) throw error
    if (error.code === 'TOOL_FILE_TOO_LARGE') report.tooLarge++
    return undefined
  }
}

function isText(text: string | undefined): text is string {
  return text !== undefined
}

class GrepReport {
  matches = 0
  searched = 0
  tooLarge = 0
  isFull = false
  readonly #limit: number
  readonly #context: number
  readonly #lines: string[] = []
  #bytes = 0

  constructor(limit: number, context: number) {
    this.#limit = limit
    this.#context = context
  }

  add(names: readonly string[], results: readonly (readonly (SearchLine | null)[])[]): void {
    for (const [index, lines] of results.entries()) {
      if (lines.length > 0 && this.#context > 0 && this.#lines.length > 0) this.#push('--')
      for (const line of lines) {
        if (this.#bytes > OUTPUT_BYTES || (line?.match && this.matches === this.#limit)) this.isFull = true
        if (this.isFull) return
        if (line?.match) this.matches++
        const mark = line?.match ? ':' : '-'
        this.#push(line === null ? '--' : `${names[index]}${mark}${line.line}${mark}${line.text}`)
      }
    }
  }

  toString(notices: readonly string[]): string {
    const notes = [
      ...(this.isFull ? [`Only the first ${this.matches} matches; narrow the pattern, the path or the glob.`] : []),
      ...(this.tooLarge > 0 ? [`Files over ${describeBytes(FILE_BYTES)} were left out: ${this.tooLarge}.`] : []),
      ...notices,
    ]
    if (this.#lines.length === 0)
      notes.unshift(`No line matches in ${this.searched} ${this.searched === 1 ? 'file' : 'files'}.`)
    return [...this.#lines, ...(notes.length > 0 ? [`[${notes.join(' ')}]`] : [])].join('\n')
  }

  #push(line: string): void {
    this.#lines.push(line)
    this.#bytes += Buffer.byteLength(line) + 1
  }
}
