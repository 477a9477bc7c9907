import type { Resolver } from '../chatmd/expand/resolver.ts'
import type { Message } from '../message/message.ts'
import { defined } from '../source/defined.ts'
import type { Diagnostic } from '../source/diagnostic.ts'
import { chunkFormat, detectFormat, documentFormat, type TranscriptFormat } from './format.ts'
import { findLosses, type Loss } from './losses.ts'
import { type ReadTranscriptOptions, readTranscript } from './read.ts'
import { writeTranscript } from './write.ts'

export interface ConvertOptions {
  to: TranscriptFormat
  /** By default detected from the name and the text. */
  from?: TranscriptFormat
  file?: string
  resolver?: Resolver
  records?: ReadTranscriptOptions['records']
  payloads?: 'inline' | 'external'
}

export interface Conversion {
  from: TranscriptFormat
  messages: Message[]
  text: string
  files: { path: string; text: string }[]
  /** A document's `<config>` and tools. */
  preamble: string
  diagnostics: Diagnostic[]
  /** The fields that the target can't represent, found by reading the result back. */
  losses: Loss[]
  /** Other content of the source that the target has no place for, in words. */
  left: string[]
}

/** Converts any transcript format into any other, and reports what was lost. */
export async function convert(source: string, options: ConvertOptions): Promise<Conversion> {
  const { to, from = detectFormat(source, options.file), file, resolver, records, payloads } = options
  const transcript = await readTranscript(source, from, {
    ...defined({ file, resolver, records }),
  })
  const { messages, diagnostics, preamble } = transcript
  // Chunks have times, offsets and signatures that messages don't have.
  if (from === to && to === chunkFormat)
    return { from, messages, text: source, files: [], preamble, diagnostics, losses: [], left: [] }
  const isDocument = to === documentFormat
  const output = writeTranscript(messages, to, defined({ payloads, preamble: isDocument ? preamble : undefined }))
  const readBack = await readTranscript(output.text, to, { resolver: createFileResolver(output.files) })
  const left = [...(isDocument ? [] : transcript.declared), ...transcript.besides]
  return { from, messages, preamble, ...output, diagnostics, losses: findLosses(messages, readBack.messages), left }
}

/** Reads the files that were just written, before they are on a disk. */
function createFileResolver(files: readonly { path: string; text: string }[]): Resolver {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return {
    async resolve({ src, kind }) {
      const text = texts.get(src)
      if (text !== undefined) return { ok: true, text, file: src }
      if (kind === 'img') return { ok: true, url: src, mediaType: 'image/*', file: src }
      return { ok: false, problem: { code: 'CHATMD_NOT_RESOLVED', message: `\`${src}\` is not there.` } }
    },
  }
}
