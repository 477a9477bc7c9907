import type { PromptTurn } from '@argot/core/ai-sdk/internal'

/** What can be cut, with sizes in tokens. */
export interface CutSources {
  turns: readonly PromptTurn[]
  weights: readonly number[]
  /** How many turns a summary already replaces. */
  from: number
  /** System messages, the lesson and the tools. */
  fixed: number
  room: number
}

export interface RoomUse {
  what: string
  tokens: number
}

/** `to`: how many turns the summary is to replace. `tokens`: how long it may be. */
export type PlannedCut = { type: 'cut'; to: number; tokens: number } | { type: 'nothing'; room: RoomUse[] }

/** The share of the room in use after a summary, so that the next one isn't needed soon. */
const TARGET_SHARE = 0.5

/**
 * Decides how many turns a summary replaces: as few as possible to leave half of the room free, or at most `maxTokens`
 * in use, and never the last turn. Cuts are between turns, so a call stays with its result.
 */
export function planCut(sources: CutSources, maxTokens: number = Number.POSITIVE_INFINITY): PlannedCut {
  const { turns, from, room } = sources
  const last = turns.length - 1
  const tokens = Math.round(Math.min(4000, Math.max(room / 8, 200)))
  const total = (to: number): number => describeRoom(sources, to, tokens).reduce((sum, one) => sum + one.tokens, 0)
  if (!hasMore(sources, last) || total(last) > room) return { type: 'nothing', room: describeRoom(sources, last) }
  const target = Math.min(room * TARGET_SHARE, maxTokens)
  let to = last
  while (to - 1 > from && hasMore(sources, to - 1) && total(to - 1) <= target) to--
  return { type: 'cut', to, tokens }
}

/** Whether a summary up to there would replace a turn that isn't summarized yet and may be left out. */
function hasMore({ turns, from }: CutSources, to: number): boolean {
  const task = findTask(turns)
  return turns.slice(from, to).some(({ role }, index) => !isSystem(role) && from + index !== task)
}

/** What takes up the room if a summary of this many tokens replaces this many turns. */
export function describeRoom({ turns, weights, fixed }: CutSources, to: number, summary: number = 0): RoomUse[] {
  const task = findTask(turns)
  const last = turns.length - 1
  const sum = (from: number, end: number): number =>
    weights.slice(Math.max(0, from), Math.max(0, end)).reduce((all, tokens, index) => {
      const at = Math.max(0, from) + index
      return isSystem(turns[at]!.role) || at === task ? all : all + tokens
    }, 0)
  return [
    { what: 'system messages and tools', tokens: fixed },
    { what: 'the summary', tokens: summary },
    { what: 'the message being answered', tokens: task < 0 ? 0 : weights[task]! },
    { what: 'the turns before the last one', tokens: sum(to, last) },
    { what: 'the last reply and its results', tokens: last === task ? 0 : sum(last, last + 1) },
  ]
}

/** The index of the last user message, the one being answered; −1 if there is none. */
export function findTask(turns: readonly PromptTurn[]): number {
  return turns.findLastIndex(({ role }) => role === 'user')
}

function isSystem(role: PromptTurn['role']): boolean {
  return role === 'system' || role === 'developer'
}
