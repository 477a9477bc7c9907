import { accumulate, type Chunk, type Message, OpenParts } from 'argot'
import { OpenMessage } from '../loop/open-message.ts'
import type { Transcript } from '../transcript/transcript.ts'

interface SettleOptions {
  transcript: Transcript | undefined
  payloads: 'inline' | 'external'
  now: () => number
}

/** Ends a message whose calls nobody will answer any more, because the user went on with something else. */
export async function settleCalls(run: string, message: Message, options: SettleOptions): Promise<Message> {
  const { transcript, payloads, now } = options
  const open = new OpenMessage(message, undefined)
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
  for (const { call, chunks } of open.calls(() => undefined)) {
    for (const chunk of chunks) pass(chunk, true)
    const errorText = 'The call was not run: the user went on before it was answered.'
    const metadata = { providerMetadata: { argot: { settledBy: 'end' as const } } }
    pass({ type: 'tool-output-error', toolCallId: call.toolCallId, errorText, ...metadata }, false)
  }
  for (const chunk of parts.end({ type: 'finish', finishReason: 'stop' })) pass(chunk, false)
  await transcript?.sync()
  return whole.message!
}
