import type { JsonSchema } from '@argot/core'
import { decodeUtf8 } from '../../files/decode-text.ts'
import type { ReadableFile } from '../../files/editor-files.ts'
import { toToolFailure } from '../../files/to-tool-failure.ts'
import type { Workspace } from '../../files/workspace.ts'
import { describeBytes } from '../../words/describe-bytes.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { defineBuiltinTool } from '../define-tool.ts'
import { OUTPUT_BYTES } from '../output/cut-output.ts'
import { wordStart } from '../output/word-start.ts'
import { renameKeys } from '../schema/rename-keys.ts'
import type { Tool } from '../tool.ts'
import { fileParameter } from './path-parameter.ts'

const MAX_LINES = 2000
/** The lines of a larger file are not counted to the end. */
const COUNTED_BYTES = 64 * 1024 * 1024
const PIECE_BYTES = 64 * 1024
const NEWLINE = 10

const description = `Reads a text file and returns its lines as they are. At most ${MAX_LINES} lines or 384 KiB are returned at once; a notice in brackets at the end then says which lines these are and with which offset to continue. Binary files are refused.`

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: fileParameter('The file to read', 'README.md'),
    offset: {
      type: 'integer',
      minimum: 1,
      description: 'The number of the first line to return; 1 if left out.',
      examples: [1],
    },
    line_count: {
      type: 'integer',
      minimum: 1,
      description: `How many lines to return; ${MAX_LINES} if left out.`,
      examples: [200],
    },
  },
  required: ['path'],
  additionalProperties: false,
}

interface ReadFileInput {
  path: string
  offset?: number
  line_count?: number
}

/** Reads a file no further than needed. With another name, the tool is an alias. */
export function createReadFile(workspace: Workspace, name = 'read_file'): Tool {
  return defineBuiltinTool<ReadFileInput>(
    {
      name,
      title: 'Read file',
      description,
      inputSchema,
      effect: 'read',
      subject: ({ path }) => ({ kind: 'path', paths: [path] }),
      async execute({ path, offset = 1, line_count: count = MAX_LINES }, { signal }) {
        const { file } = await workspace.open(path, signal)
        try {
          const part = await readLines(file, { path, offset, count, signal })
          return describeExcerpt(part, offset)
        } catch (error) {
          throw toToolFailure(error)
        } finally {
          await file.close()
        }
      },
    },
    {
      aliasOf: name === 'read_file' ? undefined : 'read_file',
      reshape: input => fromFirstLine(renameKeys(input, { file: 'path' })),
    },
  )
}

/** For models that count lines from 0. */
function fromFirstLine(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'offset')) return input
  const { offset } = input as { offset: unknown }
  return offset === 0 || offset === '0' ? { ...input, offset: 1 } : input
}

interface FileExcerpt {
  text: string
  lastLine: number
  /** Undefined if they were not counted. */
  totalLines: number | undefined
  isLineCut: boolean
}

interface ExcerptOptions {
  path: string
  offset: number
  count: number
  signal: AbortSignal
}

async function readLines(file: ReadableFile, { path, offset, count, signal }: ExcerptOptions): Promise<FileExcerpt> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  const lines = new LineCollector(offset, count)
  let position = 0
  let lastByte = NEWLINE
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, position)
    if (bytesRead === 0) break
    const bytes = piece.subarray(0, bytesRead)
    if (bytes.includes(0)) refuseBinary(bytes, path, position)
    lines.add(bytes)
    position += bytesRead
    lastByte = bytes[bytesRead - 1]!
    if (lines.isDone && position > COUNTED_BYTES) return { ...lines.end(path), totalLines: undefined }
  }
  return { ...lines.end(path), totalLines: lines.line - (lastByte === NEWLINE ? 1 : 0) }
}

class LineCollector {
  /** The number of the line that the next byte belongs to. */
  line = 1
  isDone = false
  readonly #offset: number
  readonly #end: number
  readonly #pieces: Buffer[] = []
  #size = 0
  /** Where the current line begins in the collected bytes. */
  #lineStart = 0
  #lastLine: number
  #isLineCut = false

  constructor(offset: number, count: number) {
    this.#offset = offset
    this.#end = offset + count
    this.#lastLine = offset - 1
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, at)
      const end = newline === -1 ? bytes.length : newline + 1
      if (!this.isDone && this.line >= this.#offset) this.#take(bytes.subarray(at, end), newline !== -1)
      if (newline !== -1) this.line++
      at = end
    }
  }

  end(path: string): Pick<FileExcerpt, 'text' | 'lastLine' | 'isLineCut'> {
    const bytes = Buffer.concat(this.#pieces).subarray(0, this.#size)
    const text = decodeUtf8(bytes, { name: path, keepBom: true, allowNul: false })
    return { text, lastLine: this.#lastLine, isLineCut: this.#isLineCut }
  }

  #take(bytes: Buffer, ends: boolean): void {
    if (this.#size + bytes.length > OUTPUT_BYTES) {
      this.#stop(bytes)
      return
    }
    this.#pieces.push(Buffer.from(bytes))
    this.#size += bytes.length
    this.#lastLine = this.line
    if (!ends) return
    this.#lineStart = this.#size
    this.isDone = this.line + 1 >= this.#end
  }

  /** The line doesn't fit: leave it to the next call, unless it is the first. */
  #stop(bytes: Buffer): void {
    this.isDone = true
    if (this.#lineStart > 0) {
      this.#size = this.#lineStart
      this.#lastLine = this.line - 1
      return
    }
    this.#pieces.push(Buffer.from(bytes))
    const all = Buffer.concat(this.#pieces)
    this.#size = OUTPUT_BYTES
    while (this.#size > 0 && (all[this.#size]! & 0xc0) === 0x80) this.#size--
    this.#size = wordStart(all.toString('latin1', 0, this.#size + 1), this.#size)
    this.#lastLine = this.line
    this.#isLineCut = true
  }
}

function refuseBinary(bytes: Buffer, path: string, position: number): never {
  // Throws an error that names the file's type, if its beginning reveals it.
  if (position === 0) decodeUtf8(bytes, { name: path, keepBom: true, allowNul: false })
  const offset = position + bytes.indexOf(0)
  const message = `${quoted(path)} is not text: there is a NUL byte at offset ${offset}. Only text can be used here.`
  throw new ToolFailure('TOOL_BINARY', message)
}

function describeExcerpt({ text, lastLine, totalLines, isLineCut }: FileExcerpt, offset: number): string {
  if (totalLines === 0) return '[The file is empty.]'
  if (totalLines !== undefined && offset > totalLines) {
    return `[There is no line ${offset}: the file has ${totalLines} ${totalLines === 1 ? 'line' : 'lines'}.]`
  }
  const whole = offset === 1 && lastLine === totalLines && !isLineCut
  if (whole) return text
  const lines = lastLine === offset ? `Line ${offset}` : `Lines ${offset}–${lastLine}`
  const notices = [`${lines} of ${totalLines ?? `a file with more than ${describeBytes(COUNTED_BYTES)}`}.`]
  if (isLineCut)
    notices.push(`Line ${lastLine} is longer than ${describeBytes(OUTPUT_BYTES)}; the rest of it was left out.`)
  if (lastLine !== totalLines) notices.push(`Continue with offset ${lastLine + 1}.`)
  return `${text}${text.endsWith('\n') ? '' : '\n'}\n[${notices.join(' ')}]`
}
