import type { Message } from '@argot/core'
import type { UndoneTurn } from '../../store/undone-turns.ts'

const MOST_NAMES = 20

export function describeUndone({ files, left }: UndoneTurn): string {
  const rest = left.length === 0 ? '' : ` Not undone, because they had changed since: ${listNames(left)}.`
  return `[The user has undone your changes to these files, which have their earlier content again: ${listNames(files)}.${rest}]`
}

function listNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES
  return (
    names
      .slice(0, MOST_NAMES)
      .map(name => JSON.stringify(name))
      .join(', ') + (more > 0 ? ` and ${more} more` : '')
  )
}

/**
 * The messages as the model gets them: the user's first message after an undo begins with a note about it. It is always
 * the same message, so prompts stay byte-identical from turn to turn.
 */
export function noteUndone(messages: readonly Message[], undone: readonly UndoneTurn[]): Message[] {
  const noted = [...messages]
  for (const one of undone.toReversed()) {
    const name = `msg-${one.after}`
    const answerIndex = noted.findLastIndex(
      ({ id, role }) => role === 'assistant' && (id === name || id.startsWith(`${name}-`)),
    )
    const at = answerIndex < 0 ? -1 : noted.findIndex(({ role }, index) => index > answerIndex && role === 'user')
    const message = noted[at]
    if (message === undefined) continue
    const note = {
      type: 'text',
      id: `${message.id}:undone-${one.at}`,
      text: describeUndone(one),
      state: 'done',
    } as const
    noted[at] = { ...message, parts: [note, ...message.parts] }
  }
  return noted
}
