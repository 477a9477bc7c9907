import type { CallToWrite } from '../../message/tool-invocation.ts'
import { MAX_CALL, MAX_NAME, MAX_PARAMETERS } from '../limits.ts'
import { checkCall } from '../value/check-call.ts'
import { refuse } from '../value/write-value.ts'
import { writeHeader } from './call-header.ts'
import { writeMapping } from './yaml-text.ts'

/** A block without its frame: the words of its header and the lines of its body. */
export interface WrittenBlock {
  words: string
  lines: string[]
}

/** Writes no result. */
export function writeCall(call: CallToWrite): WrittenBlock {
  return write(call, {})
}

export function writeBlock(call: CallToWrite, extra: Readonly<Record<string, unknown>> = {}): WrittenBlock {
  const { state, output, errorText } = call
  return write(call, { ...extra, state, output, errorText })
}

function write(call: CallToWrite, others: Readonly<Record<string, unknown>>): WrittenBlock {
  const { toolName, toolCallId, input = {} } = checkCall(call)
  if (toolName === '' || toolName.length > MAX_NAME) refuse(`${JSON.stringify(toolName)} is not a name`)
  checkParameters(input)
  const { words, fields } = writeHeader(toolName, toolCallId)
  const { state, output, errorText, ...extra } = others
  const lines = writeMapping({ ...extra, ...fields, state, input, output, errorText })
  if (lines.reduce((size, line) => size + line.length + 1, 0) > MAX_CALL) {
    refuse(`it is longer than ${MAX_CALL} characters`)
  }
  return { words, lines }
}

function checkParameters(input: unknown): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return
  const keys = Object.keys(input)
  if (keys.length > MAX_PARAMETERS) refuse(`there are more than ${MAX_PARAMETERS} parameters`)
  const long = keys.find(key => key.length > MAX_NAME)
  if (long !== undefined) refuse(`${JSON.stringify(long)} is not a name`)
}
