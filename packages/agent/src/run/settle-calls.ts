import type { ErrorCode, Message } from '@argot/core'
import { firstCharacters, type SettledBy } from '@argot/core/stream/internal'
import { wasInterrupted } from '../loop/calls/step-calls.ts'
import { type CallOrigin, OpenMessage } from '../loop/open-message.ts'
import { RunStream } from '../loop/run-stream.ts'
import type { Tool } from '../tool/tool.ts'
import type { ReplayedRun } from '../transcript/replay-run.ts'
import type { Transcript } from '../transcript/transcript.ts'

interface SettleOptions {
  run: string
  origin: CallOrigin
  /** A run has begun or been resumed in it, and ends with this. */
  transcript: Transcript | undefined
  resumed: ReplayedRun | undefined
  now: () => number
  tools: ReadonlyMap<string, Tool>
  /** Why the person denies the questions. Without it, the calls end as not run. */
  denial?: string | undefined
}

/** In characters, for a message that is given as the reason for a denial. */
const LONGEST_REASON = 2000

/** Sent to the model for a call that the user didn't answer. */
export const notRun: string = "The call didn't run: the user continued before it was answered."

/** Ends a message whose calls won't be answered, because the user continued with something else. */
export async function settleCalls(message: Message, options: SettleOptions): Promise<Message> {
  const { run, origin, transcript, resumed, now, tools, denial } = options
  const continued = new OpenMessage(message, origin)
  const stream = new RunStream({ run, messageId: message.id, continued, transcript, resumed, now })
  stream.start()
  for (const { call, chunks, shownQuestion } of continued.calls(name => tools.get(name)?.effect)) {
    for (const chunk of chunks) stream.repeat(chunk)
    const { toolCallId, toolName, interrupted } = call
    const approvalId = call.approvalId ?? shownQuestion
    if (denial !== undefined && approvalId !== undefined && interrupted !== true) {
      const reason = firstCharacters(denial, LONGEST_REASON)
      stream.push({ type: 'tool-approval-response', approvalId, toolCallId, approved: false, reason })
      stream.push({ type: 'tool-output-denied', toolCallId, reason })
      continue
    }
    const { errorText, argot } = interrupted === true ? effectUnknown(toolName) : { errorText: notRun, argot: byEnd }
    stream.push({ type: 'tool-output-error', toolCallId, errorText, providerMetadata: { argot } })
  }
  stream.end({ type: 'finish', finishReason: 'stop' })
  await stream.synced()
  if (stream.unsaved !== undefined) throw stream.unsaved.error
  return stream.message!
}

const byEnd: { settledBy: SettledBy } = { settledBy: 'end' }

function effectUnknown(toolName: string): { errorText: string; argot: { code: ErrorCode } } {
  const { errorText, code } = wasInterrupted(toolName)
  return { errorText, argot: { code } }
}
