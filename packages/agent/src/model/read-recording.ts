import { dirname } from 'node:path'
import { ArgotError, isToolPart, type Message, type MessagePart } from '@argot/core'
import { isBrokenOff, splitSteps } from '@argot/core/ai-sdk'
import type { Resolver } from '@argot/core/chatmd'
import { detectFormat, readTranscript } from '@argot/core/convert'
import { decodeUtf8 } from '../files/decode-text.ts'
import { readDocumentText } from '../files/document-file.ts'
import { locate, readBytes, toRealPath } from '../files/local-file.ts'
import { SourceError } from '../files/source-error.ts'
import { createResolver } from '../resolver/create-resolver.ts'
import { toMessage } from '../words/to-message.ts'

/** The longest recording that a document may name as its model. */
const RECORDING_BYTES = 64 * 1024 * 1024

/**
 * The assistants' steps in a recorded transcript: a document, a run log, or any other format that `argot convert`
 * reads. A step that broke off before it came to a call isn't included. Throws `MODEL_REPLAY_EMPTY` if there is no step
 * or the file can't be read. With `within`, the file must be in one of these folders.
 */
export async function readRecording(file: string, within?: readonly string[]): Promise<MessagePart[][]> {
  const text = within === undefined ? await readText(file) : await readTextWithin(file, within)
  const messages = await readMessages(text, file)
  const steps = messages.flatMap(message => {
    if (message.role !== 'assistant') return []
    const all = splitSteps(message.parts)
    return (isBrokenOff(message, all.at(-1)) ? all.slice(0, -1) : all).filter(step => step.some(isAnswerPart))
  })
  if (steps.length === 0) throw cannotReplay(file, 'It has no assistant message.')
  return steps
}

/** Whether a part belongs to the answer when it is sent to a model again. */
function isAnswerPart(part: MessagePart): boolean {
  if (part.type === 'text') return part.phase !== 'remainder' && part.text.trim() !== ''
  return isToolPart(part) || part.type === 'reasoning' || part.type === 'file'
}

async function readText(file: string): Promise<string> {
  let result: Awaited<ReturnType<typeof readDocumentText>>
  try {
    result = await readDocumentText(file)
  } catch (error) {
    throw cannotReplay(file, `It cannot be opened (${toMessage(error)}).`, error)
  }
  if (result.ok) return result.text
  throw cannotReplay(file, result.problem.message)
}

/** Gives the same refusal for a file outside the folders whether it exists or not. */
async function readTextWithin(file: string, folders: readonly string[]): Promise<string> {
  try {
    const roots = await Promise.all(folders.map(toRealPath))
    const bytes = await readBytes(await locate(file, { bases: [], roots }), file, RECORDING_BYTES)
    return decodeUtf8(bytes, { name: file, keepBom: true, allowNul: true })
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const { code, message } = error.problem
    throw code === 'CHATMD_PATH_OUTSIDE'
      ? new ArgotError(code, message, { cause: error })
      : cannotReplay(file, message, error)
  }
}

async function readMessages(text: string, file: string): Promise<Message[]> {
  const resolver = recordedFiles(createResolver({ cwd: dirname(file) }))
  const { messages, diagnostics } = await readTranscript(text, detectFormat(text, file), { file, resolver })
  const wrong = diagnostics.find(({ severity }) => severity === 'error')
  if (wrong !== undefined) throw cannotReplay(file, wrong.message)
  return messages
}

/** Reads the transcript's own files. What the recorded prompt refers to isn't needed and isn't fetched. */
function recordedFiles(resolver: Resolver): Resolver {
  return {
    async resolve(request) {
      const { kind, src } = request
      if (kind === 'img') return { ok: true, url: src, mediaType: 'image/*', file: src }
      if (kind === 'doc' || kind === 'agent') return { ok: true, text: '', file: src }
      return resolver.resolve(request)
    },
  }
}

function cannotReplay(file: string, why: string, cause?: unknown): ArgotError {
  return new ArgotError('MODEL_REPLAY_EMPTY', `${file} cannot be replayed. ${why}`, { cause })
}
