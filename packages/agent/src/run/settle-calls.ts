import { accumulate, type Chunk, type ErrorCode, type Message, OpenParts } from 'argot'
import { OpenMessage } from '../loop/open-message.ts'
import { wasInterrupted } from '../loop/step-calls.ts'
import type { Tool } from '../tool/tool.ts'
import type { Transcript } from '../transcript/transcript.ts'

interface SettleOptions {
  transcript: Transcript | undefined
  payloads: 'inline' | 'external'
  now: () => number
  tools: ReadonlyMap<string, Tool>
}

const notRun = {
  errorText: 'The call was not run: the user went on before it was answered.',
  argot: { settledBy: 'end' as const },
}

function effectUnknown(toolName: string): { errorText: string; argot: { code: ErrorCode } } {
  const { errorText, code } = wasInterrupted(toolName)
  return { errorText, argot: { code } }
}

/** Ends a message whose calls nobody will answer any more, because the user went on with something else. */
export async function settleCalls(run: string, message: Message, options: SettleOptions): Promise<Message> {
  const { transcript, payloads, now, tools } = options
  const open = new OpenMessage(message, transcript?.recovered)
  const whole = open.fold(now)
  const fold = accumulate({ now })
  const parts = new OpenParts()
  await transcript?.begin({ id: run, message, payloads })
  const pass = (chunk: Chunk, known: boolean): void => {
    parts.watch(chunk)
    fold.push(chunk)
    if (!known) whole.push(chunk)
    transcript?.push(chunk, fold)
  }
  pass({ type: 'start', messageId: message.id }, true)
  for (const { call, chunks } of open.calls(name => tools.get(name)?.effect)) {
    for (const chunk of chunks) pass(chunk, true)
    const { toolCallId, toolName, interrupted } = call
    const { errorText, argot } = interrupted === true ? effectUnknown(toolName) : notRun
    pass({ type: 'tool-output-error', toolCallId, errorText, providerMetadata: { argot } }, false)
  }
  for (const chunk of parts.end({ type: 'finish', finishReason: 'stop' })) pass(chunk, false)
  await transcript?.sync()
  return whole.message!
}
