import type { CallsInChat } from './calls-context.ts'
import { useCallInChat } from './use-call-in-chat.ts'
import { useGoneSince } from './use-gone-since.ts'
import { useQuestionsInside } from './use-questions-inside.ts'
import { useSubRun } from './use-sub-run.ts'

/** How the calls below a provider are followed. */
export const callsInChat: CallsInChat = {
  useCall: useCallInChat,
  useSurroundings: (scope, toolCallId) => {
    const sub = useSubRun(scope, toolCallId)
    return { sub, questions: useQuestionsInside(sub?.key), goneSince: useGoneSince() }
  },
}
